"""Level `strong`: what a seat can reach, and by which ways two seats of one team could talk.

The twelve channels, and the host-wide counters, are each tried as two bots would use them. The same attempts
between two seats at level `basic` are the control: there, most of them work.
"""

from __future__ import annotations

import errno
import os
import secrets
import select
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.process import spawn, stop_all
from arena.bots.seccomp import filter_program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this level")

Puppets = Callable[..., Any]
Team = Callable[[Level], tuple[Any, Any]]

CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    value = getattr(libc, name)(*arguments)
    if value == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value
"""
LOCK = """
    import fcntl
    file = open({path!r})
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""
LOCKED = """
    import fcntl
    try:
        fcntl.flock(open({path!r}), fcntl.LOCK_EX | fcntl.LOCK_NB)
        result = False
    except BlockingIOError:
        result = True
    except PermissionError:
        result = False
"""
# name: (what the first seat does, what the second finds: True when the word arrived)
CHANNELS = {
    "file in /tmp": (
        "open('/tmp/{word}', 'w').close()",
        "import os; result = os.path.exists('/tmp/{word}')",
    ),
    "file in /dev/shm": (
        "open('/dev/shm/{word}', 'w').close()",
        "import os; result = os.path.exists('/dev/shm/{word}')",
    ),
    "abstract socket": (
        "import socket; s = socket.socket(socket.AF_UNIX); s.bind('\\0{word}'); s.listen()",
        """
        import socket
        try:
            socket.socket(socket.AF_UNIX).connect('\\0{word}'); result = True
        except OSError:
            result = False
        """,
    ),
    "loopback TCP": (
        "import socket; s = socket.socket(); s.bind(('127.0.0.1', {port})); s.listen()",
        """
        import socket
        try:
            socket.create_connection(('127.0.0.1', {port}), 5); result = True
        except OSError:
            result = False
        """,
    ),
    "System V shared memory": (
        CALL + "call('shmget', {key}, 4096, 0o1666)",
        CALL + "result = libc.shmget({key}, 0, 0) != -1",
    ),
    "POSIX message queue": (
        CALL + "call('mq_open', b'/{word}', os.O_CREAT | os.O_RDWR, 0o666, None)",
        CALL + "result = libc.mq_open(b'/{word}', os.O_RDONLY) != -1",
    ),
    "keyrings": (
        CALL + "call('syscall', 248, b'user', b'{word}', b'x', 1, -4)",
        CALL + "result = libc.syscall(250, 10, -4, b'user', b'{word}', 0) != -1",
    ),
    "flock on the bot's file": (LOCK.format(path="bot.py"), LOCKED.format(path="bot.py")),
    "flock on a system file": (LOCK.format(path="/usr/bin/env"), LOCKED.format(path="/usr/bin/env")),
    "inotify on a shared file": (
        "open('bot.py').read()",
        "import os; os.set_blocking(watch, False); result = bool(os.read(watch, 4096))",
    ),
    "signals": (
        "import os, signal; os.kill({partner}, signal.SIGUSR1)",
        "result = bool(caught)",
    ),
    "the referee's process": (
        "open('/proc/{referee}/fd/{pipe}', 'wb', buffering=0).write(b'x')",
        "import os; result = b'x' in os.read(os.open('/proc/{referee}/fd/{read}', os.O_RDONLY), 9)",
    ),
}
PREPARE = {
    "inotify on a shared file": CALL
    + "watch = call('inotify_init'); call('inotify_add_watch', watch, b'bot.py', 1)",
    "signals": "import signal; caught = []; signal.signal(signal.SIGUSR1, lambda *a: caught.append(1))",
}
SAME_USER = {"keyrings", "signals", "the referee's process", "System V shared memory", "POSIX message queue"}
"""These need two processes of one user, which seats are not when root starts them."""


def leaks(channel: str, team: tuple[Any, Any]) -> bool:
    """Whether a word gets from the first seat to the second."""
    first, second = team
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    facts = {
        "word": f"arena{secrets.token_hex(6)}",
        "port": port,
        "key": secrets.randbelow(1 << 30) + 1,
        "partner": second.seat.processes()[-1],
        "referee": os.getpid(),
        "pipe": write_end,
        "read": read_end,
    }
    send, receive = (_filled(code, facts) for code in CHANNELS[channel])
    try:
        if channel in PREPARE:
            second.error(PREPARE[channel])
        first.error(send)
        second.send(receive)
        try:
            return bool(second.receive())
        except AssertionError:
            return False
    finally:
        os.close(read_end)
        os.close(write_end)
        for place in ("/tmp", "/dev/shm"):
            Path(place, str(facts["word"])).unlink(missing_ok=True)


