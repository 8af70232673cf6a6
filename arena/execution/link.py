"""A Dask client as a trio program needs it: calls that wait in threads, news that come into the loop."""

from __future__ import annotations

import contextlib
import secrets
import warnings
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import trio

from arena.errors import ArenaError, Exit
from arena.execution.base import BlockJob
from arena.execution.cluster import quiet
from arena.execution.tls import Address, security
from arena.execution.wire import FrameReader, Map, job_to_wire

CONNECT_S = 10
CLOSE_S = 3.0
LEAVE_S = 10.0
"""How long workers may take to end their slots when a run is over."""
NEWS = "all"
"""Dask's own topic: workers that come and go."""

Tell = Callable[[str, Map], None]
"""Told the key of a task and a message about it."""


class Unfit(Exception):
    """A worker cannot be used, in words."""


class Gone(Exception):
    """A worker is not there any more."""


class Link:
    """A client of one scheduler; made by `open_link`."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._token = trio.lowlevel.current_trio_token()
        self.run = f"arena-{secrets.token_hex(8)}"
        """Names this run, and the topic under which its events are published."""

    async def listen(self, tell: Tell, workers_changed: Callable[[], object]) -> None:
        """Hear of tasks and of workers from now on. Raises ArenaError where the scheduler cannot be used."""

        def heard(event: tuple[float, Any]) -> None:
            self._soon(self._unpack, tell, event[1]["key"], event[1]["event"])

        def happened(event: tuple[float, Any]) -> None:
            self._soon(workers_changed)

        self._client.subscribe_topic(self.run, heard)
        self._client.subscribe_topic(NEWS, happened)
        try:
            await in_thread(self._client.run_on_scheduler, _prepare_scheduler)
        except Exception as error:
            raise ArenaError(
                f"the Dask scheduler cannot be used: {short(error)}",
                hint="install the same arena, with its extra `dask`, where the scheduler runs",
                exit_code=Exit.ENVIRONMENT,
            ) from None

    async def addresses(self) -> set[str]:
        """Of all workers. Raises ArenaError when the scheduler is gone."""
        if self._client.status == "running":
            with trio.move_on_after(CONNECT_S):
                try:
                    return set(await in_thread(self._client.run_on_scheduler, _addresses))
                except (OSError, ValueError, RuntimeError):
                    pass
        raise ArenaError(
            "the Dask scheduler is gone",
            hint="finished games are stored: start it and its workers, and the same command goes on",
            exit_code=Exit.ENVIRONMENT,
        )

    async def call(self, address: str, seconds: float, function: Callable[..., Any], *values: Any) -> Any:
        """Call a function on a worker. Raises Gone, and Unfit with what the function raised."""
        call = partial(self._client.run, function, *values, workers=[address], on_error="return", wait=True)
        with trio.move_on_after(seconds):
            try:
                said = await in_thread(call)
            except Exception as error:  # Dask's many ways to say that the worker is not there
                raise Gone from error
            if address not in said or isinstance(said[address], OSError):
                raise Gone
            if isinstance(said[address], BaseException):
                raise Unfit(short(said[address]))
            return said[address]
        raise Gone

    def play(self, address: str, key: str, job: BlockJob, tell: Tell) -> Any:
        """Have a worker play a block; `tell` gets one last message of type `over`.

        What is returned must be released when the job has ended: a result that is held would be computed
        again if its worker died.
        """
        from arena.execution import remote

        def over(future: Any) -> None:
            text, lost = "", future.status not in ("finished", "error")
            if future.status == "error":
                error = future.exception(timeout=CONNECT_S)
                text, lost = short(error), type(error).__name__ == "KilledWorker"
            self._soon(tell, key, {"type": "over", "text": text, "lost": lost})

        future = self._client.submit(
            remote.play,
            self.run,
            key,
            job_to_wire(job),
            key=key,
            workers=[address],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        future.add_done_callback(over)
        return future

    async def leave(self, addresses: Iterable[str]) -> None:
        """Leave workers and scheduler as they were found."""
        from arena.execution import remote

        with trio.move_on_after(LEAVE_S), contextlib.suppress(Exception):
            if self._client.status == "running":
                detach = partial(
                    self._client.run, remote.detach, self.run, workers=list(addresses), on_error="ignore"
                )
                await in_thread(detach)
                await in_thread(self._client.run_on_scheduler, _forget, self.run)

    def _soon(self, action: Callable[..., object], *values: Any) -> None:
        """Do something in the loop; called in Dask's own threads."""
        with contextlib.suppress(trio.RunFinishedError):
            self._token.run_sync_soon(action, *values)

    @staticmethod
    def _unpack(tell: Tell, key: str, data: bytes) -> None:
        for message in FrameReader().feed(data):
            tell(key, message)


@asynccontextmanager
async def open_link(address: Address, tls: Path | None) -> AsyncIterator[Link]:
    """A Link for as long as the context lasts. Raises ArenaError where no scheduler answers."""
    client = await in_thread(_connect, address, tls)
    try:
        yield Link(client)
    finally:
        client.close(timeout=CLOSE_S)


def short(error: BaseException) -> str:
    """An exception in one line."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}{': ' if text else ''}{text[0][:200] if text else ''}"


async def in_thread(function: Callable[..., Any], *values: Any) -> Any:
    """Call what blocks; on cancellation it is left to itself."""
    return await trio.to_thread.run_sync(partial(function, *values), abandon_on_cancel=True)


def _connect(address: Address, tls: Path | None) -> Any:
    from distributed import Client

    quiet()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that versions differ is said by us, by worker
            return Client(  # type: ignore[no-untyped-call]
                address.url, security=security(tls), timeout=CONNECT_S, set_as_default=False
            )
    except OSError as error:
        raise ArenaError(
            f"no Dask scheduler answers at {address.url}: {short(error)}",
            hint="start it (`dask scheduler`, docs/cluster.md), or try --local 2",
            exit_code=Exit.ENVIRONMENT,
        ) from None


def _prepare_scheduler(dask_scheduler: Any) -> None:
    """On the scheduler: a task that took its worker down is never tried again by Dask."""
    dask_scheduler.allowed_failures = 0


def _addresses(dask_scheduler: Any) -> list[str]:
    """On the scheduler: the workers."""
    return list(dask_scheduler.workers)


def _forget(topic: str, dask_scheduler: Any) -> None:
    """On the scheduler: drop the events that it keeps of a run."""
    broker = getattr(dask_scheduler, "_broker", None)
    if broker is not None:
        broker.truncate(topic)
