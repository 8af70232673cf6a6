"""The Python sample bots as a stranger would run them: real processes, both encodings, legal and steady."""

from __future__ import annotations

import ast
import os
import random
import select
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import protocol
from arena.bots.manifest import read_manifest
from arena.games.registry import get_game
from protocol import codec

ROOT = Path(protocol.__file__).parents[1]
BOTS = ROOT / "sample_bots"
PYTHON_BOTS = sorted(
    path.parent
    for path in BOTS.rglob("bot.toml")
    if tomllib.loads(path.read_text(encoding="utf-8")).get("language") == "python"
)


class Process:
    """A bot's process: `tell` it, or `ask` it and wait, at most ten seconds."""

    def __init__(self, process: subprocess.Popen[bytes], encoding: str) -> None:
        self.process = process
        self.wire = codec(encoding)
        self.decoder = self.wire.decoder()

    def tell(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(self.wire.encode(message))
        self.process.stdin.flush()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self.tell(message)
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        while (payload := self.decoder.next_frame()) is None:
            assert select.select([fd], [], [], 10)[0], "no answer within ten seconds"
            data = os.read(fd, 65536)
            assert data, "the bot ended"
            self.decoder.feed(data)
        return self.wire.decode(payload)


@contextmanager
def started(name: str, encoding: str) -> Iterator[Process]:
    directory = BOTS / name
    command = [sys.executable if word == "{python}" else word for word in read_manifest(directory).command]
    process = subprocess.Popen(
        command,
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"},
    )
    try:
        yield Process(process, encoding)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0
        assert process.stdout is not None
        assert process.stdout.read() == b"", "nothing but frames on stdout"
        assert process.stderr is not None
        assert process.stderr.read() == b""
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def play(bot: Process, game_id: str, rules: dict[str, Any], hands: int, seed: int) -> list[tuple[Any, str]]:
    """One bot in all four seats for some hands; every decision as (view, word)."""
    game = get_game(game_id, rules)
    ready = bot.ask(
        {"type": "hello", "protocol": 1, "game": game_id, "rules": dict(game.rules), "limits": {}}
    )
    assert ready["type"] == "ready"
    rng = random.Random(f"{game_id}{seed}")
    bot.tell({"type": "game_start", "seat": 0, "partner": 2, "dealer": 0, "seed": seed})
    state = game.new_state()
    said = []
    for _ in range(hands):
        if state.outcome() is not None:
            break
        pack = list(range(len(game.pack)))
        rng.shuffle(pack)
        state.deal(pack)
        while state.to_act is not None:
            view = {"type": "act", "id": rng.getrandbits(53), **state.view(state.to_act)}
            request = {**view, "legal": state.legal_words(), "time_ms": 1000}
            answer = bot.ask(request)
            assert answer["type"] == "action"
            assert answer["id"] == request["id"]
            assert answer["action"] in request["legal"]
            said.append((request, answer["action"]))
            action = game.action(answer["action"])
            assert action is not None
            state.apply(action)
        bot.tell({"type": "hand_end", **state.reveal()})
    bot.tell({"type": "game_end", "winner": None})
    return said


EVERYTHING = {"joker": True, "defend_alone": "always", "joker_up_alone": "blind", "stick_the_dealer": True}


@pytest.mark.parametrize("encoding", ["msgpack", "json"])
@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("north-american", {}),
        ("british", {}),
        ("north-american", EVERYTHING),
        ("north-american", {"no_trump": "round2", "dealer_partner_order_up": "forbidden"}),
    ],
)
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_it_plays_legally_and_the_same_again(
    name: str, game: str, rules: dict[str, Any], encoding: str
) -> None:
    with started(name, encoding) as bot:
        first = play(bot, game, rules, 12, 7)
    with started(name, encoding) as bot:
        play(bot, game, rules, 3, 8)
        again = play(bot, game, rules, 12, 7)
    assert again == first, "what it played before must not matter"
    assert len(first) > 100


def test_random_is_uniform_and_goes_by_its_seed() -> None:
    with started("random", "msgpack") as bot:
        games = [play(bot, "north-american", {}, 10, seed) for seed in range(1, 6)]
    words = [
        word for said in games for view, word in said if view["phase"] == "bid1" and len(view["legal"]) == 3
    ]
    shares = [words.count(word) / len(words) for word in ("pass", "order_up", "order_up_alone")]
    assert len(words) > 50
    assert all(0.15 < share < 0.55 for share in shares)
    assert games[0] != games[1]


