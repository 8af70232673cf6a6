"""Real block logs: games played at random through the rules, from real seeds."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cards.seeds import bot_seed, commitment, deck_seed
from arena.cards.shuffle import shuffled
from arena.games.registry import get_game
from arena.replay.log import Chain, footer, header
from arena.replay.record import GameRecorder

SEED = bytes(range(32))
DIGESTS = ("a" * 64, "b" * 64)


def play_bodies(
    game: Any, pair: int, leg: int, *, seed: bytes = SEED, fault_at: int | None = None, bank: bool = False
) -> list[str]:
    """One random game as log bodies; with `fault_at` the seat asked then forfeits."""
    dice = random.Random(f"{pair} {leg}")
    dealer = pair % game.seats
    teams = [game.team_of(seat) ^ leg for seat in range(game.seats)]
    recorder = GameRecorder(pair, leg, dealer, teams, [bot_seed(seed, pair, s) for s in range(game.seats)])
    state = game.new_state(dealer=dealer)
    asked = 0
    while state.outcome() is None:
        pack = shuffled(deck_seed(seed, pair, state.hand_number), len(game.pack))
        number = state.hand_number
        recorder.hand(number, state.dealer, (game.pack[card] for card in pack))
        state.deal(pack)
        while state.to_act is not None:
            if asked == fault_at:
                seat = state.to_act
                team = game.team_of(seat)
                recorder.hand_ended([0, 0], state.scores, "forfeit")
                fault = {
                    "code": "illegal",
                    "seat": seat,
                    "team": team,
                    "hand_number": number,
                    "text": "answered `play:XX`, which is not in `legal`",
                    "stderr_tail": "Traceback\n  oops \x1b[31m",
                }
                score_a = float(teams[1 - team] == 0)
                return recorder.finish(state.scores, 1 - team, "forfeit", score_a, fault, [[0.1, 0.0]] * 4)
            action = dice.choice(state.legal())
            recorder.decision(game.word(action), dice.randrange(900), 5000 if bank else None)
            state.apply(action)
            asked += 1
        last = state.last_hand
        end = "played" if not last.thrown_in else "redealt" if last.facts["redealt"] else "thrown_in"
        recorder.hand_ended(last.points, state.scores, end)
    outcome = state.outcome()
    score_a = 0.5 if outcome.winner is None else float(teams[outcome.winner] == 0)
    return recorder.finish(
        outcome.scores, outcome.winner, outcome.reason, score_a, None, [[0.25, 0.125]] * game.seats
    )


def make_bodies(
    *,
    game_id: str = "north-american",
    rules: dict[str, Any] | None = None,
    games: tuple[tuple[int, int], ...] = ((0, 0), (1, 0), (0, 1), (1, 1)),
    seed: bytes = SEED,
    closed: bool = True,
    faults: dict[tuple[int, int], int] | None = None,
    bank: bool = False,
    names: tuple[str, str] = ("bot-0", "bot-1"),
    digests: tuple[str, str] = DIGESTS,
    match_id: str = "m" * 64,
    attempt: int = 1,
) -> list[str]:
    """The bodies of a block log."""
    game = get_game(game_id, rules or {})
    bodies = [
        header(
            game=game.id,
            rules=game.rules,
            match_id=match_id,
            block=games[0][0] // 10,
            attempt=attempt,
            bots=[
                {"name": name, "version": "1", "digest": digest}
                for name, digest in zip(names, digests, strict=True)
            ],
            limits={"move_ms": 1000},
            isolation="basic",
            commitment=commitment(seed),
            guessable=False,
        )
    ]
    for pair, leg in games:
        bodies += play_bodies(game, pair, leg, seed=seed, fault_at=(faults or {}).get((pair, leg)), bank=bank)
    return [*bodies, footer(seed)] if closed else bodies


@pytest.fixture(scope="session")
def bodies() -> Callable[..., list[str]]:
    """`make_bodies`: tests do not import conftest."""
    return make_bodies


@pytest.fixture
def write_log(tmp_path: Path) -> Callable[..., Path]:
    """Write bodies as a chained log (or lines as they are)."""

    def write(bodies: list[str], *, name: str = "log.jsonl", chained: bool = True) -> Path:
        path = tmp_path / name
        lines = Chain().extend(bodies) if chained else bodies
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def change() -> Callable[..., str]:
    """Set one member, at a path of keys, of a JSON text."""

    def change(body: str, keys: tuple[str | int, ...], value: Any) -> str:
        data = json.loads(body)
        at = data
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value
        return json.dumps(data, separators=(",", ":"))

    return change
