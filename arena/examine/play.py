"""Real games against the bot under examination: the arena's own driver, with seats that steer.

The other three seats choose so that the bot meets everything: they order up its discard, go alone against it,
let it sit out, pass it into the second round. What it was asked is counted.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.cards.shuffle import shuffled
from arena.examine.forms import NEWS, Manner, encoder, padded
from arena.examine.talk import Talk
from arena.games.base import Game, HandResult
from arena.table.clock import RealClock
from arena.table.match import Played, play_game
from arena.table.referee import Came, Foul, Map, NoFrame, Why
from arena.table.seats import CallableSeat, Seat
from arena.table.verdict import EndReason, Fault
from protocol import RemoteProtocolError, View

APART_PAUSE_S = 0.02
FREEZE_S = 0.3
STYLES = ("pass", "order", "free", "pass", "lone", "no_trump", "pass", "order", "free")
"""How the other seats call, hand by hand."""


class Enough(Exception):
    """The time for this part of the examination is used up: its games are broken off."""


@dataclass(slots=True)
class Tally:
    """What the bot was asked, and how long it took."""

    seconds: list[float] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    """By phase, and by kind: `alone`, `against a lone maker`, `no trump`, `one word legal`."""
    words: list[str] = field(default_factory=list)
    """Its answers to the requests of the first game, in order."""
    games: int = 0
    hands: int = 0
    sat_out: int = 0
    """Hands in which its partner played alone."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong in a game: the foul, and the conversation so far."""

    foul: Foul
    sent: tuple[Map, ...]
    """The messages before it, the last one last."""
    answered: int
    """Messages of the bot before it, `ready` included."""
    games: int
    """Whole games before it, in the same process."""


class ExaminedSeat:
    """The bot's seat: everything goes over the wire, in the manner of this part."""

    def __init__(self, talk: Talk, manner: Manner, tally: Tally, deadline: float) -> None:
        self._talk = talk
        self._manner = manner
        self._tally = tally
        self._deadline = deadline
        self._encode = encoder(talk.subject.encoding, manner)
        self._held: list[Map] = []
        self._requests = 0

    def tell(self, message: Map, *, now: bool = False) -> None:
        if message.get("forfeit") or message.get("reason") == EndReason.FORFEIT:
            return  # what went wrong before it is what the author must see
        self._held.append(message)
        if self._manner.unknown:
            self._held.append(NEWS)
        if now:
            self._flush()

    def ask(self, request: Map, limit: float | None) -> tuple[Came, float]:
        if time.monotonic() > self._deadline:
            raise Enough
        talk, manner, tally = self._talk, self._manner, self._tally
        self._requests += 1
        foul = self._stray()
        if foul is not None:
            return NoFrame(Why.EARLIER, foul=foul), 0.0
        self._count(request)
        if manner.pad_every and self._requests % manner.pad_every == 0:
            size = talk.subject.limits.frame_bytes
            request = padded(request, self._encode, talk.subject.encoding, size)
        frozen = bool(manner.freeze_every) and self._requests % manner.freeze_every == 0
        if frozen:
            talk.process.freeze()
            time.sleep(FREEZE_S)
        self._held.append(request)
        if frozen and not manner.apart:
            trouble = self._thaw_soon()
        else:
            if frozen:
                talk.process.thaw()
            trouble = self._flush()
        began = time.monotonic()
        came = trouble or talk.receive(limit)
        seconds = time.monotonic() - began
        if isinstance(came, bytes):
            tally.seconds.append(seconds)
            if tally.games == 0:
                self._note_word(came)
        return came, seconds

    def decode(self, payload: bytes) -> Map:
        return self._talk.codec.decode(payload)

    def _thaw_soon(self) -> NoFrame | None:
        """Write while it is frozen, as far as the pipe takes it, then let it go on."""
        messages, self._held = self._held, []
        data = b"".join(map(self._encode, messages))
        try:
            if len(data) < 4096:
                return self._talk.write(data, messages)
        finally:
            self._talk.process.thaw()
        return self._talk.write(data, messages)

    def _flush(self) -> NoFrame | None:
        """Write what is held back, as the manner has it."""
        messages, self._held = self._held, []
        talk = self._talk
        if self._manner.apart:
            for message in messages:
                trouble = talk.write(self._encode(message), [message])
                if trouble is not None:
                    return trouble
                time.sleep(APART_PAUSE_S)
            return None
        data = b"".join(map(self._encode, messages))
        return talk.write_pieces(data, messages) if self._manner.pieces else talk.write(data, messages)

    def _stray(self) -> Foul | None:
        """What it said without being asked, before the next request."""
        stray = self._talk.stray()
        if not stray:
            return None
        decoder = self._talk.codec.decoder()
        decoder.feed(stray)
        try:
            frame = decoder.next_frame()
        except RemoteProtocolError as error:
            return Foul(Fault.MALFORMED, error.text)
        if frame is None:
            return Foul(Fault.MALFORMED, decoder.hint())
        return Foul(Fault.UNSOLICITED, f"a message came that no request had asked for: {frame[:60].hex(' ')}")

    def _count(self, request: Map) -> None:
        asked = self._tally.asked
        asked[request["phase"]] += 1
        if len(request["legal"]) == 1:
            asked["one word legal"] += 1
        alone = request.get("alone") or ()
        if request["seat"] in alone:
            asked["alone"] += 1
        elif alone:
            asked["against a lone maker"] += 1
        if request.get("trump") == "NT":
            asked["no trump"] += 1

    def _note_word(self, payload: bytes) -> None:
        try:
            self._tally.words.append(str(self.decode(payload).get("action")))
        except RemoteProtocolError:
            return