def _filled(code: str, facts: dict[str, Any]) -> str:
    for name, value in facts.items():
        code = code.replace("{" + name + "}", str(value))
    return code


@pytest.mark.parametrize("channel", CHANNELS)
def test_no_channel_between_partners(channel: str, strong: Level, team: Team) -> None:
    assert not leaks(channel, team(strong))


@pytest.mark.parametrize("channel", [name for name in CHANNELS if name not in SAME_USER])
def test_the_attempt_itself_works(channel: str, team: Team) -> None:
    assert leaks(channel, team(Level.BASIC))


COUNTERS = """
    import os
    def look():
        found = {}
        for folder, names, files in os.walk("/proc"):
            if folder == "/proc":
                names[:] = [n for n in names if not n.isdigit() and n not in ("self", "thread-self")]
            for name in files:
                path = os.path.join(folder, name)
                try:
                    found[path] = open(path, "rb").read(100_000).hex()
                except OSError as error:
                    found[path] = str(error.errno)
        # These count packets and internet sockets of the machine, of which a seat can have none.
        internet = {"softnet_stat", "sockstat", "sockstat6", "protocols"}
        for name in set(os.listdir("/proc/self/net")) - internet:
            try:
                found["net/" + name] = open("/proc/self/net/" + name, "rb").read(100_000).hex()
            except OSError as error:
                found["net/" + name] = str(error.errno)
        return found
    before = look()
    result = len(before)
"""
STIR = """
    import os, pty, signal, socket, tempfile, threading
    block = bytearray(b"x") * (100 << 20)
    shared = tempfile.TemporaryFile(dir="/dev/shm"); shared.write(b"x" * (10 << 20)); shared.flush()
    files = [open("/usr/bin/env", "rb") for _ in range(60)]
    ptys = []
    try:
        ptys += [pty.openpty() for _ in range(20)]
    except OSError:
        pass
    pairs = [socket.socketpair() for _ in range(20)]
    for _ in range(10):
        if os.fork() == 0:
            signal.pause()
    internet = []
    for _ in range(20):
        try:
            internet.append(socket.socket())
        except OSError:
            pass
    result = True
"""
CHANGED = "after = look(); result = [p for p in {*before, *after} if before.get(p) != after.get(p)]"


def test_no_counter_of_the_machine_tells_anything(strong: Level, team: Team) -> None:
    first, second = team(strong)
    assert second.do(COUNTERS) > 10
    assert first.do(STIR) is True
    assert second.do(CHANGED) == []


def test_counters_do_tell_where_they_are_not_masked(team: Team) -> None:
    first, second = team(Level.BASIC)
    second.do(COUNTERS)
    first.do(STIR)
    changed = second.do(CHANGED)
    assert {"/proc/meminfo", "/proc/stat", "/proc/sys/fs/file-nr", "/proc/sys/kernel/pty/nr"} <= set(changed)


