"""The processes of a Dask cluster that the arena starts itself: workers of one slot, a scheduler to try it.

`python -m arena.execution.cluster scheduler|worker ...`, started by this module alone. Each process's stdin
is its lifeline: at the end of it the process ends, and its slot and its bots with it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, Exit
from arena.execution.child import CPUS, ending, environment, last_line
from arena.execution.tls import Address, make_certificates, parse_address, security

JOIN_S = 30
"""How long a worker tries to reach its scheduler."""
NO_SCHEDULER = 3
"""Exit code of a worker that reached no scheduler."""
TTL = "60s"
"""A worker of our own scheduler that has not been heard of for so long is given up."""
END_S = 10.0
POLL_S = 0.5


def need_dask() -> None:
    """Raise ArenaError where the extra `dask` is not installed."""
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise ArenaError(
            "dask.distributed is not installed",
            hint="pip install 'euchre-arena[dask]'",
            exit_code=Exit.ENVIRONMENT,
        )


class Child:
    """A scheduler or worker process."""

    def __init__(
        self, *arguments: str, cpus: Sequence[int] = (), home: Path | None = None, loud: bool = False
    ) -> None:
        """`home`: its ARENA_HOME; `loud`: its stderr is ours, else it is kept for `why`."""
        at_home = {} if home is None else {"ARENA_HOME": str(home)}
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.execution.cluster", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if loud else self.said,
            env={**environment(), **at_home, CPUS: ",".join(map(str, cpus))},
            start_new_session=True,
        )

    def first_line(self) -> str:
        """What it says when it is ready; nothing if it ends before."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().strip()

    def why(self) -> str:
        """The last line of its stderr."""
        return last_line(self.said)

    def tell_to_end(self) -> None:
        """Close its stdin."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def end(self) -> None:
        """Have it end, and reap it. Idempotent."""
        assert self.process.stdout is not None
        self.tell_to_end()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.said.close()


def worker_child(
    address: Address,
    tls: Path | None,
    number: int,
    cpus: Sequence[int],
    *,
    home: Path | None = None,
    loud: bool = False,
) -> Child:
    """Start worker `number` of this machine."""
    more = () if tls is None else ("--tls", str(tls))
    name = f"{platform.node()}-{os.getpid()}-{number}"
    return Child("worker", address.url, "--name", name, *more, cpus=cpus, home=home, loud=loud)


@contextmanager
def local_cluster(
    cpus: Sequence[Sequence[int]], *, home: Path | None = None, ttl: str = TTL
) -> Iterator[tuple[Address, Path, list[Child]]]:
    """A scheduler on loopback and a worker for each of `cpus`, for as long as the context lasts.

    Its address, the folder of its certificates, its processes (the scheduler first). Encrypted with
    certificates of its own, so that nobody else on this machine can hand it programs.
    """
    need_dask()
    children: list[Child] = []
    with tempfile.TemporaryDirectory(prefix="arena-cluster-") as folder:
        tls = Path(folder) / "tls"
        make_certificates(tls, days=30)
        try:
            children.append(Child("scheduler", "--tls", str(tls), "--ttl", ttl))
            line = children[0].first_line()
            if not line:
                raise ArenaError(
                    f"no Dask scheduler can be started: {children[0].why()}", exit_code=Exit.ENVIRONMENT
                )
            address = parse_address(line, tls)
            children += [worker_child(address, tls, i, cores, home=home) for i, cores in enumerate(cpus)]
            for child in children[1:]:
                if not child.first_line():
                    raise ArenaError(
                        f"no Dask worker can be started: {child.why()}", exit_code=Exit.ENVIRONMENT
                    )
            yield address, tls, children
        finally:
            end_all(children)


def serve_slots(
    address: Address, tls: Path | None, cpus: Sequence[Sequence[int]], tell: Callable[[str], None]
) -> None:
    """Keep a worker running for each of `cpus` until the scheduler goes or a signal comes.

    Raises ArenaError where no scheduler answers, and when it is gone.
    """
    need_dask()
    security(tls)
    tell(f"{len(cpus)} slots for {address.url}; Ctrl-C leaves")
    over = threading.Event()
    children: list[Child] = []

    def told(number: int, frame: object) -> None:
        over.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, told)
    try:
        children += [worker_child(address, tls, i, cores, loud=True) for i, cores in enumerate(cpus)]
        while not over.wait(POLL_S):
            for i, child in enumerate(children):
                code = child.process.poll()
                if code is None:
                    continue
                child.end()
                if code == NO_SCHEDULER:
                    raise ArenaError(
                        f"no Dask scheduler answers at {address.url}",
                        hint="start it first",
                        exit_code=Exit.ENVIRONMENT,
                    )
                if code == 0:
                    raise ArenaError(f"the scheduler at {address.url} is gone", exit_code=Exit.ENVIRONMENT)
                tell(f"slot {i}: {ending(code, '')}; it is started again")
                children[i] = worker_child(address, tls, i, cpus[i], loud=True)
    finally:
        end_all(children)


def end_all(children: Sequence[Child]) -> None:
    """End processes, all at once, the last first."""
    for child in reversed(children):
        child.tell_to_end()
    for child in reversed(children):
        child.end()


def quiet() -> None:
    """Keep what Dask says to itself, tracebacks included: what matters is said by us, in a line."""
    import distributed  # it sets its loggers up when it is imported

    for name in (distributed.__name__, "distributed.client", "tornado", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def configure(ttl: str) -> None:
    """Dask's own settings, as a process of ours wants them; before anything of it is started."""
    import dask

    quiet()
    dask.config.set(
        {
            "distributed.scheduler.allowed-failures": 0,
            "distributed.scheduler.work-stealing": False,
            "distributed.scheduler.worker-ttl": ttl,
            "distributed.scheduler.http.routes": [],
            "distributed.scheduler.active-memory-manager.start": False,
            "distributed.worker.profile.enabled": False,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False,
            "distributed.worker.memory.terminate": False,
            "distributed.worker.http.routes": [],
        }
    )


