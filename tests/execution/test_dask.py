"""What Dask workers must be, how bots come to them, and how a scheduler may be reached."""

from __future__ import annotations

import os
import shutil
import signal
import ssl
import stat
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.bots.limits import Limits
from arena.bots.resolve import load, sample_bots
from arena.errors import ArenaError, Exit
from arena.execution import dask as dask_module
from arena.execution import link, parcels
from arena.execution.base import BlockJob, BotRef, Event, Finished, Lost
from arena.execution.dask import Cluster, admitted, open_dask
from arena.execution.link import Unfit
from arena.execution.tls import CA_KEY, ROLES, make_certificates, parse_address, security
from arena.version import __version__

LIMIT_S = 60
Started = tuple[Any, Path, list[Any]]


def run(main: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        with trio.fail_after(LIMIT_S):
            await main()

    trio.run(bounded)


@pytest.mark.parametrize(
    ("text", "tls", "url"),
    [
        ("127.0.0.1", False, "tcp://127.0.0.1:8786"),
        ("localhost:99", False, "tcp://localhost:99"),
        ("tcp://127.8.0.1:9000", False, "tcp://127.8.0.1:9000"),
        ("[::1]:9000", False, "tcp://[::1]:9000"),
        ("[::1]", False, "tcp://[::1]:8786"),
        ("head:1", True, "tls://head:1"),
        ("tls://10.0.0.7", True, "tls://10.0.0.7:8786"),
    ],
)
def test_addresses_that_may_be_used(text: str, tls: bool, url: str) -> None:
    assert parse_address(text, Path("/x") if tls else None).url == url


@pytest.mark.parametrize(
    ("text", "tls", "words"),
    [
        ("10.0.0.7:8786", False, "plain TCP off this machine"),
        ("tcp://head", False, "plain TCP off this machine"),
        ("tcp://0.0.0.0:8786", False, "plain TCP off this machine"),
        ("localhost.example.org", False, "plain TCP off this machine"),
        ("tls://head", False, "TLS needs certificates"),
        ("tcp://head", True, "plain TCP"),
        ("tcp://127.0.0.1", True, "is not encrypted"),
        ("ucx://head", True, "unknown protocol `ucx`"),
        ("head:port", True, "expected HOST:PORT"),
        ("head:70000", True, "expected HOST:PORT"),
        ("tls://", True, "expected HOST:PORT"),
    ],
)
def test_addresses_that_are_refused(text: str, tls: bool, words: str) -> None:
    with pytest.raises(ArenaError, match=words) as caught:
        parse_address(text, Path("/x") if tls else None)
    assert caught.value.exit_code == Exit.USAGE


def test_certificates(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    made = make_certificates(folder, ["head.example.org", "10.0.0.7"])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    keys = [path for path in made if path.name.endswith("-key.pem")]
    assert len(keys) == 1 + len(ROLES)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in keys)
    for role in ROLES:
        context = ssl.create_default_context(cafile=folder / "ca.pem")
        context.load_cert_chain(folder / f"{role}.pem", folder / f"{role}-key.pem")
    (folder / CA_KEY).unlink()  # stays at home
    assert security(folder) is not None
    with pytest.raises(ArenaError, match="exists already"):
        make_certificates(folder)
    with pytest.raises(ArenaError, match=r"ca\.pem: there is no such file"):
        security(tmp_path)


def a_bot(folder: Path) -> Path:
    """A bot that must be built before it can be started."""
    shutil.copytree(sample_bots()["random"], folder)
    (folder / "bot.py").rename(folder / "source")
    manifest = (folder / "bot.toml").read_text()
    (folder / "bot.toml").write_text(
        manifest.replace('name = "random"', 'name = "made"') + 'build = [["cp", "source", "bot.py"]]\n'
    )
    (folder / "tool").write_text("#!/bin/sh\n")
    (folder / "tool").chmod(0o755)
    (folder / "link").symlink_to("tool")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "old").write_text("no part of it")
    return folder


def test_a_parcel_arrives_as_it_was_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = a_bot(tmp_path / "made")
    digest = load(source).digest
    parcel = tmp_path / "parcel"
    parcels.pack(source, parcel)
    monkeypatch.setattr(parcels, "PART_BYTES", 100)
    assert b"".join(parcels.parts(parcel)) == parcel.read_bytes()
    shelf = parcels.Shelf(tmp_path / "home")
    assert shelf.ready(digest, "basic") is None
    came = shelf.add(digest, parcel)
    assert came.digest == digest
    assert shelf.add(digest, parcel).directory == came.directory  # another slot was quicker
    assert not list(came.directory.parent.glob(".coming-*"))
    ready = shelf.ready(digest, "basic")
    assert ready is not None
    assert (ready / "bot.py").is_file()
    assert not (came.directory / "bot.py").exists()
    (came.directory / "bot.toml").write_text("changed")
    assert shelf.find(digest) is None


def test_a_parcel_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    parcel = tmp_path / "parcel"
    parcels.pack(sample_bots()["random"], parcel)
    shelf = parcels.Shelf(tmp_path / "home")
    with pytest.raises(ArenaError, match="what came has the digest"):
        shelf.add("0" * 64, parcel)
    parcel.write_bytes(parcel.read_bytes()[:100])
    with pytest.raises(ArenaError):
        shelf.add("0" * 64, parcel)
    assert not list((tmp_path / "home" / "parcels").iterdir())


def where(cluster: Started, **more: Any) -> Cluster:
    address, tls, _ = cluster
    return Cluster(address.url, tls=tls, **more)


