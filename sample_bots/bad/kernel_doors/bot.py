"""Tries doors of the kernel that have a history of holes, or that two seats could talk by."""

import ctypes
import os
import sys

from protocol import View, run

done: list[int] = []
libc = ctypes.CDLL(None, use_errno=True)
CALLS = {
    # name: its number on x86-64 and AArch64
    "unshare": (272, 97),
    "io_uring": (425, 425),
    "io_setup": (206, 0),
    "ptrace": (101, 117),
    "bpf": (321, 280),
    "perf": (298, 241),
    "userfaultfd": (323, 282),
    "mount": (165, 40),
    "mmap": (9, 222),
    "prctl": (157, 167),
}
MACHINES = {"x86_64": 0, "aarch64": 1}
NO_MEMORY = 12


def tried(what: str, name: str, *arguments: object, through: int = 0) -> None:
    """In a child: what gets through would change this process. `through`: an error that says so too."""
    number = CALLS[name][MACHINES[os.uname().machine]]
    pid = os.fork()
    if pid == 0:
        ctypes.set_errno(0)
        os._exit(0 if libc.syscall(number, *arguments) != -1 else min(ctypes.get_errno(), 255) or 255)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    seen = os.strerror(code) if code > 0 else code
    print("THROUGH" if code in (0, through) else "STOPPED", what, "|", seen, file=sys.stderr, flush=True)


def terminal() -> None:
    try:
        os.openpty()
        print("THROUGH a terminal |", file=sys.stderr, flush=True)
    except OSError as error:
        print("STOPPED a terminal |", error, file=sys.stderr, flush=True)


def choose(view: View) -> str:
    if not done:
        done.append(1)
        terminal()
        if os.uname().machine in MACHINES:
            buffer = ctypes.create_string_buffer(256)
            tried("a new user namespace", "unshare", 0x10000000)
            tried("io_uring", "io_uring", 4, buffer)
            tried("asynchronous requests", "io_setup", 1, buffer)
            tried("ptrace", "ptrace", 0, 0, 0, 0)
            tried("bpf", "bpf", 0, buffer, 128)
            tried("performance counters", "perf", buffer, 0, -1, -1, 0)
            tried("userfaultfd", "userfaultfd", 1)
            tried("a mount", "mount", b"none", b"/tmp", b"tmpfs", 0, 0)
            tried("adopting orphans", "prctl", 36, 1, 0, 0, 0)
            size = ctypes.c_long(2 << 20)
            tried("huge pages", "mmap", None, size, 3, 0x40022, -1, 0, through=NO_MEMORY)
    return view.legal[0]


run(choose)
