"""The self-test: every bot of `sample_bots/bad` played at each isolation level, as root and as a user.

What must happen stands in `sample_bots/bad/expected.toml`. Each block is played by a referee in a process of
its own (`trial.py`), so that a bot that gets at its referee gets at no more than that.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import arena
from arena.audit.trial import CANARY, Trial, canary_folder
from arena.bots import reach, sandbox, tree
from arena.bots.levels import Level
from arena.bots.manifest import read_manifest
from arena.bots.program import StartError, find_program
from arena.bots.toolchain import needs, python_packages
from arena.errors import ArenaError, Exit, suggestion
from arena.table.job import BotRef
from arena.table.watch import BACKGROUND_S, BACKGROUND_SHARE

GROWN_MB = 64
"""By so much the referee's memory may grow over a block, whatever a bot sends."""
SILENT_S = 120.0
"""A trial that has told nothing after so long is broken."""
_LIMITS = {"move_ms": 500, "start_ms": 8000, "grace_ms": 100}
_RULES = {"hand_limit": 2}
_GUESSABLE = 2000
"""So many seeds the seed searcher tries; the block's seed comes from the system."""


class User(StrEnum):
    """Who runs the arena."""

    ROOT = "root"
    ORDINARY = "user"


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the table: a bot and what must come of it."""

    name: str
    what: str
    bot: str
    verdict: Mapping[str, tuple[str, ...]]
    """By level: any of these."""
    stopped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By attack: the levels that stop it."""
    caught: bool | None = None
    games: tuple[tuple[int, int], ...] = ((0, 0),)
    limits: Mapping[str, int] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)
    started_before: bool = False
    good: str = ""
    one_core: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case at one level, for one user."""

    case: Case
    level: Level
    user: User
    verdict: str
    through: Mapping[str, bool]
    """By attack: whether it got through."""
    caught: bool
    """Taken for one that thinks in others' time."""
    left: tuple[str, ...]
    """Processes and files that it left."""
    problems: tuple[str, ...]
    """What must not be; none is a pass."""


def bad_bots() -> Path:
    """The folder of the bots that misbehave. Raises ArenaError where they are not installed."""
    spec = find_spec("sample_bots")
    for place in (spec and spec.submodule_search_locations) or ():
        if Path(place, "bad", "expected.toml").is_file():
            return Path(place, "bad")
    raise ArenaError(
        "the misbehaving sample bots are not installed",
        hint="reinstall the arena, or run it from its source folder",
        exit_code=Exit.ENVIRONMENT,
    )


def read_cases(names: Sequence[str] = ()) -> list[Case]:
    """The table, or the cases named. Raises ArenaError for a name that is not in it."""
    with Path(bad_bots(), "expected.toml").open("rb") as file:
        table = tomllib.load(file)
    for name in names:
        if name not in table:
            raise ArenaError(
                f"unknown self-test `{name}`", hint=suggestion(name, table), exit_code=Exit.USAGE
            )
    return [_case(name, entry) for name, entry in table.items() if not names or name in names]


def _case(name: str, entry: dict[str, Any]) -> Case:
    verdict = entry.pop("verdict")
    by_level = verdict if isinstance(verdict, dict) else dict.fromkeys(Level, verdict)
    return Case(
        name=name,
        bot=entry.pop("bot", name),
        verdict={level: (v,) if isinstance(v, str) else tuple(v) for level, v in by_level.items()},
        stopped={attack: tuple(levels) for attack, levels in entry.pop("stopped", {}).items()},
        games=tuple((pair, leg) for pair, leg in entry.pop("games", [(0, 0)])),
        **entry,
    )


