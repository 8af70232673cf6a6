"""Fuzzing what reads from bots: frames, lines, payloads, messages, the ladder.

    python benchmarks/fuzz.py [--inputs N] [--seed S] [--engine atheris|random]

Every input must come to events, to a verdict, or to `RemoteProtocolError`, the same however it is cut into
reads. Any other exception is a find: it is printed with its input, and the exit status is 1. `--inputs`
is 10,000,000 by default (some ten minutes on two cores). With atheris (`pip install 'euchre-arena[fuzz]'`)
inputs are guided by coverage, else they are mutations of good and bad frames.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from types import FunctionType
from typing import Any

from arena.table.referee import Foul, NoFrame, Why, judge, judge_ready, usual_answer
from protocol import FrameDecoder, LineDecoder, RemoteProtocolError, codec

MOST_FRAMES = 4096
LEGAL = ["pass", "order_up", "play:JS"]
VECTORS = Path(__file__).parents[1] / "protocol" / "vectors"


def frames(decoder: FrameDecoder | LineDecoder, reads: Iterator[bytes]) -> tuple[list[bytes], str]:
    """The payloads that the reads give, and the code of the error that ended them ("" for none)."""
    found = []
    try:
        for data in reads:
            decoder.feed(data)
            while (payload := decoder.next_frame()) is not None:
                found.append(payload)
                if len(found) > MOST_FRAMES:
                    return found, ""
    except RemoteProtocolError as error:
        return found, error.code.value
    assert isinstance(decoder.hint(), str)
    return found, ""


def cut(data: bytes) -> Iterator[bytes]:
    """The same bytes in reads of other sizes, which the bytes themselves choose."""
    at, step = 0, 1
    while at < len(data):
        step = 1 + (data[at] + step) % 7
        yield data[at : at + step]
        at += step


def one(data: bytes) -> None:
    """Try one input in every place that reads from a bot. Raises what must not be."""
    for encoding in ("msgpack", "json"):
        wire = codec(encoding)
        whole = frames(wire.decoder(), iter((data,)))
        assert whole == frames(wire.decoder(), cut(data)), "cut into reads it is another thing"
        for payload in (*whole[0], data):
            try:
                message = wire.decode(payload)
            except RemoteProtocolError:
                message = None
            verdict = judge(payload, 17, LEGAL, wire.decode, 16)
            if isinstance(verdict, Foul):
                assert verdict.detail
                assert usual_answer(payload, 17, LEGAL) is None or encoding == "json"
            else:
                assert message is not None
                assert message["action"] == LEGAL[verdict]
                assert message["id"] == 17
            ready = judge_ready(payload, wire.decode)
            assert isinstance(ready, Foul) or all(len(text) <= 64 for text in ready)
    assert isinstance(judge(NoFrame(Why.EOF, repr(data[:9])), 17, LEGAL, lambda payload: {}), Foul)


def seeds() -> list[bytes]:
    """Good and bad frames to start from: the golden vectors, and some that the ladder knows."""
    found = [b"", b"{}\n", b"\0\0\0\1\x80", b"thinking...\n", b"\xff" * 8, b"\0\0\0\5\x91\x91\x91\x91\xc0"]
    for encoding in ("msgpack", "json"):
        encode = codec(encoding).encode
        for word in (*LEGAL, "play:ZZ"):
            for number in (16, 17, 18):
                found.append(encode({"type": "action", "id": number, "action": word}))
        found.append(encode({"type": "ready", "name": "x" * 64, "version": "1"}))
    for name in ("good.json", "bad.json"):
        for text in _texts(json.loads((VECTORS / name).read_text(encoding="utf-8"))):
            try:
                found.append(bytes.fromhex(text))
            except ValueError:
                found.append(text.encode("utf-8", "surrogatepass"))
    return [data for data in found if len(data) < 4096]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def mutations(dice: random.Random, start: list[bytes]) -> Iterator[bytes]:
    """Endless: known inputs changed here and there, joined, cut, with lengths that fit or nearly."""
    special = [
        0,
        1,
        0x7F,
        0x80,
        0x81,
        0x83,
        0x8F,
        0x90,
        0xA0,
        0xBF,
        *range(0xC0, 0xE0),
        0xFF,
        10,
        13,
        34,
        92,
        123,
    ]
    while True:
        data = bytearray(dice.choice(start))
        for _ in range(dice.choice((0, 1, 1, 2, 3, 8))):
            if not data:
                break
            at = dice.randrange(len(data))
            match dice.randrange(7):
                case 0:
                    data[at] = dice.randrange(256)
                case 1:
                    data[at] = dice.choice(special)
                case 2:
                    data[at:at] = dice.randbytes(dice.randrange(1, 5))
                case 3:
                    del data[at : at + dice.randrange(1, 9)]
                case 4:
                    data[at:at] = data[at : at + dice.randrange(1, 40)]
                case 5:
                    data += dice.choice(start)
                case 6:
                    data[at] ^= 1 << dice.randrange(8)
        if dice.random() < 0.5 and len(data) > 4:
            data[:4] = (len(data) - 4).to_bytes(4, "big")
        yield bytes(data)


def batch(task: tuple[int, int]) -> tuple[int, str]:
    """So many random inputs; how many were tried, and the first find."""
    seed, count = task
    stream = mutations(random.Random(seed), seeds())
    for number in range(count):
        data = next(stream)
        try:
            one(data)
        except Exception as error:
            return number, f"{type(error).__name__}: {error}\n  seed {seed}, input {data.hex()}"
    return count, ""


def at_random(inputs: int, seed: int) -> int:
    """Mutations, on every core. The number of finds."""
    size = min(inputs, 50_000)
    tasks = [(seed + at, min(size, inputs - at)) for at in range(0, inputs, size)]
    tried, finds, shown = 0, set(), time.monotonic()
    with get_context("spawn").Pool(min(len(tasks), os.cpu_count() or 1)) as pool:
        for count, find in pool.imap_unordered(batch, tasks):
            tried += count
            if find:
                finds.add(find)
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                print(f"{tried:,} inputs ...", flush=True)
    print(f"{tried:,} inputs by mutation: {len(finds)} finds")
    for find in finds:
        print(f"FIND {find}", file=sys.stderr)
    return len(finds)


def guided(inputs: int, seed: int) -> int:
    """By coverage, in a process of its own, since atheris ends the one that it runs in. 0 without a find."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as corpus:
        for number, data in enumerate(seeds()):
            Path(corpus, str(number)).write_bytes(data)
        words = ["--engine", "atheris", "--inputs", str(inputs), "--seed", str(seed), "--corpus", corpus]
        return subprocess.run([sys.executable, __file__, *words], check=False).returncode


def atheris_process(inputs: int, seed: int, corpus: str) -> None:
    """Never returns."""
    import atheris

    for name in ("protocol.codec", "protocol.framing", "arena.table.referee"):
        for value in list(vars(sys.modules[name]).values()):
            for function in list(vars(value).values()) if isinstance(value, type) else (value,):
                if isinstance(function, FunctionType) and function.__module__.startswith(
                    ("protocol", "arena")
                ):
                    atheris.instrument_func(function)
    options = [f"-runs={inputs}", f"-seed={seed or 1}", "-max_len=4096", f"-artifact_prefix={corpus}/"]
    atheris.Setup([sys.argv[0], *options, corpus], one)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--engine", choices=("atheris", "random"), default=None)
    parser.add_argument("--corpus", default=None, help=argparse.SUPPRESS)
    args = parser.parse_args()
    engine = args.engine or ("atheris" if find_spec("atheris") else "random")
    if args.corpus:
        atheris_process(args.inputs, args.seed, args.corpus)
    print(f"{args.inputs:,} inputs, engine {engine}, seed {args.seed}", flush=True)
    return 1 if (guided if engine == "atheris" else at_random)(args.inputs, args.seed) else 0


if __name__ == "__main__":
    raise SystemExit(main())