def a_job(directory: Path, number: int) -> BlockJob:
    bots = [load(directory), load(sample_bots()["greedy"])]
    a, b = (BotRef(bot.name, "1", bot.digest, "/not/there", bot.manifest.command) for bot in bots)
    return BlockJob(
        match_id="cd" * 32,
        block=number,
        attempt=1,
        game="north-american",
        rules={"target": 1},
        bots=(a, b),
        games=((0, 0), (0, 1)),
        block_seed=number.to_bytes(32, "big"),
        limits=Limits(start_ms=60_000, move_ms=20_000, grace_ms=100),
        isolation="basic",
    )


async def nothing_is_attached(started: Started) -> None:
    """No worker holds anything for a run: its slot, with the bots' processes, would stay for good."""

    async def plugins(*, dask_worker: Any) -> list[str]:
        return list(dask_worker.plugins)

    address, tls, _ = started
    async with link.open_link(address, tls) as there:
        for worker in await there.addresses():
            assert "arena" not in await there.call(worker, 10, plugins)


def test_bots_come_by_digest_and_are_built_where_they_run(
    dask_cluster: Started, dask_home: Path, tmp_path: Path
) -> None:
    source = a_bot(tmp_path / "made")
    (source / "note").write_text(str(tmp_path))  # a digest that no worker has seen
    sources = {bot.digest: bot.directory for bot in (load(source), load(sample_bots()["greedy"]))}
    events: list[Event] = []

    async def main() -> None:
        async with (
            open_dask(where(dask_cluster), sources=sources, tell=str) as executor,
            trio.open_nursery() as nursery,
        ):
            for number in range(2):
                nursery.start_soon(executor.submit, a_job(source, number))
            async for event in executor.events():
                events.append(event)
                if sum(isinstance(event, Finished | Lost) for event in events) == 2:
                    break

    run(main)
    ends = [event for event in events if not isinstance(event, tuple)]
    assert all(isinstance(end, Finished) for end in ends), ends
    assert all(event[1].row["machine"] for event in events if isinstance(event, tuple))
    assert {path.name for path in (dask_home / "parcels").iterdir()} >= set(sources)
    assert list((dask_home / "builds").glob(f"*/{load(source).digest}/bot.py"))


def test_a_worker_where_a_bot_cannot_be_built_is_left_out(dask_cluster: Started, tmp_path: Path) -> None:
    source = a_bot(tmp_path / "made")
    text = (source / "bot.toml").read_text().replace('"cp", "source"', '"cp", "missing"')
    (source / "bot.toml").write_text(text)
    sources = {bot.digest: bot.directory for bot in (load(source), load(sample_bots()["greedy"]))}
    told: list[str] = []

    async def main() -> None:
        async with open_dask(where(dask_cluster), sources=sources, tell=told.append) as executor:
            await executor.submit(a_job(source, 0))
            while sum("cannot be had there" in text for text in told) < 2:  # noqa: ASYNC110 (tell is no event)
                await trio.sleep(0.01)
            await executor.cancel()
            assert isinstance(await anext(executor.events()), Lost)

    run(main)
    run(partial(nothing_is_attached, dask_cluster))


@pytest.mark.parametrize(
    ("more", "version", "words"),
    [
        ({"min_score": 10**9}, None, "and --min-score 1000000000"),
        ({}, "9.9", "and this is 9.9"),
    ],
)
def test_workers_that_do_not_fit_are_left_out_with_the_reason(
    dask_cluster: Started,
    monkeypatch: pytest.MonkeyPatch,
    more: dict[str, Any],
    version: str | None,
    words: str,
) -> None:
    told: list[str] = []
    if version is not None:
        monkeypatch.setattr(dask_module, "__version__", version)

    async def main() -> None:
        async with open_dask(where(dask_cluster, **more), sources={}, tell=told.append) as executor:
            assert executor.workers == ()

    run(main)
    run(partial(nothing_is_attached, dask_cluster))
    assert sum("is left out" in text and words in text for text in told) == 2, told


SAID = {
    "arena": __version__,
    "machine": "m",
    "machine_id": "i",
    "threads": 1,
    "score": 50,
    "isolation": "basic",
}


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("a word", "cannot say who it is"),
        (SAID | {"threads": 4}, "4 threads"),
        (SAID | {"score": 49}, "score is 49, and --min-score 50"),
        (SAID | {"arena": "0"}, "arena 0, and this is"),
        (SAID | {"isolation": "basic"}, "isolation basic, and the tournament has strong"),
    ],
)
def test_who_is_admitted(said: Any, words: str) -> None:
    strong = Cluster(min_score=50, isolation="strong")
    with pytest.raises(Unfit, match=words):
        admitted("tcp://x", said, strong)
    assert admitted("tcp://x", SAID, Cluster(min_score=50)).machine == "m"


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "CONNECT_S", 0.2)

    async def main() -> None:
        with pytest.raises(ArenaError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9") as caught:
            async with open_dask(Cluster("127.0.0.1:9"), sources={}, tell=str):
                raise AssertionError
        assert caught.value.exit_code == Exit.ENVIRONMENT

    run(main)


def test_a_scheduler_that_goes_ends_the_run_in_one_line(tmp_path: Path) -> None:
    from arena.execution.cluster import local_cluster

    async def main() -> None:
        with pytest.raises(BaseExceptionGroup) as caught:  # noqa: PT012 (it ends anywhere inside)
            async with open_dask(where(started), sources={}, tell=str):
                os.kill(started[2][0].process.pid, signal.SIGKILL)
                await trio.sleep(LIMIT_S)
        leaf = caught.value
        while isinstance(leaf, BaseExceptionGroup):
            (leaf,) = leaf.exceptions
        assert isinstance(leaf, ArenaError)
        assert leaf.message == "the Dask scheduler is gone"

    with local_cluster([()]) as started:
        run(main)
