"""Records the requests that every port of `careful` must answer alike: tests/data/requests_*.jsonl.gz.

Run from the repository's root: `python tests/sample_bots/record_requests.py`. The players are `careful`,
`greedy` and chance by turns, so that the positions are both usual and odd. One `act` message a line.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
sys.path[:0] = [str(ROOT), str(ROOT / "sample_bots" / "greedy"), str(ROOT / "sample_bots" / "careful")]

from bot import Greedy  # noqa: E402  (sample_bots/greedy)
from strategy import choose  # noqa: E402  (sample_bots/careful)

from arena.games.registry import get_game  # noqa: E402
from protocol import View  # noqa: E402

RECORDINGS: dict[str, list[tuple[str, dict[str, Any], int]]] = {
    "north_american": [("north-american", {}, 2000)],
    "british": [("british", {}, 2000)],
    "options": [
        ("north-american", {"stick_the_dealer": True, "no_trump": "round2"}, 500),
        ("north-american", {"defend_alone": "always", "target": 5}, 500),
        ("north-american", {"joker": True, "may_discard_upcard": False, "lone_short": "euchre"}, 500),
        ("north-american", {"dealer_partner_order_up": "alone_only", "trump_to_call": "natural"}, 300),
        ("north-american", {"dealer_partner_order_up": "forbidden", "all_pass": "same_dealer"}, 300),
        ("british", {"joker_up_alone": "blind", "lone_lead": "dealer_left", "defend_alone": "vs_lone"}, 500),
        ("british", {"joker": False, "target": 15, "farmers_hand": "redeal"}, 300),
    ],
}


def number(*label: object) -> int:
    """53 bits that follow from the label."""
    return int.from_bytes(hashlib.sha256(repr(label).encode()).digest()[:8], "big") >> 11


def chance(view: View) -> str:
    """Any legal action, but few calls: they would end each auction at once."""
    draw = number(view["id"])
    if "pass" in view.legal and draw % 8:
        return "pass"
    return view.legal[draw % len(view.legal)]


def worth_keeping(act: Mapping[str, Any]) -> bool:
    """All calls and discards, and one play in three: there are so many of them."""
    return act["phase"] != "play" or act["id"] % 3 == 0


def requests(game_id: str, rules: Mapping[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """The first `count` requests worth keeping of games under these rules."""
    game = get_game(game_id, rules)
    greedy = Greedy().choose
    players: list[Callable[[View], str]] = [choose, choose, greedy, chance]
    sent = kept = 0
    for round_ in range(count):
        state = game.new_state(dealer=round_ % 4)
        while state.outcome() is None:
            if state.needs_deal:
                cards = range(len(game.pack))
                label = (game_id, sorted(rules), round_, state.hand_number)
                state.deal(sorted(cards, key=lambda card, label=label: number(*label, card)))
                continue
            seat = state.to_act
            assert seat is not None
            act = {"type": "act", "id": number(game_id, sorted(rules), sent), **state.view(seat)}
            act |= {"legal": state.legal_words(), "time_ms": 1000 if sent % 3 else None}
            if sent % 5 == 0:
                act["bank_ms"] = 30000
            sent += 1
            if worth_keeping(act):
                yield act
                kept += 1
                if kept == count:
                    return
            action = game.action(players[number(seat, act["id"]) % len(players)](View(act)))
            assert action is not None
            state.apply(action)


def main() -> None:
    for name, parts in RECORDINGS.items():
        lines = "".join(
            json.dumps(act, separators=(",", ":")) + "\n" for part in parts for act in requests(*part)
        )
        data = io.BytesIO()
        with gzip.GzipFile(fileobj=data, mode="wb", mtime=0) as file:
            file.write(lines.encode())
        (DATA / f"requests_{name}.jsonl.gz").write_bytes(data.getvalue())


if __name__ == "__main__":
    main()
