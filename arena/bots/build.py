"""Building a bot: its `build` commands run sealed off, on a copy, and what they make is kept by digest.

Nothing is written into the bot's own folder. The commands see it as a seat would, copy it to their private
temporary directory, work there without a network, and hand the result back as a tar file on stdout, which is
unpacked with the care that a stranger's archive needs.
"""

from __future__ import annotations

import os
import platform
import select
import shlex
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from arena.bots.bundle import MAX_BYTES, bundle
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.process import SeatProcess, spawn, stop_all
from arena.bots.program import StartError, find_program
from arena.bots.resolve import Bot, arena_home
from arena.bots.unpack import Unpacker, untar
from arena.errors import ArenaError, Exit

BUILD_SECONDS = 300.0
BUILD_LIMITS = Limits(
    cpu_s=900, memory_mb=2048, processes=256, files=1024, file_bytes=512 << 20, tmp_bytes=512 << 20
)
_TICK_S = 0.1
_CHUNK = 1 << 16
_COMPILERS = {
    "c": ("cc",), "cpp": ("c++",), "rust": ("rustc", "cargo"), "java": ("javac", "java"), "go": ("go",),
    "typescript": ("node", "tsc"), "javascript": ("node",), "csharp": ("mcs", "mono"),
}  # fmt: skip
"""By language, what a Makefile or a script is likely to call: found for it where it is installed."""
_BEGIN = """\
build=$TMPDIR/build
mkdir "$build" &&
tar -cf - --exclude=.git --exclude=__pycache__ . | tar -xf - -C "$build" && cd "$build" || exit 99
exec 3>&1 1>&2
"""
_END = "exec 1>&3 3>&-\nexec tar -cf - .\n"
_FIRST_STEP = 100
"""The script's exit code when its first step fails; 101 is the second one, and so on."""


