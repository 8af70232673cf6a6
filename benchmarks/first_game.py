"""From an empty directory to a rated game, language by language: the machine time of the four commands.

    python benchmarks/first_game.py [LANGUAGE]... [--games N] [--pairs N] [--isolation LEVEL] [--json]

`arena bot new`, `bot check`, `bot add` and `run NAME careful`, each as a person would type it, in a home of
its own, so that every build is done anew. Target: under a minute each, by the clock on the wall of an idle
machine (the CPU seconds stand beside it), without a fault. A language whose tools are missing is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from arena.bots.new import Language, find_language, languages, missing_tools

TARGET_S = 60.0
STEPS = ("new", "check", "add", "run")


@dataclass
class Timing:
    """One language's way; seconds."""

    language: str
    new: float
    check: float
    add: float
    run: float
    cpu: float
    """Of all commands and what they started."""
    games: int
    faults: int

    @property
    def total(self) -> float:
        return self.new + self.check + self.add + self.run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--games", type=int, default=20, help="games of the examination (20)")
    parser.add_argument("--pairs", type=int, default=20, help="pairs of the rated match (20)")
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    chosen = [find_language(name) for name in options.languages] or list(languages())
    found = []
    if not options.json:
        print(
            f"{'language':<12}"
            + "".join(f"{step:>8}" for step in STEPS)
            + f"{'total':>9}{'cpu':>9}   games  faults"
        )
    for language in chosen:
        missing = missing_tools(language)
        if missing:
            print(f"{language.id:<12}left out: {', '.join(missing)} is missing", file=sys.stderr)
            continue
        timing = first_game(language, options.games, options.pairs, options.isolation)
        found.append(timing)
        if not options.json:
            seconds = "".join(f"{getattr(timing, step):8.1f}" for step in STEPS)
            seconds += f"{timing.total:>7.1f} s{timing.cpu:>7.1f} s"
            late = "" if timing.total < TARGET_S else f"   over {TARGET_S:.0f} s"
            print(f"{timing.language:<12}{seconds}{timing.games:>8}{timing.faults:>8}{late}", flush=True)
    if options.json:
        print(json.dumps([asdict(timing) | {"total": timing.total} for timing in found], indent=2))
    return int(any(timing.total >= TARGET_S or timing.faults for timing in found))


def first_game(language: Language, games: int, pairs: int, isolation: str) -> Timing:
    """The four commands in a directory of their own."""
    with tempfile.TemporaryDirectory(prefix="arena-first-") as folder:
        os.chmod(folder, 0o755)
        room = Path(folder)
        arena = [sys.executable, "-m", "arena"]
        name = f"first-{language.id}"
        home = ["--home", str(room / "home"), "--isolation", isolation]
        before = cpu_seconds()
        seconds = [
            command([*arena, "bot", "new", name, "--lang", language.id], room)[0],
            command([*arena, "bot", "check", f"./{name}", "--games", str(games), *home], room)[0],
            command([*arena, "bot", "add", f"./{name}", *home], room)[0],
        ]
        run = [*arena, "run", f"{name}@0.1", "careful", "--pairs", str(pairs), "--json", *home]
        took, output = command(run, room)
        rows = json.loads(output)["standings"]["rows"]
        faults = sum(row["forfeits"] for row in rows)
        games_done = json.loads(output)["games_done"]
        return Timing(language.id, *seconds, took, cpu_seconds() - before, games_done, faults)


def cpu_seconds() -> float:
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(words: list[str], room: Path) -> tuple[float, str]:
    """Run a command that must succeed; its seconds and its output."""
    began = time.monotonic()
    done = subprocess.run(words, cwd=room, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return time.monotonic() - began, done.stdout


if __name__ == "__main__":
    sys.exit(main())