class Referee:
    """A trial process, started again when a bot has brought it down."""

    def __init__(self, user: User) -> None:
        self.user = user
        self._canary = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None
        self._stack = ExitStack()

    def play(self, trial: Trial) -> dict[str, Any] | None:
        """What came of the trial; None if its process did not live to tell."""
        if self._process is None:
            self._process = self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(trial.to_dict()).encode() + b"\n")
        process.stdin.flush()
        line = _line(process.stdout.fileno())
        if not line:
            self.end()
            return None
        result: dict[str, Any] = json.loads(line)
        return result

    def _start(self) -> subprocess.Popen[bytes]:
        words = self._stack.enter_context(_ordinary_user()) if self._drops else []
        return subprocess.Popen(
            [*words, sys.executable, "-P", "-m", "arena.audit.trial"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment(),
            cwd="/",
            start_new_session=True,
        )

    @property
    def _drops(self) -> bool:
        return self.user is User.ORDINARY and os.geteuid() == 0

    def _environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "HOME") if name in os.environ}
        if self._drops:
            kept["HOME"] = "/"
        return {**kept, "PYTHONPATH": str(_root()), CANARY: self._canary}

    def end(self) -> None:
        """End the process and all that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            tree.send(tree.descendants(process.pid), signal.SIGKILL)
            process.wait()
        process.stdout.close()
        sandbox.remove_tree(str(canary_folder(self._canary)))  # a trial that was killed did not
        self._stack.close()


def _line(fd: int) -> bytes:
    """A line from a pipe; nothing when it ends, or says nothing for very long."""
    data = b""
    while not data.endswith(b"\n"):
        if not select.select([fd], [], [], SILENT_S)[0]:
            return b""
        more = os.read(fd, 1 << 16)
        if not more:
            return b""
        data += more
    return data


def _root() -> Path:
    return Path(arena.__file__).resolve().parent.parent


@contextmanager
def _ordinary_user() -> Iterator[list[str]]:
    """As root: words that start a program as a user who owns nothing, where it can reach the arena."""
    program = find_program(Path("/"), ["{python}"])
    wants = needs(program)
    packages = [_root() / "arena", *python_packages().values(), *wants.shown]
    uid = reach.own_uid()
    space = reach.open_way(bad_bots().parent, packages, wants.links)
    if space is None:
        yield ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]
        return
    try:
        mount = f"--mount=/proc/{os.getpid()}/fd/{space}"
        yield ["nsenter", mount, f"--setuid={uid}", f"--setgid={uid}", "--"]
    finally:
        os.close(space)


def trial_of(case: Case, level: Level) -> Trial:
    """The block that a case is played in."""
    folder = bad_bots()
    good = folder / case.good if case.good else folder.parent / "random"
    cpus: tuple[int, ...] = ()
    if case.one_core and hasattr(os, "sched_getaffinity"):
        cpus = (max(os.sched_getaffinity(0)),)
    return Trial(
        bad=_ref(folder / case.bot, "bad"),
        good=_ref(good, "good"),
        isolation=level,
        games=case.games,
        limits={**_LIMITS, **case.limits},
        rules={**_RULES, **case.rules},
        started_before=case.started_before,
        cpus=cpus,
        block_seed=secrets.token_hex(32),
    )


def _ref(directory: Path, name: str) -> BotRef:
    manifest = read_manifest(directory)
    digest = ("a" if name == "bad" else "b") * 64
    return BotRef(name, "1", digest, str(directory), manifest.command, manifest.encoding.value)


def run_case(case: Case, level: Level, referee: Referee) -> Outcome:
    """Play one case."""
    if "refused" in case.verdict[level]:
        manifest = read_manifest(bad_bots() / case.bot)
        try:
            find_program(bad_bots() / case.bot, manifest.command)
        except StartError:
            return Outcome(case, level, referee.user, "refused", {}, False, (), ())
        return Outcome(case, level, referee.user, "accepted", {}, False, (), ("it was not refused",))
    result = referee.play(trial_of(case, level))
    if result is None:
        died = "referee died"
        problems = [] if died in case.verdict[level] else [died]
        return Outcome(case, level, referee.user, died, {}, False, (), tuple(problems))
    verdict, problems = _verdict(case, result)
    if verdict not in case.verdict[level]:
        problems.append(f"the verdict is {verdict}, not {' or '.join(case.verdict[level])}")
    through = _through(case, result)
    for attack, levels in case.stopped.items():
        if attack not in through:
            problems.append(f"it did not try: {attack}")
        elif level in levels and through[attack]:
            problems.append(f"got through: {attack}")
    caught = "bad" in result["frozen"] or verdict == "burned"
    if case.caught and not caught and _burned(result):
        problems.append("it was not caught")
    if caught and case.caught is False:
        problems.append("honest, but taken for one that ponders")
    if "good" in result["frozen"]:
        problems.append("the honest bot was frozen")
    # Below `strong` a bot may write where the arena does not look.
    left = tuple(result["left"])
    problems += [f"left: {what}" for what in left if level is Level.STRONG or what.startswith("process")]
    if result["grown_mb"] > GROWN_MB:
        problems.append(f"the referee's memory grew by {result['grown_mb']} MiB")
    return Outcome(case, level, referee.user, verdict, through, caught, left, tuple(problems))


def _burned(result: Mapping[str, Any]) -> bool:
    """Whether the bad bot's two seats had the core for long enough to be caught: on a crowded machine they
    may not have been able to do what they are tried for."""
    allowed = BACKGROUND_S + BACKGROUND_SHARE * float(result["seconds"])
    return bool(result["cpu_s"]["a"]["unasked"] > 2 * allowed + 0.1)


def _verdict(case: Case, result: Mapping[str, Any]) -> tuple[str, list[str]]:
    games = result["games"]
    problems: list[str] = []
    if result["end"] == "lost: start_failed":
        if result["bot"] != "bad":
            problems.append(f"the honest bot is blamed for a start: {result['text']}")
        return "no result", problems
    if result["end"] != "finished":
        return result["end"], [f"the block ended so: {result['end']}, {result.get('text', '')}"]
    if [(game["pair"], game["leg"]) for game in games] != list(case.games):
        problems.append("not every game has exactly one verdict")
    faults = [game for game in games if "fault_code" in game]
    for game in faults:
        if game["fault_bot"] != "a" or game["score_a"] != 0.0:
            problems.append(f"the honest bot is blamed: {game['fault_text']}")
    codes = sorted({game["fault_code"] for game in faults})
    return "+".join(codes) or "none", problems


_TRIED = re.compile(r"^(THROUGH|STOPPED) (.+?) \|(.*)$")


def _through(case: Case, result: Mapping[str, Any]) -> dict[str, bool]:
    """By attack, whether the bots say that it got through, or say what only one that did can know."""
    lines = [
        line for entry in result["stderr"] if entry["bot"] == "bad" for line in entry["text"].splitlines()
    ]
    found: dict[str, bool] = {}
    for line in lines:
        match = _TRIED.match(line)
        if match:
            found[match[2]] = found.get(match[2], False) or match[1] == "THROUGH"
    if "deals of the first leg" in case.stopped:
        found["deals of the first leg"] = any(line.startswith("REPEAT") for line in lines)
    if any(line.startswith(("FOUND", "NOTHING")) for line in lines):
        found["the tournament's seed"] = any(line.startswith("FOUND") for line in lines)
    sent = {int(line.split()[1]) for line in lines if line.startswith("SENT")}
    got = [line.split(" ", 2) for line in lines if line.startswith("GOT")]
    if sent and got:
        known = sent | {number & 0xFF for number in sent}
        heard = {name for _, number, name in got if int(number) in known}
        found |= {attack: attack in heard for attack in case.stopped}
    return found


def users() -> tuple[User, ...]:
    """For whom this process can play: an ordinary user for itself alone."""
    return (User.ROOT, User.ORDINARY) if os.geteuid() == 0 else (User.ORDINARY,)


def selftest(
    names: Sequence[str] = (), levels: Sequence[Level] = tuple(Level), whose: Sequence[User] = ()
) -> Iterator[Outcome]:
    """All cases, or those named, at each level, for each user, as they come; about 50 s a level and user.

    Raises ArenaError for an unknown name.
    """
    cases = read_cases(names)
    for level in levels:
        for user in whose or users():
            referee = Referee(user)
            try:
                for case in cases:
                    yield run_case(case, level, referee)
            finally:
                referee.end()
