"""A seat's guard: a shell that waits for the arena's end of a pipe to close, and then clears up.

However the process that started a seat ends (SIGKILL included), the kernel closes its end of the pipe; the
guard then kills what is left of the seat and removes its files. It is the same on every system, has no moment
at which it is not yet armed, and a bot cannot reach it where bots run as another user or in a sandbox.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

_SCRIPT = r"""
token=$1 private=$2 cgroup=$3 pids=
trap '' INT TERM HUP QUIT
while read -r pid; do pids="$pids $pid"; done
for pid in $pids; do kill -KILL "-$pid" "$pid" 2>/dev/null; done
if [ -n "$cgroup" ]; then echo 1 >"$cgroup/cgroup.kill" 2>/dev/null; fi
if [ -d /proc/self ]; then
    for pass in 1 2 3 4 5; do
        left=
        for file in $(grep -lsF -e "$token" /proc/[0-9]*/environ 2>/dev/null); do
            pid=${file#/proc/}; pid=${pid%/environ}
            kill -KILL "$pid" 2>/dev/null && left=1
        done
        [ -z "$left" ] && break
    done
fi
if [ -n "$private" ]; then
    rm -rf -- "$private" 2>/dev/null || { chmod -R u+rwX -- "$private"; rm -rf -- "$private"; } 2>/dev/null
fi
if [ -n "$cgroup" ]; then
    for pass in 1 2 3 4 5 6 7 8 9 10; do rmdir "$cgroup" 2>/dev/null && break; sleep 0.1; done
fi
"""


class Guard:
    """Armed from its making to `disarm`."""

    __slots__ = ("_fd", "_process")

    def __init__(self, token: str, *, private: str = "", cgroup: str = "") -> None:
        read_end, self._fd = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "sh", token, private, cgroup],
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