async def _scheduler(tls: Path) -> None:
    from distributed import Scheduler

    async with Scheduler(
        host="127.0.0.1",
        port=0,
        protocol="tls",
        security=security(tls),
        dashboard=False,
        dashboard_address="127.0.0.1:0",
    ) as scheduler:
        print(scheduler.address, flush=True)
        await _told_to_end()


async def _worker(address: Address, tls: Path | None, name: str) -> int:
    from distributed import Worker

    from arena.execution.remote import detach

    with tempfile.TemporaryDirectory(prefix="arena-worker-") as folder:
        try:
            worker: Any = await Worker(
                address.url,
                nthreads=1,
                name=name,
                security=security(tls),
                host="127.0.0.1" if address.loopback else None,
                local_directory=folder,
                memory_limit=0,
                death_timeout=JOIN_S,
                dashboard=False,
                dashboard_address="127.0.0.1:0",
            )
        except OSError as error:
            print(f"{type(error).__name__} {error}", file=sys.stderr)
            return NO_SCHEDULER
        print(worker.address, flush=True)
        ended = asyncio.create_task(worker.finished())
        told = asyncio.create_task(_told_to_end())
        await asyncio.wait((ended, told), return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        await detach(dask_worker=worker)
        await worker.close(timeout=1, executor_wait=False, reason="told to end")
        ended.cancel()
    return 0


async def _told_to_end() -> None:
    """Return at the end of stdin, or when told to terminate."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()

    def look() -> None:
        if not os.read(0, 1024):
            loop.remove_reader(0)
            over.set()

    loop.add_reader(0, look)
    loop.add_signal_handler(signal.SIGTERM, over.set)
    await over.wait()


def main() -> int:
    """Be a scheduler or a worker until stdin ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=("scheduler", "worker"))
    parser.add_argument("address", nargs="?")
    parser.add_argument("--tls", type=Path)
    parser.add_argument("--ttl", default=TTL)
    parser.add_argument("--name", default="")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, _ignore)
    configure(options.ttl)
    if options.role == "scheduler":
        asyncio.run(_scheduler(options.tls))
        return 0
    return asyncio.run(_worker(parse_address(options.address, options.tls), options.tls, options.name))


def _ignore(number: int, frame: object) -> None:
    """Ctrl-C goes to the whole terminal group: the parent decides what it means."""


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # a thread that still waits for a slot must not keep the process
