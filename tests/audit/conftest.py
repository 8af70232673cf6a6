"""A whole tournament's folder, made by the store itself from games played at random."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from arena.cards import seeds
from arena.games.registry import get_game
from arena.replay.log import Chain
from arena.store.rows import BotRow, GameRow, Meta
from arena.store.store import Store, now

MASTER = b"M" * 32
BOTS = (("alpha", "a" * 64), ("beta", "b" * 64), ("gamma", "c" * 64))


def _logs() -> Any:
    """The module that plays logs for tests/replay."""
    spec = spec_from_file_location("replay_logs", Path(__file__).parents[1] / "replay" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row_of(bodies: list[str]) -> GameRow:
    """The row of a game, from its log bodies."""
    records = [json.loads(body) for body in bodies]
    start, end = records[0], records[-1]
    hands = [record for record in records if record["t"] == "hand"]
    fault = end["fault"]
    team_a = start["teams"].index(0)
    return GameRow(
        pair=start["pair"],
        leg=start["leg"],
        score_a=end["score_a"],
        points_a=end["scores"][team_a],
        points_b=end["scores"][1 - team_a],
        hands=len(hands),
        decisions=sum(len(hand["acts"].split()) for hand in hands),
        reason=end["reason"],
        fault_code=fault and fault["code"],
        fault_bot=fault and "ab"[start["teams"][fault["seat"]]],
        fault_seat=fault and fault["seat"],
        fault_text=fault and fault["text"],
        fault_stderr=fault and fault["stderr_tail"],
        seconds=0.1,
    )


def make_tournament(
    folder: Path, *, pairs: int = 2, blocks: tuple[int, ...] = (0, 1), close_last: bool = True
) -> Path:
    """Three bots, every pairing, `pairs` pairs of each of `blocks`; one game ends by a fault."""
    logs = _logs()
    game = get_game("north-american", {})
    rules_id = seeds.rules_id(game.id, game.rules)
    meta = Meta(
        "0.1.0", now(), game.id, {}, {"common-decks": "false"}, MASTER.hex(), seeds.commitment(MASTER), False
    )
    with Store(folder, meta) as store:
        with store.transaction():
            for name, digest in BOTS:
                store.add_bot(BotRow(digest, name, "1"))
        for i, (a, digest_a) in enumerate(BOTS):
            for b, digest_b in BOTS[i + 1 :]:
                match_id = seeds.commitment(f"{a} {b}".encode())
                for block in blocks:
                    seed = seeds.block_seed(MASTER, rules_id, digest_a, digest_b, block)
                    first = 10 * block
                    games = tuple((first + pair, leg) for leg in (0, 1) for pair in range(pairs))
                    bodies = logs.make_bodies(
                        games=games, seed=seed, names=(a, b), digests=(digest_a, digest_b), match_id=match_id,
                        faults={(1, 1): 20} if (a, b) == ("alpha", "beta") else {},
                    )  # fmt: skip
                    last = (a, b, block) == ("beta", "gamma", blocks[-1])
                    _store(
                        store, match_id, (digest_a, digest_b), block, bodies, closed=close_last or not last
                    )
    return folder


def _store(
    store: Store, match_id: str, digests: tuple[str, str], block: int, bodies: list[str], *, closed: bool
) -> None:
    with store.transaction():
        match = store.match(match_id, *digests)
        attempt = store.begin(match, block, sum('"t":"game"' in body for body in bodies))
    chain = Chain()
    waiting = [bodies[0]]
    current: list[str] = []
    for body in bodies[1:-1]:
        current.append(body)
        if '"t":"end"' in body:
            with store.transaction():
                store.game(match, block, attempt, row_of(current), chain.extend([*waiting, *current]))
            waiting, current = [], []
    if closed:
        with store.transaction():
            store.finish(match, block, attempt, chain.extend([bodies[-1]]), {})


def make_retried(folder: Path) -> Path:
    """One block: lost after three games, a trial of its bot, and played again with one game of the three."""
    make_tournament(folder, blocks=())
    logs = _logs()
    game = get_game("north-american", {})
    (a, digest_a), (b, digest_b) = BOTS[:2]
    match_id = seeds.commitment(f"{a} {b}".encode())
    seed = seeds.block_seed(MASTER, seeds.rules_id(game.id, game.rules), digest_a, digest_b, 0)

    def bodies(attempt: int, games: tuple[tuple[int, int], ...]) -> list[str]:
        made: list[str] = logs.make_bodies(
            games=games, seed=seed, names=(a, b), digests=(digest_a, digest_b), match_id=match_id,
            attempt=attempt, faults={(1, 1): 20},
        )  # fmt: skip
        return made

    with Store(folder) as store:
        _store(store, match_id, (digest_a, digest_b), 0, bodies(1, ((0, 0), (1, 0), (0, 1))), closed=False)
        with store.transaction():
            match = store.match(match_id, digest_a, digest_b)
            store.lose(match, 0, 1, "slot_died", bot=b, text="it died")
            store.finish(match, 0, store.begin(match, 0, 2, kind="trial", bot=b), (), {})
        _store(store, match_id, (digest_a, digest_b), 0, bodies(3, ((0, 1), (1, 1))), closed=True)
    return folder


@pytest.fixture
def retried(tmp_path: Path) -> Path:
    """A tournament with a lost attempt, a trial, and a game that was finished twice."""
    return make_retried(tmp_path / "retried")


@pytest.fixture
def tournament(tmp_path: Path) -> Path:
    """A tournament of three bots, two blocks a pairing."""
    return make_tournament(tmp_path / "out")


@pytest.fixture(scope="session")
def make() -> Callable[..., Path]:
    """`make_tournament`: tests do not import conftest."""
    return make_tournament
