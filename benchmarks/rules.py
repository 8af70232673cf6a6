"""Random-play euchre hands a second: our rules beside OpenSpiel's `euchre`, in one process.

    python benchmarks/rules.py [--rounds N] [--seconds S] [--core C]

The contestants take turns, round by round: OpenSpiel driven from Python (its chance nodes in two ways),
our `deal`/`legal`/`apply`, and the same with `view(seat)` built at every decision. All play North American
euchre with the dealer stuck and the upcard not to be discarded (OpenSpiel's rules); each picks among its
legal actions by the same expression. Ours deals by `arena-deal-1`, OpenSpiel by its chance nodes. Rates
are per second of CPU; ratios are medians over rounds of the ratio within a round. Needs
`pip install open_spiel`.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable

from arena.cards.shuffle import shuffled
from arena.games.registry import get_game

TARGETS = {"ours": 1.8, "ours, with views": 0.6}
"""At least so many times OpenSpiel's rate."""

BATCH = 100
"""Hands between two looks at the clock."""


def open_spiel(*, outcomes: bool) -> Callable[[], None]:
    """A function that plays BATCH hands in OpenSpiel.

    At chance nodes it picks among `chance_outcomes`, as OpenSpiel's own examples do, or, if not `outcomes`,
    among `legal_actions`, which is quicker and right only because these deals are uniform.
    """
    import pyspiel

    game = pyspiel.load_game("euchre", {"allow_lone_defender": False, "stick_the_dealer": True})
    draw = random.Random(1).random

    def play() -> None:
        for _ in range(BATCH):
            state = game.new_initial_state()
            while not state.is_terminal():
                if outcomes and state.is_chance_node():
                    chances = state.chance_outcomes()
                    state.apply_action(chances[int(draw() * len(chances))][0])
                else:
                    actions = state.legal_actions()
                    state.apply_action(actions[int(draw() * len(actions))])

    return play


def ours(*, views: bool) -> Callable[[], None]:
    """A function that plays BATCH hands with our rules."""
    game = get_game("north-american", {"stick_the_dealer": True, "may_discard_upcard": False})
    draw = random.Random(1).random
    cards = len(game.pack)
    decks = iter(range(1 << 62))

    def play() -> None:
        state = game.new_state()
        for _ in range(BATCH):
            if not state.needs_deal:
                state = game.new_state()
            state.deal(shuffled(next(decks).to_bytes(32, "big"), cards))
            while (seat := state.to_act) is not None:
                if views:
                    state.view(seat)
                actions = state.legal()
                state.apply(actions[int(draw() * len(actions))])

    return play


def rate(play: Callable[[], None], seconds: float) -> float:
    """Hands per second of CPU, measured for at least `seconds` of it."""
    hands = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds:
        play()
        hands += BATCH
    return hands / spent


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds of a contestant's turn")
    parser.add_argument("--core", type=int, help="pin to this core")
    args = parser.parse_args()
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    try:
        spiel = open_spiel(outcomes=True)
    except ImportError:
        print("OpenSpiel is not installed: pip install open_spiel", file=sys.stderr)
        return 4
    contestants = {
        "OpenSpiel": spiel,
        "OpenSpiel, quick deal": open_spiel(outcomes=False),
        "ours": ours(views=False),
        "ours, with views": ours(views=True),
    }
    rates: dict[str, list[float]] = {name: [] for name in contestants}
    for play in contestants.values():
        rate(play, 0.1)  # warm up
    for _ in range(args.rounds):
        for name, play in contestants.items():
            rates[name].append(rate(play, args.seconds))
    print(f"{'':22}{'hands/s':>10}{'ratio':>8}{'spread':>16}{'target':>8}")
    good = True
    for name, own in rates.items():
        ratios = [a / b for a, b in zip(own, rates["OpenSpiel"], strict=True)]
        ratio = statistics.median(ratios)
        target = TARGETS.get(name)
        good = good and (target is None or ratio >= target)
        print(
            f"{name:22}{statistics.median(own):10.0f}{ratio:8.2f}"
            f"{f'{min(ratios):.2f}-{max(ratios):.2f}':>16}{'' if target is None else target:>8}"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
