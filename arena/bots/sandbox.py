"""How a seat is started at each isolation level: argument list, environment, what must be cleared up."""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from arena.bots import cgroup, reach
from arena.bots.bubblewrap import LIBRARY, Seal, find_bwrap, sources
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.program import SYSTEM_PATH, Program
from arena.bots.toolchain import needs, python_packages

LINUX = sys.platform == "linux"
_OUTER = """\
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
[ -z "$1" ] || echo 0 >"$1/cgroup.procs" || exit 126
shift
exec "$@"
"""
"""Before anything of the bot's: the kernel's OOM killer takes a bot first; join the seat's group."""
_MARKS = 4096
"""So many bytes below our own limit are the marks of seats."""
_SIGNALS = 256
"""Signals that a seat may have waiting: far from what its user may, who would be out of them for others."""
_INNER = 'cd "$1" || exit 126; unset PWD OLDPWD; shift; exec "$@"'


@dataclass(slots=True)
class Box:
    """A start made ready. `release` frees what a start that never happened, or has ended, held."""

    argv: list[str]
    env: dict[str, str]
    token: str
    """Stands in the environment of everything started here (in TMPDIR, or outside the seal): finds what has
    left the process tree."""
    uid: int = field(default_factory=os.geteuid)
    """The host's user id as which the bot runs."""
    private: str = ""
    """A directory on the host made for this seat alone; removed with it."""
    mark: tuple[int, int] = (-1, -1)
    """At `basic` its limit on message queues, which hardly another seat has, and one below those of all seats
    (-1 where there is none). Its descendants cannot raise it: a mark that they cannot take off."""
    group: cgroup.Group | None = None
    pass_fds: list[int] = field(default_factory=list)
    """Open in the child; closed here once it is started."""
    keep_fds: list[int] = field(default_factory=list)
    """Open here until the seat has ended."""

    def started(self) -> None:
        """Close what only the child needed."""
        while self.pass_fds:
            os.close(self.pass_fds.pop())

    def release(self) -> None:
        self.started()
        while self.keep_fds:
            os.close(self.keep_fds.pop())
        if self.group is not None:
            self.group.remove()
        if self.private:
            remove_tree(self.private)
            self.private = ""


def new_token() -> str:
    """A name for one seat's start that nothing else has."""
    return f"arena-seat-{secrets.token_hex(8)}"


def private_place(token: str) -> str:
    """The directory on the host that a seat has to itself, where it has one."""
    return os.path.join(tempfile.gettempdir(), token)


def prepare(
    token: str, level: Level, directory: Path, program: Program, limits: Limits, *, locks: bool = False
) -> Box:
    """The start of one seat at `level`; `locks` lets it lock files.

    Raises OSError when the host refuses (disk full, no more files).
    """
    directory = Path(os.path.realpath(directory))
    box = Box(argv=[], env={"PATH": ":".join(SYSTEM_PATH), "LANG": "C.UTF-8"}, token=token)
    try:
        if LINUX:
            box.group = cgroup.make(token, limits)
        if level is Level.STRONG:
            inner = _strong(box, directory, program, limits, locks)
        else:
            inner = _shared(box, level, directory, program, limits)
    except BaseException:
        box.release()
        raise
    box.argv = ["/bin/sh", "-c", _OUTER, "sh", box.group.path if box.group else "", *inner]
    if level is Level.STRONG:
        box.env["ARENA_SEAT"] = token  # elsewhere TMPDIR holds the token
    return box


def _strong(box: Box, directory: Path, program: Program, limits: Limits, locks: bool) -> list[str]:
    bwrap = find_bwrap()
    if bwrap is None:
        raise FileNotFoundError(2, "bubblewrap is not installed")
    wants = needs(program)
    drop = _drop(box, directory, [*sources(wants), Path(bwrap)], ())
    env = environment(program, limits, "/tmp", LIBRARY)
    seal = Seal(bwrap, directory, wants, limits, env, locks=locks)
    box.pass_fds += seal.fds
    return [*drop, *seal.argv, *_limited(limits, processes=limits.processes), *program.argv]


