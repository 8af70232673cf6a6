"""Tries doors of the kernel: user namespaces, io_uring, ptrace, keyrings, bpf, perf, mounts."""

import ctypes
import os
import sys

from protocol import View, run

done: list[int] = []
libc = ctypes.CDLL(None, use_errno=True)
CALLS = {
    "x86_64": {"unshare": 272, "io_uring": 425, "ptrace": 101, "bpf": 321, "perf": 298, "userfaultfd": 323, "mount": 165},
    "aarch64": {"unshare": 97, "io_uring": 425, "ptrace": 117, "bpf": 280, "perf": 241, "userfaultfd": 282, "mount": 40},
}


def tried(what: str, *arguments: object) -> None:
    """In a child: what gets through would change this process."""
    pid = os.fork()
    if pid == 0:
        ctypes.set_errno(0)
        os._exit(0 if libc.syscall(*arguments) >= 0 else min(ctypes.get_errno(), 255) or 255)
    status = os.waitpid(pid, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    seen = os.strerror(code) if code > 0 else code
    print("THROUGH" if code == 0 else "STOPPED", what, "|", seen, file=sys.stderr, flush=True)


def choose(view: View) -> str:
    if not done:
        done.append(1)
        number = CALLS.get(os.uname().machine, {})
        if number:
            buffer = ctypes.create_string_buffer(256)
            tried("a new user namespace", number["unshare"], 0x10000000)
            tried("io_uring", number["io_uring"], 4, buffer)
            tried("ptrace", number["ptrace"], 0, 0, 0, 0)
            tried("bpf", number["bpf"], 0, buffer, 128)
            tried("performance counters", number["perf"], buffer, 0, -1, -1, 0)
            tried("userfaultfd", number["userfaultfd"], 1)
            tried("a mount", number["mount"], b"none", b"/tmp", b"tmpfs", 0, 0)
    return view.legal[0]


run(choose)
