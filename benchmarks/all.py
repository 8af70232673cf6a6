"""Every figure, one after the other: each beside its floor, measured in the same run.

    python benchmarks/all.py [NAME ...] [--quick]

Programs: rules (needs open_spiel), referee, slots, limits, slot_memory, starts, many_bots, statistics_speed,
standings_speed.
`--quick` measures less: to see that all of it runs. For figures leave the machine alone meanwhile. Exits with
1 where a target is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "rules": ("target 6: the engine beside OpenSpiel's", ("--rounds", "1", "--seconds", "0.2")),
    "referee": ("targets 1, 4: the referee beside bare pipes", ("--rounds", "1", "--games", "2")),
    "slots": ("targets 2, 3, 4: slots", ("--rounds", "1", "--seconds", "0.3")),
    "limits": ("target 5: limits", ("--times", "10")),
    "slot_memory": ("target 7: memory of a slot", ("--games", "60")),
    "starts": ("targets 8, 9: starts", ("--rounds", "2")),
    "many_bots": ("a schedule of 1,000 bots", ("--bots", "100")),
    "statistics_speed": ("target 10: ratings", ("--rounds", "1")),
    "standings_speed": ("target 10: a table from the database", ("--rounds", "1", "--games", "40000")),
}
"""Each with what it is about, and what makes it quick."""


def main() -> int:
    """Run them; 1 if one misses a target or fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    unknown = set(options.names) - set(PROGRAMS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(PROGRAMS)}")
    paths = [str(HERE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    outcome: dict[str, str] = {}
    for name in options.names or PROGRAMS:
        about, quick = PROGRAMS[name]
        print(f"\n== {name}: {about}", flush=True)
        if name == "rules" and find_spec("pyspiel") is None:
            print("open_spiel is not installed: pip install 'euchre-arena[bench]'")
            outcome[name] = "left out"
            continue
        began = time.monotonic()
        command = [sys.executable, str(HERE / f"{name}.py"), *(quick if options.quick else ())]
        code = subprocess.run(command, env=environment).returncode
        words = {0: "all targets met", 1: "a target is missed"}.get(code, f"failed with {code}")
        outcome[name] = f"{words} ({time.monotonic() - began:.0f} s)"
    print("\n== summary")
    for name, words in outcome.items():
        print(f"{name:18} {words}")
    return int(any("met" not in words and words != "left out" for words in outcome.values()))


if __name__ == "__main__":
    raise SystemExit(main())