def _shared(box: Box, level: Level, directory: Path, program: Program, limits: Limits) -> list[str]:
    """Levels at which the bot sees the machine's files: it gets a directory of its own for temporary ones."""
    place = private_place(box.token)
    os.mkdir(place, 0o755)
    box.private = place
    tmp, library = os.path.join(box.private, "tmp"), os.path.join(box.private, "lib")
    os.mkdir(tmp, 0o700)
    os.mkdir(library)
    for folder in (place, library):
        os.chmod(folder, 0o755)  # whatever the umask is
    packages = python_packages()
    for package, path in packages.items():
        os.symlink(path, os.path.join(library, package))
    wants = needs(program)
    shown = [*wants.shown, *packages.values(), Path(box.private)]
    drop = _drop(box, directory, shown, wants.links, own=tmp, optional=level is Level.BASIC)
    box.env = environment(program, limits, tmp, library)
    enter = ["/bin/sh", "-c", _INNER, "sh", str(directory)]
    if level is Level.BASIC:
        # The limit counts all processes of a user: one who has others gets room beside them.
        room = 0 if box.uid != os.geteuid() else _tasks() + 3 * limits.processes
        box.mark = _mark(box.token)
        marked = (f"--msgqueue={box.mark[0]}",) if box.mark[0] >= 0 else ()
        limited = _limited(limits, *marked, processes=room + limits.processes)
        return [*drop, *enter, *limited, *program.argv]
    return [
        *drop,
        "unshare", "--user", "--map-current-user", "--mount", "--pid", "--net", "--ipc", "--uts",
        "--mount-proc", "--fork", "--kill-child", "--",
        *enter,
        *_limited(limits, processes=limits.processes),
        "setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--",
        *program.argv,
    ]  # fmt: skip


def _drop(
    box: Box,
    directory: Path,
    shown: list[Path],
    links: tuple[tuple[Path, Path], ...],
    own: str = "",
    optional: bool = False,
) -> list[str]:
    """As root: words that go on as a user who owns nothing, in a place where `shown` can be reached."""
    if not LINUX or os.geteuid() != 0:
        return []
    uid = reach.own_uid()
    try:
        space = reach.open_way(directory, shown, links)
    except OSError:
        if not optional:
            raise
        return []  # a container that forbids mounts: the probe tells
    box.uid = uid
    if own:
        os.chown(own, uid, uid)
    if space is None:
        return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]
    box.keep_fds.append(space)
    # By our own /proc entry: an inherited descriptor would still be open in the bot.
    return ["nsenter", f"--mount=/proc/{os.getpid()}/fd/{space}", f"--setuid={uid}", f"--setgid={uid}", "--"]


def environment(program: Program, limits: Limits, tmp: str, library: str) -> dict[str, str]:
    """All that a bot finds in its environment: the same on every machine but for where its tools lie."""
    tools = dict.fromkeys(str(tool.parent) for tool in program.tools)
    folders = [*(folder for folder in tools if folder not in SYSTEM_PATH), *SYSTEM_PATH]
    return {
        "PATH": ":".join(folders),
        "HOME": tmp,
        "TMPDIR": tmp,
        "LANG": "C.UTF-8",
        "PYTHONPATH": library,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "JDK_JAVA_OPTIONS": _java_options(program, limits),
    }


def _java_options(program: Program, limits: Limits) -> str:
    """A JVM sizes itself by the machine's memory, which `strong` does not tell it: the seat's limit stands
    instead. Its shared performance file needs a lock, and complains on stdout when it gets none."""
    options = [f"-XX:MaxRAM={limits.memory_mb}m", "-XX:-UsePerfData"]
    direct = bool(program.tools) and program.tools[0].name == "java"
    if direct and not any(word.startswith("-XX:+Use") and word.endswith("GC") for word in program.argv):
        options.append("-XX:+UseSerialGC")  # what a JVM chooses on a machine of this size
    return " ".join(options)


def _limited(limits: Limits, *more: str, processes: int) -> list[str]:
    """Words that set resource limits, soft and hard, on what follows them; `more` of them on Linux.

    Memory is bounded by data, not by address space, which runtimes with a collector reserve generously.
    """
    if LINUX:
        return [
            "prlimit", f"--cpu={limits.cpu_s}", f"--nproc={processes}", f"--fsize={limits.file_bytes}",
            f"--nofile={limits.files}", "--core=0", f"--data={limits.memory_mb << 20}",
            f"--sigpending={_SIGNALS}", *more, "--",
        ]  # fmt: skip
    wanted = (("-t", limits.cpu_s), ("-f", limits.file_bytes // 512), ("-n", limits.files), ("-c", 0))
    script = "".join(f"ulimit {option} {value} 2>/dev/null\n" for option, value in wanted)
    return ["/bin/sh", "-c", script + 'exec "$@"', "sh"]


def _mark(token: str) -> tuple[int, int]:
    """See `Box.mark`."""
    if not LINUX:
        return -1, -1
    most = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]
    if most == resource.RLIM_INFINITY:
        most = 1 << 20
    floor = most - _MARKS
    return (floor + zlib.crc32(token.encode()) % _MARKS, floor) if floor > 0 else (-1, -1)


def _tasks() -> int:
    """Threads on this machine: without a namespace, a limit on processes counts all of the user's."""
    with contextlib.suppress(OSError, ValueError), open("/proc/loadavg") as file:
        return int(file.read().split()[3].split("/")[1])
    return 4096


def remove_tree(path: str) -> None:
    """Remove a directory that a bot has written to, whatever it left there: deep, or without permissions."""
    try:
        shutil.rmtree(path)
        return
    except FileNotFoundError:
        return
    except (OSError, RecursionError):
        pass
    for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        subprocess.run(
            [*command, "--", path],
            env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