class BuildError(ArenaError):
    """A build that failed; `output` is what its commands printed, shortened in the middle if it is long."""

    def __init__(self, message: str, output: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.output = output


@dataclass(frozen=True, slots=True)
class Built:
    """A bot ready to be started."""

    directory: Path
    """Where the bot runs: its own folder, or that of its build."""
    seconds: float | None = None
    """What the build took; None where there was nothing to do."""
    output: str = ""
    """What the build printed: warnings, if all is well."""


def build(
    bot: Bot,
    level: Level,
    *,
    home: Path | None = None,
    limits: Limits = BUILD_LIMITS,
    seconds: float = BUILD_SECONDS,
    again: bool = False,
) -> Built:
    """The bot built, from the cache under `home` where it was built before (unless `again`).

    Raises BuildError where a command fails, takes too long or too much memory, or where the program that
    `command` names is not there afterwards; ArenaError where it is the machine that refuses.
    """
    if not bot.manifest.build:
        return Built(bot.directory)
    place = build_place(bot.digest, home)
    if again:
        shutil.rmtree(place, ignore_errors=True)
    elif place.is_dir():
        return Built(place)
    began = time.monotonic()
    with _work_room(place.parent) as room:
        made = room / "made"
        made.mkdir(mode=0o755)
        output = _run(bot, level, limits, seconds, room, made)
        if bundle(bot.directory).digest != bot.digest:
            raise ArenaError(f"bot `{bot.directory}`: it changed while it was built", hint="try again")
        bundle(made)  # refuses links that lead outside
        _look_for_program(bot, made, output)
        with suppress(FileExistsError, OSError):  # somebody else has built it meanwhile: just as good
            made.rename(place)
    if not place.is_dir():
        raise ArenaError(f"{place}: the build cannot be stored", exit_code=Exit.ENVIRONMENT)
    return Built(place, time.monotonic() - began, output)


def build_place(digest: str, home: Path | None = None) -> Path:
    """Where the build of a bot with these sources is kept, for machines like this one."""
    machine = f"{platform.system()}-{platform.machine()}".lower()
    return (home or arena_home()) / "builds" / machine / digest


@contextmanager
def _work_room(folder: Path) -> Iterator[Path]:
    """A directory of our own beside the builds, gone at the end."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        room = tempfile.mkdtemp(prefix=".making-", dir=folder)
    except OSError as error:
        raise ArenaError(
            f"{folder}: cannot be written to: {error.strerror}",
            hint="name another folder by --home or ARENA_HOME",
            exit_code=Exit.ENVIRONMENT,
        ) from None
    try:
        os.chmod(room, 0o755)
        yield Path(room)
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _run(bot: Bot, level: Level, limits: Limits, seconds: float, room: Path, made: Path) -> str:
    """Run the steps and unpack what they made into `made`; what they printed."""
    script, tools = _script(bot)
    with (room / "made.tar").open("w+b") as tar:
        command = ["/bin/sh", "-c", script]
        process = spawn(bot.directory, command, limits, level, name=bot.name, tools=tools, locks=True)
        try:
            trouble = _collect(process, tar, limits, seconds)
        finally:
            process.kill()
            stop_all([process], 0)
        output = process.stderr.text()
        if trouble:
            raise BuildError(f"bot `{bot.name}`: its build {trouble}", output)
        code = process.returncode or 0
        if code:
            step = code - _FIRST_STEP
            if 0 <= step < len(bot.manifest.build):
                raise BuildError(
                    f"bot `{bot.name}`: its build failed at: {shlex.join(bot.manifest.build[step])}", output
                )
            raise BuildError(f"bot `{bot.name}`: its build ended with status {code}", output)
        tar.seek(0)
        unpacker = Unpacker(made, f"the build of bot `{bot.name}`")
        try:
            untar(tar, unpacker)
            unpacker.finish()
        except (tarfile.TarError, ValueError, OSError) as error:
            raise BuildError(
                f"bot `{bot.name}`: what its build made cannot be kept: {error}", output
            ) from None
    return output


def _script(bot: Bot) -> tuple[str, list[Path]]:
    """The shell script of a build, and the programs outside the system that it may call."""
    lines: list[str] = []
    tools: list[Path] = []
    for number, step in enumerate(bot.manifest.build):
        words = [word.replace("{python}", sys.executable) for word in step]
        if not step[0].startswith(("./", "../")) and ("/" not in step[0] or os.path.isabs(step[0])):
            program = find_program(bot.directory, step)
            words[0] = program.argv[0]
            tools += program.tools
        shown = shlex.quote(f"+ {shlex.join(step)}")
        failed = f'{{ echo "exit code $?"; exit {_FIRST_STEP + number}; }}'
        lines.append(f"echo {shown}\n{shlex.join(words)} 3>&- </dev/null || {failed}\n")
    for name in _COMPILERS.get(bot.manifest.language or "", ()):
        with suppress(StartError):
            tools += find_program(bot.directory, [name]).tools
    return _BEGIN + "".join(lines) + _END, tools


def _collect(process: SeatProcess, tar: IO[bytes], limits: Limits, seconds: float) -> str:
    """Take what comes on stdout until it ends; what was wrong, or nothing."""
    deadline = time.monotonic() + seconds
    size = 0
    poll = select.poll()
    for fd in (process.stdout_fd, process.stderr_fd):
        poll.register(fd, select.POLLIN)
    process.close_stdin()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return f"took longer than {seconds:.0f} s"
        for fd, _ in poll.poll(min(left, _TICK_S) * 1000):
            if fd == process.stderr_fd:
                if not process.drain_stderr():
                    poll.unregister(fd)
                continue
            data = os.read(fd, _CHUNK)
            if not data:
                return _ended(process, deadline)
            size += len(data)
            if size > MAX_BYTES:
                return f"made more than {MAX_BYTES >> 20} MiB"
            tar.write(data)
        used = process.memory_bytes()
        if used is not None and used > limits.memory_mb << 20:
            return f"used more than {limits.memory_mb} MiB of memory"


def _ended(process: SeatProcess, deadline: float) -> str:
    """Wait for the exit status once stdout has ended."""
    while process.returncode is None:
        process.drain_stderr()
        if time.monotonic() > deadline:
            return "closed its stdout and did not end"
        time.sleep(0.005)
    process.drain_stderr()
    return ""


def _look_for_program(bot: Bot, made: Path, output: str) -> None:
    try:
        find_program(made, bot.manifest.command)
    except StartError as error:
        text = error.message.replace(str(made), bot.name)
        raise BuildError(f"{text} after its build", output, hint=error.hint) from None
