"""The system-call filter of a sealed bot, as a classic BPF program for `bwrap --seccomp`.

What is denied fails with EPERM, so that runtimes go on without it; calls younger than this table fail with
ENOSYS, as on an older system; a new session is not begun, but said to be. Denied are the calls by which two
seats on one machine could talk (locks and watches on files that both can read, System V and POSIX queues,
keyrings, sockets other than their own local ones), those by which a bot could see or change more than its own
processes, and those that have no use in a bot but a long history of holes. Sources: seccomp(2),
linux/filter.h, linux/seccomp.h, the system-call tables of Linux 6.18 (asm/unistd_64.h, asm-generic/unistd.h).
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

_DENIED = {
    # name: (x86-64, AArch64)
    "ptrace": (101, 117),
    "personality": (135, 92),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),  # the machine has so many requests open at a time, and no more
    "io_destroy": (207, 1),
    "io_submit": (209, 2),
    "io_cancel": (210, 3),
    "io_getevents": (208, 4),
    "io_pgetevents": (333, 292),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "unshare": (272, 97),
    "setns": (308, 268),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),  # its inode counts the machine's processes
    "ustat": (136, None),  # tells of any mount, the partner's own too
    "pidfd_getfd": (438, 438),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "sysinfo": (99, 179),
    "flock": (73, 32),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "sched_setaffinity": (203, 122),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "vmsplice": (278, 75),
    "cachestat": (451, 451),
    "mincore": (27, 232),
    "lookup_dcookie": (212, 18),
    "ioperm": (173, None),
    "iopl": (172, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "open_tree_attr": (467, 467),
    "file_getattr": (468, 468),
    "file_setattr": (469, 469),
    "listns": (470, 470),
}
_UNKNOWN = 471
"""From this number on, calls are younger than the table above (Linux 6.18); the same on both machines."""
_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ALLOW, _ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
_NR, _ARCH, _ARG0, _ARG1, _ARG2, _ARG3, _ARG5 = 0, 4, 16, 24, 32, 40, 56
"""Offsets in struct seccomp_data; of an argument, its low half on a little-endian machine."""
_NEW_NAMESPACES = 0x7E020000 | 0x80
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME."""
_AF_UNIX = 1
_MAP_HUGETLB = 0x40000
"""Huge pages come out of one pool of the whole machine."""
_PR_SET_CHILD_SUBREAPER = 36
_FCNTL_DENIED = (6, 7, 37, 38, 1024, 1026, 1036, 1038)
"""F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY; F_SET_RW_HINT and F_SET_FILE_RW_HINT,
which stay with the file."""
_CACHE_ADVICE = (20, 21)
"""MADV_COLD, MADV_PAGEOUT."""
_RWF_NOWAIT = 8
_IOCTL_DENIED = (0xC020660B, 0xC020662A, 0x6612, 0x40046629)
"""FS_IOC_FIEMAP and ext4's three that ask for, fill and empty its cache of extents."""
_SETSOCKOPT_DENIED = (26, 50, 76)
"""SO_ATTACH_FILTER, SO_ATTACH_BPF (memory that nothing counts), SO_PASSPIDFD."""
_GETSOCKOPT_DENIED = (57, 77)
"""SO_COOKIE, a counter of the whole machine; SO_PEERPIDFD."""


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    column: int
    socket: int
    fcntl: int
    clone: int
    clone3: int
    mmap: int
    prctl: int
    setsid: int
    fadvise64: int
    readahead: int
    madvise: int
    preadv2: int
    ioctl: int
    setsockopt: int
    getsockopt: int


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E, 0, 41, 72, 56, 435, 9, 157, 112, 221, 187, 28, 327, 16, 54, 55
    ),
    "aarch64": _Machine(
        0xC00000B7, 1, 198, 25, 220, 435, 222, 167, 157, 223, 213, 233, 286, 29, 208, 209
    ),
}


