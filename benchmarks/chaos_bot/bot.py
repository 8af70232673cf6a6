"""Plays any legal action, and now and then does something dreadful, which it names on stderr first.

`benchmarks/chaos.py` knows what each of them must come to.
"""

import ctypes
import os
import random
import signal
import sys
import threading
import time

from protocol import View, encode_frame, run

CHANCE = 1 / 300
"""Of each decision: in about a third of the games."""
out = os.dup(1)
dice = random.SystemRandom()


def send(answer: object, number: object) -> None:
    os.write(out, encode_frame({"type": "action", "id": number, "action": answer}))


def forget() -> None:
    """A process that does not end with this one, in a session of its own."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.wait()


def burn() -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass


def misbehave(kind: str, view: View) -> None:
    match kind:
        case "exit":
            os._exit(dice.choice((0, 1, 77)))
        case "segv":
            ctypes.string_at(0)
        case "abort":
            os.abort()
        case "raise":
            raise KeyError("a bug")
        case "close":
            os.closerange(0, 64)
            time.sleep(60)
        case "hang":
            time.sleep(60)
        case "spin":
            burn()
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(60)
        case "late":
            time.sleep(view["time_ms"] / 1000 + dice.random() * 0.1)
        case "half":
            os.write(out, b"\0\0\0\x30\x83\xa4ty")
            time.sleep(60)
        case "half then exit":
            os.write(out, b"\0\0\0\x30\x83\xa4ty")
            os._exit(0)
        case "illegal":
            send("play:ZZ", view["id"])
            time.sleep(60)
        case "wrong id":
            send(view.legal[0], view["id"] ^ 5)
            time.sleep(60)
        case "two answers":
            send(view.legal[0], view["id"])
        case "text":
            os.write(out, b"thinking...\n")
            time.sleep(60)
        case "huge":
            os.write(out, b"\xff" * 4096)
            time.sleep(60)
        case "nested":
            payload = b"\x81\xa1x" + b"\x91" * 50_000 + b"\xc0"
            os.write(out, len(payload).to_bytes(4, "big") + payload)
            time.sleep(60)
        case "endless":
            while True:
                os.write(out, b"\0" * 65536)
        case "answer then exit":
            send(view.legal[0], view["id"])
            os._exit(0)
        case "memory":
            kept = [b"x" * (16 << 20) for _ in range(1000)]
            time.sleep(len(kept))
        case "stderr":
            for _ in range(64):
                os.write(2, b"debug " * 5000)
        case "daemon":
            forget()
        case "ponder":
            threading.Thread(target=burn, daemon=True).start()


KINDS = (
    "exit", "segv", "abort", "raise", "close", "hang", "spin", "stop", "late", "half", "half then exit",
    "illegal", "wrong id", "two answers", "text", "huge", "nested", "endless", "answer then exit", "memory",
    "stderr", "daemon", "ponder",
)  # fmt: skip


def choose(view: View) -> str:
    if dice.random() < CHANCE:
        kind = dice.choice(KINDS)
        print(f"\nCHAOS {kind}", file=sys.stderr, flush=True)
        misbehave(kind, view)
    return dice.choice(view.legal)


run(choose)