class Silent:
    """A recorder that writes nothing down."""

    def hand(self, *_: object) -> None: ...
    def decision(self, *_: object) -> None: ...
    def hand_ended(self, *_: object) -> None: ...


class _Steering:
    """How the other seats choose: at random, in a style that changes from hand to hand."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._dice = random.Random(number)

    def choose(self, view: View) -> str:
        legal = view.legal
        style = STYLES[(view.hand_number + self._number) % len(STYLES)]
        if view.phase in ("bid1", "bid2"):
            wanted = {
                "pass": [word for word in legal if word == "pass"],
                "order": [word for word in legal if word != "pass" and "alone" not in word],
                "lone": [word for word in legal if "alone" in word],
                "no_trump": [
                    word for word in legal if word == ("pass" if view.phase == "bid1" else "name:NT")
                ],
                "free": [word for word in legal if word == "pass" and self._dice.random() < 0.7],
            }[style]
            if wanted:
                return self._dice.choice(wanted)
        return self._dice.choice(legal)


def play_games(
    talk: Talk,
    game: Game,
    tally: Tally,
    *,
    manner: Manner | None = None,
    games: int,
    seconds: float,
    max_hands: int | None = None,
    first: int = 0,
) -> Trouble | None:
    """Play up to `games` games with the bot in one seat of four, for at most `seconds`.

    What went wrong, None if nothing did. `first`: the number of the first game; games of one number have the
    same decks and the same other players.
    """
    deadline = time.monotonic() + seconds
    seat_of_bot = ExaminedSeat(talk, manner or Manner(), tally, deadline)
    for number in range(first, first + games):
        if time.monotonic() > deadline:
            return None
        place = number % game.seats
        partner = next(
            (s for s in range(game.seats) if s != place and game.team_of(s) == game.team_of(place)), None
        )

        def note(result: HandResult, partner: int | None = partner) -> None:
            tally.hands += 1
            facts = result.facts
            lone = facts.get("maker") if facts.get("alone") else None
            if partner is not None and partner in (lone, facts.get("lone_defender")):
                tally.sat_out += 1

        seats: list[Seat] = [CallableSeat(_Steering(4 * number + s).choose) for s in range(game.seats)]
        seats[place] = seat_of_bot
        try:
            played = _play(game, seats, number, talk, max_hands, note)
        except Enough:
            return None
        talk.memory()
        if played.foul is not None:
            return Trouble(played.foul, tuple(talk.sent), talk.answered, tally.games)
        tally.games += 1
    return None


def _play(
    game: Game, seats: Sequence[Seat], number: int, talk: Talk, max_hands: int | None, note: object
) -> Played:
    return play_game(
        game, seats, lambda hand: _deck(game, number, hand), limits=talk.subject.limits, clock=RealClock(),
        recorder=Silent(), dealer=number % game.seats, bot_seeds=[number * 1000 + 1] * game.seats,
        on_hand=note, max_hands=max_hands,  # type: ignore[arg-type]
    )  # fmt: skip


def _deck(game: Game, number: int, hand: int) -> list[int]:
    """A deck; where there is a joker it is turned up in every third hand."""
    deck = shuffled(f"examine|{game.id}|{number}|{hand}".encode(), len(game.pack))
    if "JK" in game.pack and game.seats == 4 and (number + hand) % 3 == 0:
        joker, turned = deck.index(game.pack.index("JK")), 20
        deck[joker], deck[turned] = deck[turned], deck[joker]
    return deck
