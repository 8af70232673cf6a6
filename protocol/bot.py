"""The bot loop: what a Python author calls.

    from protocol import run
    run(lambda view: view.legal[0])

Reads fd 0, writes frames to a private copy of fd 1, and points fd 1 and `sys.stdout` at stderr,
so that `print` in a bot does no harm.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import msgpack

from protocol.codec import VERSION, Codec, Map, codec, decode_line
from protocol.errors import Code, LocalProtocolError
from protocol.view import View


class Bot:
    """Subclass this, override `choose` (and any hook), and call `.run()`."""

    name = ""
    """Sent in `ready` when not empty."""
    version = ""

    def on_hello(self, hello: Map) -> None:
        """Once, before anything else: `game`, `rules`, `limits`. Time counts against `limits["start_ms"]`."""

    def on_game_start(self, start: Map) -> None:
        """Before each game: `seat`, `partner`, `dealer`, `seed`."""

    def choose(self, view: View) -> str:
        """A word out of `view.legal`."""
        raise NotImplementedError("a bot overrides choose(view)")

    def on_hand_end(self, end: Map) -> None:
        """After each hand: `hands` as dealt, `upcard`, `points`, `scores`."""

    def on_game_end(self, end: Map) -> None:
        """After each game: `scores`, `winner`, `reason`."""

    def run(self, encoding: str | None = None) -> None:
        """Play until `bye` or the end of stdin. `encoding` is `msgpack` or `json`; left out, the
        environment's ARENA_ENCODING counts, and without that the first byte that comes decides."""
        _serve(self, encoding or os.environ.get("ARENA_ENCODING"))


class _Chooser(Bot):
    def __init__(self, choose: Callable[[View], str], name: str, version: str) -> None:
        self._choose = choose
        self.name = name
        self.version = version

    def choose(self, view: View) -> str:
        return self._choose(view)


def run(
    choose: Callable[[View], str], *, name: str = "", version: str = "", encoding: str | None = None
) -> None:
    """Play with `choose(view) -> word` until `bye` or the end of stdin. See `Bot.run` for `encoding`."""
    _Chooser(choose, name, version).run(encoding)


def _serve(bot: Bot, encoding: str | None) -> None:
    try:
        os.fstat(2)
    except OSError:
        # No stderr: what is printed goes nowhere. This takes the lowest free descriptor, which is 2.
        os.open(os.devnull, os.O_WRONLY)
    out = os.dup(1)
    os.dup2(2, 1)
    saved = sys.stdout
    saved.flush()  # what was printed before now goes to stderr too
    sys.stdout = sys.stderr
    try:
        _loop(bot, encoding, 0, out)
    except BrokenPipeError:
        pass  # the arena has gone: nobody is left to play for
    finally:
        sys.stdout = saved
        os.close(out)


def _loop(bot: Bot, encoding: str | None, source: int, out: int) -> None:
    data = os.read(source, 65536)
    if encoding is None:
        encoding = "json" if data[:1] == b"{" else "msgpack"
    wire = codec(encoding)
    # The arena's own messages are trusted: the plain decoder is several times faster than the checking one.
    decode: Callable[[bytes], Any] = msgpack.unpackb if encoding == "msgpack" else decode_line
    decoder = wire.decoder()
    while data:
        decoder.feed(data)
        while (payload := decoder.next_frame()) is not None:
            message = decode(payload)
            if message["type"] == "act":
                _write(out, wire.encode(_answer(bot, message)))
            elif not _tell(bot, message, wire, out):
                return
        data = os.read(source, 65536)


def _answer(bot: Bot, message: Map) -> Map:
    word = bot.choose(View(message))
    if type(word) is not str:
        text = f"choose() returned {word!r}: it must return a word out of view.legal"
        raise LocalProtocolError(Code.BAD_MESSAGE, text)
    if word not in message["legal"]:
        print(f"choose() returned {word!r}, which is not in {message['legal']}", file=sys.stderr, flush=True)
    return {"type": "action", "id": message["id"], "action": word}


def _tell(bot: Bot, message: Map, wire: Codec, out: int) -> bool:
    """Everything but `act`: calls the hook; False when it is over. Unknown types are ignored."""
    kind: str = message["type"]
    if kind == "hand_end":
        bot.on_hand_end(message)
    elif kind == "game_start":
        bot.on_game_start(message)
    elif kind == "game_end":
        bot.on_game_end(message)
    elif kind == "hello":
        if message["protocol"] != VERSION:
            text = f"the arena speaks protocol {message['protocol']}, this bot {VERSION}"
            raise LocalProtocolError(Code.BAD_MESSAGE, text)
        bot.on_hello(message)
        ready = {"type": "ready"}
        if bot.name:
            ready["name"] = bot.name
        if bot.version:
            ready["version"] = bot.version
        _write(out, wire.encode(ready))
    return kind != "bye"


def _write(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]
