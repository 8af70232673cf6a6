"""Make the outcome tables that the package ships: `python -m arena.analysis.make_tables`.

One table for each preset, and for each preset with `stick_the_dealer`. The scoring options and the
target do not change how hands end, so that these four serve nearly every set of rules.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arena.analysis.luck import Playouts, compiled
from arena.games.base import RuleValue
from arena.games.registry import get_game

SHIPPED: tuple[tuple[str, str, dict[str, RuleValue]], ...] = (
    ("north-american", "north-american", {}),
    ("british", "british", {}),
    ("north-american-stick", "north-american", {"stick_the_dealer": True}),
    ("british-stick", "british", {"stick_the_dealer": True}),
)


def main() -> None:
    folder = Path(__file__).parent / "tables"
    folder.mkdir(exist_ok=True)
    how = "compiled" if compiled() else "plain Python; the extra `analysis` makes it faster"
    print(how, file=sys.stderr)
    for name, game, overrides in SHIPPED:
        table = Playouts(get_game(game, overrides)).table()
        (folder / f"{name}.json").write_text(table.to_json() + "\n", encoding="utf-8")
        print(f"{name}: {table.digest}", file=sys.stderr)


if __name__ == "__main__":
    main()
