"""How a seat is started at each isolation level: argument list, environment, what must be cleared up."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.program import SYSTEM_PATH, Program

_OUTER = "echo 1000 2>/dev/null >/proc/self/oom_score_adj\n"
"""The kernel's OOM killer takes a bot before anything else."""


@dataclass(slots=True)
class Box:
    """A start made ready. `release` frees what a start that never happened, or has ended, held."""

    argv: list[str]
    env: dict[str, str]
    cwd: str
    token: str
    """Stands in the environment of everything started here: finds what has left the process tree."""
    private: str = ""
    """A directory on the host made for this seat alone; removed with it."""
    pass_fds: list[int] = field(default_factory=list)
    """Given to the child, closed here once it is started."""
    info_fd: int = -1

    def started(self) -> None:
        """Close what only the child needed."""
        while self.pass_fds:
            os.close(self.pass_fds.pop())

    def release(self) -> None:
        self.started()
        if self.private:
            remove_tree(self.private)
            self.private = ""


def prepare(level: Level, directory: Path, program: Program, limits: Limits) -> Box:
    """The start of one seat at `level`. Raises OSError when the host refuses (disk full, no more files)."""
    return _basic(directory, program, limits)


def environment(program: Program, tmp: str, library: str) -> dict[str, str]:
    """All that a bot finds in its environment: the same on every machine but for where its tools lie."""
    folders = dict.fromkeys([*(str(tool.parent) for tool in program.tools), *SYSTEM_PATH])
    return {
        "PATH": ":".join(folders),
        "HOME": tmp,
        "TMPDIR": tmp,
        "LANG": "C.UTF-8",
        "PYTHONPATH": library,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def python_packages() -> dict[str, Path]:
    """What a Python bot may import of the arena's installation: the protocol, and msgpack, which it needs."""
    found = {}
    for name in ("protocol", "msgpack"):
        spec = find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            found[name] = Path(next(iter(spec.submodule_search_locations)))
    return found


def _basic(directory: Path, program: Program, limits: Limits) -> Box:
    private = tempfile.mkdtemp(prefix=f"arena-seat-{secrets.token_hex(4)}-")
    tmp, library = os.path.join(private, "tmp"), os.path.join(private, "lib")
    os.mkdir(tmp)
    os.mkdir(library)
    for name, path in python_packages().items():
        os.symlink(path, os.path.join(library, name))
    return Box(
        argv=["/bin/sh", "-c", _OUTER + _ulimits(limits) + 'exec "$@"', "sh", *program.argv],
        env=environment(program, tmp, library),
        cwd=str(directory),
        token=f"TMPDIR={tmp}",
        private=private,
    )


def _ulimits(limits: Limits) -> str:
    """Resource limits as shell commands; each may be refused (macOS has no limit on data)."""
    wanted = [
        ("-t", limits.cpu_s),
        ("-f", limits.file_bytes // 512),
        ("-n", limits.files),
        ("-c", 0),
        ("-d", limits.memory_mb * 1024),
    ]
    return "".join(f"ulimit {option} {value} 2>/dev/null\n" for option, value in wanted)


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
        _quiet([*command, "--", path])


def _quiet(argv: Sequence[str]) -> None:
    subprocess.run(
        argv, env={"PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


LINUX = sys.platform == "linux"
