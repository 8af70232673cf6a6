"""Two seats of one team try to tell each other a number, by every way that there is.

The seat with the lower number sends 16 random bits, its partner listens. They meet by the clock: every PERIOD
seconds a round begins. Both tell stderr what they sent and got; who compares them knows what got through.
"""

import contextlib
import ctypes
import fcntl
import mmap
import os
import random
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator

from protocol import Bot, View

PERIOD, ROUNDS = 1.9, 2
BITS, SERIAL_BITS, WINDOW = 16, 8, 0.16
TIMERS = [signal.SIGRTMIN + bit for bit in range(BITS)]
WAITING = signal.SIGRTMIN + BITS
ERRORS = OSError, ValueError, IndexError, KeyError, struct.error

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = libc.mmap.restype = ctypes.c_void_p
signal.pthread_sigmask(signal.SIG_BLOCK, [*TIMERS, WAITING])


def checked(value: int) -> int:
    if value == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return value


def sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.time()))


def system_files(least: int = 0) -> Iterator[str]:
    seen = set()
    for name in sorted(os.listdir("/usr/bin")):
        path = f"/usr/bin/{name}"
        if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) >= least:
            inode = os.stat(path).st_ino
            if inode not in seen:
                yield path
            seen.add(inode)


def some_files(count: int) -> list[str]:
    return [path for path, _ in zip(system_files(), range(count), strict=False)]


