"""Make the outcome tables that the package ships: `python -m arena.analysis.make_tables`.

One table for each preset, and for each preset with `stick_the_dealer`. The scoring options and the
target do not change how hands end, so that these four serve nearly every set of rules.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arena.analysis.luck import Playouts, compiled
from arena.games.registry import get_game

SHIPPED = (
    ("north-american", "north-american", {}),
    ("british", "british", {}),
    ("north-american-stick", "north-american", {"stick_the_dealer": True}),
    ("british-stick", "british", {"stick_the_dealer": True}),
)


def main() -> None:
    folder = Path(__file__).parent / "tables"
    folder.mkdir(exist_ok=True)
    print("compiled" if compiled() else "plain Python (install the extra `analysis` to be faster)", file=sys.stderr)
    for name, game, overrides in SHIPPED:
        table = Playouts(get_game(game, overrides)).table(
            progress=lambda done, total: print(f"\r{done}/{total}", end="", file=sys.stderr)
        )
        (folder / f"{name}.json").write_text(table.to_json() + "\n", encoding="utf-8")
        print(f"\r{name}: {table.digest}", file=sys.stderr)


if __name__ == "__main__":
    main()