def act(phase: str, hand: str, legal: str, **keys: Any) -> dict[str, Any]:
    """A request to seat 2 with the king of clubs turned up by seat 1."""
    view = {
        "type": "act",
        "id": 5,
        "game": "north-american",
        "rules": {},
        "phase": phase,
        "hand_number": 0,
        "seat": 2,
        "dealer": 1,
        "scores": [0, 0],
        "hand": hand.split(),
        "upcard": "KC",
        "calls": [],
        "trump": None,
        "maker": None,
        "alone": [],
        "tricks": [],
        "won": [0, 0],
        "legal": legal.split(),
        "time_ms": 1000,
    }
    return {**view, **keys}


def to_play(cards: str, **keys: Any) -> dict[str, Any]:
    """The seat may play any card of its hand; clubs are trumps."""
    legal = " ".join(f"play:{card}" for card in cards.split())
    return act("play", cards, legal, trump="C", maker=1, **keys)


ROUND1 = "pass order_up order_up_alone"
ROUND2 = "pass name:D name:D:alone name:H name:H:alone name:S name:S:alone"
SIX = "9C TD QH AH JS KC"
DISCARDS = " ".join(f"discard:{card}" for card in SIX.split())
LED = {"tricks": [[[1, "KD"]]]}
GREEDY = [
    ("two trumps", act("bid1", "9C TC AD AH AS", ROUND1), "pass"),
    ("three trumps", act("bid1", "9C TC JS AH AS", ROUND1), "order_up"),
    ("three with the upcard", act("bid1", "9C TC 9D AH AS", ROUND1, seat=1), "order_up"),
    ("four, not the two best", act("bid1", "9C TC AC JC AS", ROUND1), "order_up"),
    ("four with both bowers", act("bid1", "9C JS AC JC AS", ROUND1), "order_up_alone"),
    ("may only go alone", act("bid1", "9C TC JS AH AS", "pass order_up_alone"), "pass"),
    ("two of each", act("bid2", "9D TD QH AH AC", ROUND2), "pass"),
    ("three hearts", act("bid2", "9D JD QH AH AC", ROUND2), "name:H"),
    ("may not pass", act("bid2", "9D TD QH AH AC", ROUND2[5:]), "name:H"),
    ("the joker turned", act("joker_name", "", "name:C name:D name:H name:S"), "name:C"),
    ("throws its lowest", act("discard", SIX, DISCARDS, trump="C"), "discard:TD"),
    ("a defender", act("defend", "9C", "defend_together defend_alone", trump="C"), "defend_together"),
    ("leads its highest", to_play("9C AD"), "play:9C"),
    ("wins with its highest", to_play("QD AD", **LED), "play:AD"),
    ("cannot win", to_play("QD TD", **LED), "play:TD"),
    ("ruffs", to_play("QH 9C", **LED), "play:9C"),
]


def test_greedy_does_what_it_says() -> None:
    with started("greedy", "msgpack") as bot:
        got = {what: bot.ask(request)["action"] for what, request, _ in GREEDY}
    assert got == {what: word for what, _, word in GREEDY}


@pytest.mark.parametrize("directory", PYTHON_BOTS, ids=lambda path: path.name)
def test_python_bots_import_nothing_but_the_protocol(directory: Path) -> None:
    """As a stranger's would: the standard library, `protocol`, and their own files."""
    own = {path.stem for path in directory.rglob("*.py")}
    allowed = set(sys.stdlib_module_names) | {"protocol"} | own
    files = list(directory.rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""] if node.level == 0 else []
            else:
                continue
            for name in names:
                assert name.split(".")[0] in allowed, f"{file.relative_to(ROOT)} imports {name}"
                assert "." not in name or name.split(".")[0] != "protocol", (
                    "the package's own names are enough"
                )


def test_the_sample_bots_are_found() -> None:
    assert {"random", "greedy"} <= {path.name for path in PYTHON_BOTS}
    for name in ("random", "greedy"):
        manifest = read_manifest(BOTS / name)
        assert manifest.name == name
        assert set(manifest.games) == {"north-american", "british"}