DENIED = {
    "blocks of any mount (ustat)": "call('syscall', 136, 1, ctypes.create_string_buffer(64))",
    "hints on files": "import fcntl; fcntl.fcntl(os.open('/usr/bin/env', 0), 1036, b'\\x02' + b'\\0' * 7)",
    "extents of files": "import fcntl; fcntl.ioctl(os.open('/usr/bin/env', 0), 0xC020660B, bytes(32))",
    "ext4's cache of extents": "import fcntl; fcntl.ioctl(os.open('/usr/bin/env', 0), 0xC020662A, bytes(32))",
    "reads of what is cached": "os.preadv(os.open('/usr/bin/env', 0), [bytearray(9)], 0, os.RWF_NOWAIT)",
    "numbers of sockets": "import socket; socket.socketpair()[0].getsockopt(1, 57, 8)",
    "filters on sockets": "import socket; socket.socketpair()[0].setsockopt(1, 26, bytes(16))",
    "descriptors of processes": "os.pidfd_open(os.getpid())",
    "sysinfo": "call('sysinfo', ctypes.create_string_buffer(256))",
    "memfd_create": "os.memfd_create('x')",
    "user namespace": "call('unshare', 0x10000000)",
    "user namespace by clone": "call('syscall', 56, 0x10000000 | 17, 0, 0, 0, 0)",
    "clone3": "call('syscall', 435, ctypes.create_string_buffer(88), 88)",
    "mount": "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)",
    "ptrace": "call('ptrace', 16, 1, None, None)",
    "io_uring": "call('syscall', 425, 4, ctypes.create_string_buffer(120))",
    "keyctl": "call('syscall', 250, 0, -4, 0)",
    "bpf": "call('syscall', 321, 0, None, 0)",
    "perf events": "call('syscall', 298, ctypes.create_string_buffer(128), 0, -1, -1, 0)",
    "userfaultfd": "call('syscall', 323, 0)",
    "asynchronous requests": "call('syscall', 206, 1, ctypes.create_string_buffer(8))",
    "huge pages": "call('syscall', 9, None, ctypes.c_long(2 << 20), 3, 0x40022, -1, 0)",
    "a terminal": "os.openpty()",
    "other pinning": "os.sched_setaffinity(0, {0})",
    "record locks": "import fcntl; fcntl.lockf(open('/tmp/x', 'w'), fcntl.LOCK_EX)",
    "leases": "import fcntl; fcntl.fcntl(open('/tmp/x', 'w'), 1024, 1)",
    "directory watch": "import fcntl; fcntl.fcntl(os.open('/usr', os.O_RDONLY), 1026, 2)",
    "internet socket": "import socket; socket.socket()",
    "IPv6 socket": "import socket; socket.socket(socket.AF_INET6)",
    "netlink socket": "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "vsock socket": "import socket; socket.socket(40, socket.SOCK_STREAM)",
    "packet socket": "import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "becoming root": "os.setuid(0)",
    "higher limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (9999, 9999))",
    "writing into its own directory": "open('/bot/new', 'w')",
    "changing its own program": "open('/bot/bot.py', 'a')",
    "writing beside it": "open('/new', 'w')",
    "writing to /dev": "open('/dev/new', 'w')",
    "writing to /usr": "open('/usr/new', 'w')",
    "the machine's secrets": "open('/etc/shadow')",
    "kernel settings": "open('/proc/sys/kernel/core_pattern')",
    "its group's priority": "os.write(os.open('/proc/self/autogroup', os.O_WRONLY), b'1')",
    "another's time slack": "os.open('/proc/self/timerslack_ns', os.O_WRONLY)",
    "being spared by the OOM killer": "open('/proc/self/oom_score_adj', 'wb', buffering=0).write(b'-1000')",
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of system calls are those of x86-64")
@pytest.mark.parametrize("what", DENIED)
def test_denied(what: str, strong: Level, puppet: Puppets) -> None:
    error = puppet(strong).error(CALL + DENIED[what])
    assert error.startswith(("PermissionError", "OSError", "FileNotFoundError", "ValueError")), error


SESSIONS = """
    import os
    def newest():
        ends = os.pipe()
        if os.fork() == 0:
            os.setsid()
            os.write(ends[1], open("/proc/self/autogroup", "rb").read())
            os._exit(0)
        os.wait()
        return os.read(ends[0], 100).decode()
    result = newest()
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="this system numbers no sessions")
def test_no_new_session_is_begun_and_none_is_missed(strong: Level, team: Team) -> None:
    first, second = team(strong)
    before = second.do(SESSIONS)
    first.do(SESSIONS + "    for _ in range(20): newest()\n")
    assert second.do("result = newest()") == before
    assert first.do("import os; os.setsid(); result = os.getsid(0) != os.getpid()") is True


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="this system numbers no sessions")
def test_the_number_of_the_session_does_tell_where_sessions_are_begun(team: Team) -> None:
    first, second = team(Level.BASIC)
    before = second.do(SESSIONS)
    first.do(SESSIONS)
    assert second.do("result = newest()") != before


def test_a_seat_is_in_a_session_of_its_own_all_the_same(strong: Level, puppet: Puppets) -> None:
    bot = puppet(strong)
    bot.do("result = 1")
    sessions = {os.getsid(pid) for pid in bot.seat.processes()[2:]}
    assert len(sessions) == 1
    assert not sessions & {os.getsid(0), bot.seat.pid}


PENDING = (
    CALL
    + """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 9])
result = 0
while result < {most} and libc.sigqueue(os.getpid(), signal.SIGRTMIN + 9, None) == 0:
    result += 1
"""
)


def test_waiting_signals_of_one_seat_are_not_the_others(strong: Level, team: Team) -> None:
    first, second = team(strong)
    assert 200 <= first.do(PENDING.replace("{most}", "100000")) <= 256
    assert second.do(PENDING.replace("{most}", "100")) == 100


@pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="no filter for this machine")
def test_calls_that_the_filter_answers(strong: Level, puppet: Puppets) -> None:
    bot = puppet(strong)
    errors = bot.do(
        CALL
        + """