@cache
def filter_program(machine: str, *, locks: bool = False) -> bytes | None:
    """The filter for a machine (as `platform.machine` names it), or None where its numbers are not known.

    `locks` allows file locks: for a build, which has no partner to talk to, and whose tools take them.
    """
    m = _MACHINES.get(machine)
    if m is None:
        return None
    code = _Assembler()
    code.load(_ARCH)
    code.jump(_JEQ, m.audit, unless="kill")
    code.load(_NR)
    if m.column == 0:
        code.jump(_JGE, 0x40000000, to="kill")  # the x32 calls
    for name, numbers in _DENIED.items():
        number = numbers[m.column]
        if number is not None and not (locks and name == "flock"):
            code.jump(_JEQ, number, to="eperm")
    code.jump(_JGE, _UNKNOWN, to="enosys")
    # /proc/self/autogroup numbers the sessions of the whole machine. Daemons can do without a new one.
    code.jump(_JEQ, m.setsid, to="nothing")
    # What is in the machine's page cache outlives a seat and is seen by others: no filling or emptying of it
    # by request (advice need not be taken), and no asking.
    code.jump(_JEQ, m.fadvise64, to="nothing")
    code.jump(_JEQ, m.readahead, to="nothing")
    code.jump(_JEQ, m.madvise, to="madvise")
    code.jump(_JEQ, m.preadv2, to="preadv2")
    code.jump(_JEQ, m.ioctl, to="ioctl")
    code.jump(_JEQ, m.setsockopt, to="setsockopt")
    code.jump(_JEQ, m.getsockopt, to="getsockopt")
    code.jump(_JEQ, m.clone3, to="enosys")  # its flags cannot be seen: the C library falls back to clone
    code.jump(_JEQ, m.clone, to="clone")
    code.jump(_JEQ, m.socket, to="socket")
    code.jump(_JEQ, m.mmap, to="mmap")
    code.jump(_JEQ, m.prctl, to="prctl")
    code.jump(_JEQ, m.fcntl, to="fcntl", unless="allow")
    code.label("clone")
    code.load(_ARG0)
    code.jump(_JSET, _NEW_NAMESPACES, to="eperm", unless="allow")
    code.label("mmap")
    code.load(_ARG3)
    code.jump(_JSET, _MAP_HUGETLB, to="eperm", unless="allow")
    code.refuse("madvise", _ARG2, _CACHE_ADVICE, to="nothing")
    code.label("preadv2")
    code.load(_ARG5)
    code.jump(_JSET, _RWF_NOWAIT, to="eperm", unless="allow")
    code.refuse("ioctl", _ARG1, _IOCTL_DENIED)
    code.refuse("setsockopt", _ARG2, _SETSOCKOPT_DENIED)
    code.refuse("getsockopt", _ARG2, _GETSOCKOPT_DENIED)
    code.label("prctl")  # a subreaper that ignores its children loses the CPU time that they used
    code.load(_ARG0)
    code.jump(_JEQ, _PR_SET_CHILD_SUBREAPER, to="eperm", unless="allow")
    code.label("socket")
    code.load(_ARG0)
    code.jump(_JEQ, _AF_UNIX, to="allow", unless="eafnosupport")
    code.label("fcntl")
    code.load(_ARG1)
    for command in _FCNTL_DENIED[4 if locks else 0 :]:
        code.jump(_JEQ, command, to="eperm")
    code.result("allow", _ALLOW)
    code.result("nothing", _ERRNO)  # not done, and said to have succeeded
    code.result("eperm", _ERRNO | errno.EPERM)
    code.result("enosys", _ERRNO | errno.ENOSYS)
    code.result("eafnosupport", _ERRNO | errno.EAFNOSUPPORT)
    code.result("kill", _KILL)
    return code.assemble()


class _Assembler:
    """Instructions with forward labels; an offset must fit in eight bits."""

    def __init__(self) -> None:
        self._code: list[tuple[int, str, str, int]] = []
        self._labels: dict[str, int] = {}

    def load(self, offset: int) -> None:
        self._code.append((_LD, "", "", offset))

    def jump(self, test: int, value: int, *, to: str = "", unless: str = "") -> None:
        self._code.append((test, to, unless, value))

    def refuse(self, name: str, argument: int, values: Iterable[int], *, to: str = "eperm") -> None:
        """The call at label `name`: `to` for these values of an argument, else allowed."""
        self.label(name)
        self.load(argument)
        for value in values:
            self.jump(_JEQ, value, to=to)
        self.jump(_JEQ, 0, to="allow", unless="allow")

    def label(self, name: str) -> None:
        self._labels[name] = len(self._code)

    def result(self, name: str, value: int) -> None:
        self.label(name)
        self._code.append((_RET, "", "", value))

    def assemble(self) -> bytes:
        def offset(at: int, name: str) -> int:
            return self._labels[name] - at - 1 if name else 0

        return b"".join(
            struct.pack("<HBBI", test, offset(at, to), offset(at, unless), value)
            for at, (test, to, unless, value) in enumerate(self._code)
        )
