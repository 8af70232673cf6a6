"""A seat's guard: a shell that waits for the arena's end of a pipe to close, and then clears up.

However the process that started a seat ends (SIGKILL included), the kernel closes its end of the pipe; the
guard then kills what is left of the seat and removes its files. It is the same on every system, it is there
before anything that it would have to clear up, and a bot cannot reach it where bots run as another user or in
a sandbox.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterable

_SCRIPT = r"""
token=$1 private=$2 pids=
shift 2
trap '' INT TERM HUP QUIT
while read -r pid; do pids="$pids $pid"; done
for pid in $pids; do kill -KILL "-$pid" "$pid" 2>/dev/null; done
# The seat may be in the middle of its start: it is looked for until it has had time to become visible.
for pause in 0 0.05 0.1 0.2 0.5 1; do
    sleep $pause
    for group in "$@"; do
        if [ -d "$group" ]; then
            { echo 1 >"$group/cgroup.kill"; rmdir "$group"; } 2>/dev/null
        fi
    done
    if [ -d /proc/self ]; then
        for file in $(grep -lsF -e "$token" /proc/[0-9]*/environ 2>/dev/null); do
            pid=${file#/proc/}
            kill -KILL "${pid%/environ}" 2>/dev/null
        done
    fi
    if [ -d "$private" ]; then
        { rm -rf -- "$private" || { chmod -R u+rwX -- "$private"; rm -rf -- "$private"; }; } 2>/dev/null
    fi
done
"""


class Guard:
    """Armed from its making to `disarm`."""

    __slots__ = ("_fd", "_process")

    def __init__(self, token: str, *, private: str, groups: Iterable[str]) -> None:
        """`token` stands in the environment of all processes of the seat; `private` is the directory and
        `groups` are the control groups that it may come to have."""
        read_end, self._fd = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "sh", token, private, *groups],
                stdin=read_end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": "/usr/bin:/bin"},
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            os.close(self._fd)
            raise
        finally:
            os.close(read_end)

    def watch(self, pid: int) -> None:
        """Kill this process and its group as well."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._fd, b"%d\n" % pid)

    def disarm(self) -> None:
        """The seat is gone: the guard is not needed any more. May be called again."""
        if self._fd >= 0:
            self._process.send_signal(signal.SIGKILL)
            os.close(self._fd)
            self._fd = -1
            self._process.wait()