result = []
for number in (467, 468, 469, 470, 471, 500):
    libc.syscall(number, -1, 0, 0, 0, 0)
    result.append(ctypes.get_errno())
"""
    )
    assert errors == [errno.EPERM] * 4 + [errno.ENOSYS] * 2
    assert "Errno 1]" in bot.error(CALL + "call('prctl', 36, 1, 0, 0, 0)")
    assert bot.error(CALL + "call('prctl', 15, b'name', 0, 0, 0)") == ""


def test_nothing_of_the_host_is_there(
    strong: Level, puppet: Puppets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = f"secret{secrets.token_hex(8)}"
    monkeypatch.setenv("ARENA_SECRET", secret)
    for folder in ("opponent", "arena-out"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / secret).write_text(secret)
    bot = puppet(strong)
    found = bot.do(
        f"""
        import glob, os
        result = [pid for pid in ["1"] if os.listdir("/proc/1")]
        for folder, names, files in os.walk("/"):
            if folder == "/":
                names[:] = [n for n in names if n not in ("proc", "usr")]
            result += [folder for name in names + files if {secret!r} in name]
        for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
            for word in ({secret!r}, {str(tmp_path)!r}):
                if word.encode() in open(path, "rb").read():
                    result.append(path)
        """
    )
    assert found == []
    assert bot.do("import os; result = os.path.exists('/work') or os.path.exists('/home')") is False
    assert bot.do("import os; result = len([p for p in os.listdir('/proc') if p.isdigit()])") <= 3


def test_only_private_places_can_be_written_and_they_are_small(strong: Level, puppet: Puppets) -> None:
    bot = puppet(strong)
    written = bot.do(
        """
        import os
        result = []
        for folder, names, files in os.walk("/"):
            if folder == "/":
                names[:] = [n for n in names if n != "proc"]
            try:
                open(os.path.join(folder, "mine"), "x").close()
                result.append(folder)
            except OSError:
                pass
        """
    )
    assert sorted(folder for folder in written if not folder.startswith("/tmp/")) == ["/dev/shm", "/tmp"]
    for place in ("/tmp", "/dev/shm"):
        error = bot.error(
            f"for n in range(20): open(f'{place}/{{n}}', 'wb').write(b'x' * (8 << 20))",
        )
        assert error.startswith("OSError: [Errno 28]"), error


def test_no_two_seats_are_one_user(strong: Level, team: Team) -> None:
    first, second = team(strong)
    assert first.do("import os; result = os.getuid()") == 1000
    assert second.do("import os; result = os.getuid()") == 1000
    owners = [{os.stat(f"/proc/{pid}").st_uid for pid in bot.seat.processes()} for bot in (first, second)]
    if os.geteuid() == 0:
        assert not owners[0] & owners[1]
        assert 0 not in owners[0] | owners[1]
        assert owners == [{first.seat.uid}, {second.seat.uid}]


def test_pipe_memory_of_one_seat_is_not_the_others_as_root(strong: Level, team: Team) -> None:
    if os.geteuid() != 0:
        pytest.skip("seats of an ordinary user share its allowance for pipes")
    first, second = team(strong)
    first.do(
        """
        import fcntl, os
        pipes = [os.pipe() for _ in range(100)]
        for _, end in pipes:
            try:
                fcntl.fcntl(end, 1031, 1 << 20)
            except OSError:
                pass
        """
    )
    assert second.do("import fcntl, os; result = fcntl.fcntl(os.pipe()[0], 1032)") == 65536


def test_a_bot_below_a_directory_that_only_we_may_enter(strong: Level, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    directory = closed / "bot"
    directory.mkdir(parents=True)
    (directory / "bot.sh").write_text("#!/bin/sh\ncat data\n")
    (directory / "data").write_text("here")
    (directory / "data").chmod(0o600)
    (directory / "bot.sh").chmod(0o700)
    closed.chmod(0o700)
    (tmp_path / "link").symlink_to(directory)
    for mode in (0o700, 0o755):
        directory.chmod(mode)
        for level in (strong, Level.BASIC):
            for path in (directory, tmp_path / "link"):
                seat = spawn(path, ["./bot.sh"], Limits(), level)
                assert select.select([seat.stdout_fd], [], [], 20)[0]
                assert os.read(seat.stdout_fd, 100) == b"here"
                stop_all([seat], 5000)


def test_the_filter_is_known_for_both_machines() -> None:
    for machine in ("x86_64", "aarch64"):
        program = filter_program(machine)
        assert program is not None
        assert len(program) % 8 == 0
        assert len(program) // 8 < 256
    assert filter_program("pdp11") is None
