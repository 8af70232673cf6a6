"""Builds: a bot's own commands, run once a digest in a copy of its directory; the source is never touched.

The commands run with the rights of whoever starts the arena, as a compiler at a shell prompt would.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from arena.bots.bundle import IGNORED, bundle
from arena.bots.resolve import Bot, arena_home
from arena.errors import ArenaError, Exit

BUILD_S = 900.0
"""The longest that one command may take."""
SAID_LINES = 12
"""How much of a failed build's output is shown."""


def built(bot: Bot, home: Path | None = None, *, limit_s: float = BUILD_S) -> Path:
    """The directory that the bot runs in: its own, or the built copy under `home`, made if it is missing.

    Raises ArenaError with the end of the output where a command fails or takes too long; nothing is left of
    such a build but its output.
    """
    if not bot.manifest.build:
        return bot.directory
    builds = (home or arena_home()) / "builds"
    target = builds / bot.digest
    if target.is_dir():
        return target
    try:
        builds.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{bot.digest[:12]}-", dir=builds) as folder:
            copy = Path(folder) / bot.digest
            shutil.copytree(
                bot.directory, copy, symlinks=True, ignore=lambda _, names: IGNORED.intersection(names)
            )
            if bundle(copy).digest != bot.digest:
                raise ArenaError(f"bot `{bot.directory}`: its files changed while they were copied")
            output = builds / f"{bot.digest[:12]}.log"
            with output.open("wb") as log:
                for step in bot.manifest.build:
                    _run(bot, step, copy, log.fileno(), output, limit_s)
            with contextlib.suppress(FileExistsError, OSError):
                copy.rename(target)
    except OSError as error:
        raise ArenaError(
            f"{builds}: the build of `{bot.name}` cannot be kept: {error.strerror or error}",
            hint="free some space, or give another --home",
            exit_code=Exit.ENVIRONMENT,
        ) from None
    if not target.is_dir():
        raise ArenaError(f"{target}: the build of `{bot.name}` cannot be kept", exit_code=Exit.ENVIRONMENT)
    return target


def _run(bot: Bot, step: tuple[str, ...], folder: Path, log: int, output: Path, limit_s: float) -> None:
    command = [word.replace("{python}", sys.executable) for word in step]
    shown = shlex.join(step)
    os.write(log, f"$ {shown}\n".encode())
    try:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    except OSError as error:
        raise ArenaError(
            f"bot `{bot.name}`: its build cannot run `{shown}`: {error.strerror or error}",
            hint=f"install `{step[0]}`, or correct `build` in {bot.directory / 'bot.toml'}",
        ) from None
    try:
        code = process.wait(limit_s)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if code != 0:
        why = f"took longer than {limit_s:g} s" if code is None else f"ended with exit code {code}"
        said = output.read_text("utf-8", "replace").splitlines()[-SAID_LINES:]
        raise ArenaError(
            f"bot `{bot.name}`: its build failed: `{shown}` {why}\n"
            + "\n".join(f"  {line}" for line in said),
            hint=f"all of its output is in {output}",
        )