def team() -> list[int]:
    """The processes of this bot that can be seen, its own apart."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                if os.path.samefile(f"/proc/{name}/cwd", "."):
                    found.append(int(name))
            except OSError:
                continue
    return found


class Channel:
    """One way to talk. `key` is known to both, and another one in each round."""

    name = ""

    def __init__(self, key: int) -> None:
        self.key = key
        self.kept: list[object] = []

    def listen(self) -> None:
        """Before anything is sent."""

    def send(self, number: int) -> None:
        raise NotImplementedError

    def receive(self) -> int:
        raise NotImplementedError

    def end(self) -> None:
        """Clear up."""


class InFile(Channel):
    folder = ""

    def path(self) -> str:
        return f"{self.folder}/arena-bad-{self.key}"

    def send(self, number: int) -> None:
        with open(self.path(), "w") as file:
            file.write(str(number))
        self.kept.append(self.path())

    def receive(self) -> int:
        with open(self.path()) as file:
            return int(file.read())

    def end(self) -> None:
        for path in self.kept:
            os.unlink(str(path))


class TmpFile(InFile):
    name, folder = "a file in /tmp", "/tmp"


class ShmFile(InFile):
    name, folder = "a file in /dev/shm", "/dev/shm"


class OwnFile(InFile):
    name, folder = "a file in its own directory", "."


class Socket(Channel):
    def address(self) -> object:
        raise NotImplementedError

    def new(self) -> socket.socket:
        raise NotImplementedError

    def listen(self) -> None:
        server = self.new()
        server.settimeout(0.1)
        self.kept.append(server)
        server.bind(self.address())
        server.listen()

    def send(self, number: int) -> None:
        client = self.new()
        self.kept.append(client)
        client.settimeout(0.1)
        client.connect(self.address())
        client.send(str(number).encode())

    def receive(self) -> int:
        server = self.kept[0]
        assert isinstance(server, socket.socket)
        connection, _ = server.accept()
        self.kept.append(connection)
        return int(connection.recv(16))

    def end(self) -> None:
        for each in self.kept:
            assert isinstance(each, socket.socket)
            each.close()


class Abstract(Socket):
    name = "an abstract socket"

    def address(self) -> object:
        return f"\0arena-bad-{self.key}"

    def new(self) -> socket.socket:
        return socket.socket(socket.AF_UNIX)


class Loopback(Socket):
    name = "TCP on the loopback"

    def address(self) -> object:
        return "127.0.0.1", 20000 + self.key % 10000

    def new(self) -> socket.socket:
        return socket.socket(socket.AF_INET)


class SharedMemory(Channel):
    name = "System V shared memory"

    def send(self, number: int) -> None:
        shm = checked(libc.shmget(self.key, 4096, 0o1666))
        self.kept.append(shm)
        ctypes.c_int.from_address(libc.shmat(shm, None, 0)).value = number + 1

    def receive(self) -> int:
        place = libc.shmat(checked(libc.shmget(self.key, 4096, 0)), None, 0)
        return ctypes.c_int.from_address(place).value - 1

    def end(self) -> None:
        for shm in self.kept:
            libc.shmctl(shm, 0, None)


class SystemVQueue(Channel):
    name = "System V messages"

    def send(self, number: int) -> None:
        queue = checked(libc.msgget(self.key, 0o1666))
        self.kept.append(queue)
        checked(libc.msgsnd(queue, struct.pack("lq", 1, number), 8, 0o4000))

    def receive(self) -> int:
        buffer = ctypes.create_string_buffer(16)
        checked(libc.msgrcv(checked(libc.msgget(self.key, 0)), buffer, 8, 0, 0o4000))
        return int(struct.unpack("lq", buffer.raw)[1])

    def end(self) -> None:
        for queue in self.kept:
            libc.msgctl(queue, 0, None)


class PosixQueue(Channel):
    name = "a POSIX message queue"

    def path(self) -> bytes:
        return b"/arena-bad-%d" % self.key

    def send(self, number: int) -> None:
        old = os.umask(0)
        queue = checked(libc.mq_open(self.path(), os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666, None))
        os.umask(old)
        self.kept.append(queue)
        checked(libc.mq_send(queue, struct.pack("q", number), 8, 1))

    def receive(self) -> int:
        queue = checked(libc.mq_open(self.path(), os.O_RDWR | os.O_NONBLOCK))
        buffer = ctypes.create_string_buffer(1 << 14)
        checked(libc.mq_receive(queue, buffer, len(buffer), None))
        libc.mq_close(queue)
        return int(struct.unpack("q", buffer.raw[:8])[0])

    def end(self) -> None:
        if self.kept:
            libc.mq_unlink(self.path())


class Keyring(Channel):
    name = "a keyring"
    calls = {"x86_64": (248, 250), "aarch64": (217, 219)}  # noqa: RUF012
    user = -4

    def send(self, number: int) -> None:
        add = self.calls[os.uname().machine][0]
        text = str(number).encode()
        checked(libc.syscall(add, b"user", b"arena-bad-%d" % self.key, text, len(text), self.user))

    def receive(self) -> int:
        control = self.calls[os.uname().machine][1]
        found = checked(libc.syscall(control, 10, self.user, b"user", b"arena-bad-%d" % self.key, 0))
        buffer = ctypes.create_string_buffer(16)
        size = checked(libc.syscall(control, 11, found, buffer, 16, 0))
        return int(buffer.raw[:size])


class Locks(Channel):
    """A bit is a file that is locked, or is not."""

    def paths(self) -> list[str]:
        return some_files(BITS)

    def send(self, number: int) -> None:
        for bit, path in enumerate(self.paths()):
            file = os.open(path, os.O_RDONLY)
            self.kept.append(file)
            if number >> bit & 1:
                self.lock(file)

    def lock(self, file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def locked(self, file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False

    def receive(self) -> int:
        number = 0
        for bit, path in enumerate(self.paths()):
            file = os.open(path, os.O_RDONLY)
            try:
                number |= self.locked(file) << bit
            finally:
                os.close(file)
        return number

    def end(self) -> None:
        for file in self.kept:
            assert isinstance(file, int)
            os.close(file)


class SystemLocks(Locks):
    name = "flock on system files"


class OwnLocks(Locks):
    name = "flock on its own files"

    def paths(self) -> list[str]:
        return [f"bits/{bit}" for bit in range(BITS)]


class RecordLocks(Locks):
    name = "record locks"

    def lock(self, file: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)

    def locked(self, file: int) -> bool:
        asked = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
        return struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_GETLK, asked))[0] != fcntl.F_UNLCK


class Inotify(Channel):
    name = "inotify on shared files"

    def listen(self) -> None:
        watch = checked(libc.inotify_init1(os.O_NONBLOCK))
        self.kept.append(watch)
        for path in some_files(2 * BITS)[BITS:]:
            checked(libc.inotify_add_watch(watch, path.encode(), 0x20))

    def send(self, number: int) -> None:
        for bit, path in enumerate(some_files(2 * BITS)[BITS:]):
            if number >> bit & 1:
                os.close(os.open(path, os.O_RDONLY))

    def receive(self) -> int:
        watch = self.kept[0]
        assert isinstance(watch, int)
        data, number, at = os.read(watch, 65536), 0, 0
        while at < len(data):
            which, _, _, length = struct.unpack_from("iIII", data, at)
            number |= 1 << (which - 1)
            at += 16 + length
        return number

    def end(self) -> None:
        for watch in self.kept:
            assert isinstance(watch, int)
            os.close(watch)


class Signals(Channel):
    name = "signals"

    def send(self, number: int) -> None:
        for pid in team():
            for bit in range(BITS):
                if number >> bit & 1:
                    os.kill(pid, TIMERS[bit])

    def receive(self) -> int:
        caught = signal.sigpending()
        if not caught.intersection(TIMERS):
            raise OSError("no signal came")
        return sum(1 << bit for bit in range(BITS) if TIMERS[bit] in caught)

    def end(self) -> None:
        while signal.sigpending() & set(TIMERS):
            signal.sigtimedwait(TIMERS, 0)


class SharedPages(Channel):
    """A page of a file that another process has mapped too is not mapped "exclusively"."""

    name = "pages of shared files"

    def maps(self) -> list[tuple[mmap.mmap, int]]:
        path = next(system_files(BITS << 17))
        with open(path, "rb") as file:
            made = []
            for bit in range(BITS):
                page = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_COPY, offset=bit << 17)
                made.append((page, ctypes.addressof(ctypes.c_char.from_buffer(page))))
            return made

    def send(self, number: int) -> None:
        for bit, (page, _) in enumerate(self.maps()):
            if number >> bit & 1:
                self.kept.append(page[0])
                self.kept.append(page)

    def receive(self) -> int:
        number = 0
        with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
            for bit, (page, address) in enumerate(self.maps()):
                self.kept.append(page[0])
                pagemap.seek(address // 4096 * 8)
                entry = int.from_bytes(pagemap.read(8), "little")
                number |= (not entry >> 56 & 1) << bit
        return number


class Futexes(Channel):
    """Waiting on a page of a file, until another process that has mapped it says to wake."""

    name = "futexes on shared files"
    calls = {"x86_64": 202, "aarch64": 98}  # noqa: RUF012

    def addresses(self) -> list[int]:
        files = system_files(BITS << 17)
        next(files)  # that one is for SharedPages
        file = os.open(next(files), os.O_RDONLY)
        found = [libc.mmap(None, 4096, 1, 1, file, ctypes.c_long(bit << 17)) for bit in range(BITS)]
        os.close(file)
        return found

    def futex(self, address: int, operation: int, value: int, seconds: float) -> int:
        limit = struct.pack("qq", int(seconds), int(seconds % 1 * 1e9))
        call = self.calls[os.uname().machine]
        return int(libc.syscall(call, ctypes.c_void_p(address), operation, value, limit, 0, 0))

    def listen(self) -> None:
        self.woken = 0
        for bit, address in enumerate(self.addresses()):
            word = ctypes.c_int.from_address(address).value
            threading.Thread(target=self.wait, args=(bit, address, word), daemon=True).start()

    def wait(self, bit: int, address: int, word: int) -> None:
        if self.futex(address, 0, word, 0.3) == 0:
            self.woken |= 1 << bit

    def send(self, number: int) -> None:
        for bit, address in enumerate(self.addresses()):
            if number >> bit & 1:
                self.futex(address, 1, 9, 0.0)

    def receive(self) -> int:
        return self.woken


CHANNELS: list[type[Channel]] = [
    TmpFile, ShmFile, OwnFile, Abstract, Loopback, SharedMemory, SystemVQueue, PosixQueue, Keyring,
    SystemLocks, OwnLocks, RecordLocks, Inotify, Signals, SharedPages, Futexes,
]  # fmt: skip


# Serial: something of the whole machine that goes up while the sender says 1, a bit at a time.


def field(path: str, name: str, column: int = 1) -> int:
    with open(path) as file:
        for line in file:
            words = line.split()
            if words and (not name or words[0] == name):
                return int(words[column])
    raise KeyError(name)


def pipe_number() -> int:
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


def session_number() -> int:
    """The number that the system gives a new session."""
    ends = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            os.setsid()
            os.write(ends[1], os.read(os.open("/proc/self/autogroup", os.O_RDONLY), 100))
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(ends[1])
    with open(ends[0]) as told:
        number = told.read().rpartition("autogroup-")[2].split()
    if not number:
        raise OSError("sessions have no numbers here")
    return int(number[0])


def no_signal_left() -> int:
    """1 where the user may have no more signals waiting."""
    full = libc.sigqueue(os.getpid(), WAITING, None)
    empty_signals()
    return -full


def empty_signals() -> None:
    while signal.sigtimedwait([WAITING], 0) is not None:
        pass


def pipe_size() -> int:
    ends = os.pipe()
    size = fcntl.fcntl(ends[0], 1032)
    for end in ends:
        os.close(end)
    return -size


def raise_shared_memory() -> Callable[[], object]:
    block = mmap.mmap(-1, 8 << 20)
    for at in range(0, 8 << 20, 4096):
        block[at] = 1
    return block.close


def raise_files() -> Callable[[], object]:
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(100)]
    return lambda: [os.close(file) for file in files]


def raise_processes() -> Callable[[], object]:
    for _ in range(5):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    return bool


def raise_sessions() -> Callable[[], object]:
    for _ in range(3):
        session_number()
    return bool


def raise_signals() -> Callable[[], object]:
    while libc.sigqueue(os.getpid(), WAITING, None) == 0:
        pass
    return empty_signals


def raise_pipes() -> Callable[[], object]:
    for _ in range(300):
        pipe_number()
    return bool


def raise_pipe_memory() -> Callable[[], object]:
    pipes = [os.pipe() for _ in range(80)]
    size = 1 << 20
    for _, end in pipes:
        while size > 4096:
            try:
                fcntl.fcntl(end, 1031, size)
                break
            except OSError:
                size >>= 1
    return lambda: [os.close(end) for ends in pipes for end in ends]


COUNTERS: dict[str, tuple[Callable[[], int], Callable[[], Callable[[], object]], int]] = {
    # name: (what is read, what raises it, by how much at least)
    "numbers of sessions": (session_number, raise_sessions, 4),
    "waiting signals": (no_signal_left, raise_signals, 1),
    "numbers of new pipes": (pipe_number, raise_pipes, 250),
    "memory for pipes": (pipe_size, raise_pipe_memory, 1),
    "open files in /proc": (lambda: field("/proc/sys/fs/file-nr", "", 0), raise_files, 60),
    "shared memory in /proc/meminfo": (lambda: field("/proc/meminfo", "Shmem:"), raise_shared_memory, 6000),
    "forks in /proc/stat": (lambda: field("/proc/stat", "processes"), raise_processes, 5),
}


def read_all() -> dict[str, int]:
    found = {}
    for name, (read, _, _) in COUNTERS.items():
        try:
            found[name] = read()
        except ERRORS:
            continue
    return found


def send_serially(number: int, start: float) -> None:
    for bit in range(SERIAL_BITS):
        sleep_until(start + (bit + 0.1) * WINDOW)
        undo: list[Callable[[], object]] = []
        if number >> bit & 1:
            for _, up, _ in COUNTERS.values():
                try:
                    undo.append(up())
                except OSError:
                    continue
        sleep_until(start + (bit + 0.85) * WINDOW)
        for down in undo:
            down()


def receive_serially(start: float) -> dict[str, int]:
    numbers = dict.fromkeys(COUNTERS, 0)
    for bit in range(SERIAL_BITS):
        sleep_until(start + bit * WINDOW)
        before = read_all()
        sleep_until(start + (bit + 0.75) * WINDOW)
        after = read_all()
        for name, (_, _, least) in COUNTERS.items():
            if name in before and name in after and after[name] - before[name] >= least:
                numbers[name] |= 1 << bit
    return numbers


class Talker(Bot):
    def __init__(self) -> None:
        self.done = threading.Event()
        self.sends: bool | None = None

    def on_game_start(self, start: dict) -> None:
        self.sends = start["seat"] < start["partner"]
        threading.Thread(target=self.talk, daemon=True).start()

    def choose(self, view: View) -> str:
        if view.hand_number > 0:  # by now the partner has been asked, and so knows that the game has begun
            self.done.wait()
        return view.legal[0]

    def talk(self) -> None:
        first = int(time.time() / PERIOD) + 1
        for number in range(first, first + ROUNDS):
            self.meet(number)
        self.done.set()

    def meet(self, number: int) -> None:
        start = number * PERIOD
        sleep_until(start)
        channels = [channel(number) for channel in CHANNELS]
        word = random.SystemRandom().randrange(1, 1 << BITS)
        word |= 1 << random.SystemRandom().randrange(SERIAL_BITS)
        got: dict[str, int] = {}
        if not self.sends:
            self.each(channels, lambda channel: channel.listen())
        sleep_until(start + 0.12)
        if self.sends:
            self.each(channels, lambda channel: channel.send(word))
        sleep_until(start + 0.3)
        if not self.sends:
            self.each(channels, lambda channel: got.update({channel.name: channel.receive()}))
        sleep_until(start + 0.42)
        if self.sends:
            print("SENT", word, file=sys.stderr, flush=True)
            send_serially(word, start + 0.42)
        else:
            got.update(receive_serially(start + 0.42))
            for name, value in got.items():
                print("GOT", value, name, file=sys.stderr, flush=True)
        self.each(channels, lambda channel: channel.end())

    @staticmethod
    def each(channels: list[Channel], act: Callable[[Channel], object]) -> None:
        for channel in channels:
            try:
                act(channel)
            except ERRORS:
                continue


Talker().run()
