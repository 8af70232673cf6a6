"""Play from Python: a hand, a game or duplicate pairs, between functions and bot directories.

    from arena import play_pairs
    result = play_pairs(lambda view: view.legal[0], "sample_bots/random", 10, seed=1)
    print(result.score, result.cells)

A seat is a callable that takes a view (`protocol.View`: what an `act` request holds) and gives a word out of
`view.legal`, or the directory of a bot (a `bot.toml` in it), which is built if need be and run as a process
of its own for each seat. What a callable raises comes back to the caller; what a process does wrong is a
forfeit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.bots import tree
from arena.bots.build import build
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.manifest import read_manifest
from arena.bots.resolve import load
from arena.cards.notation import pack_from_words
from arena.cards.seeds import COMMON, block_seed, bot_seed, deck_seed, master_from_text, rules_id
from arena.cards.shuffle import shuffled
from arena.errors import ArenaError
from arena.games.base import Game, HandResult, RuleError
from arena.games.registry import DEFAULT_GAME, get_game
from arena.records import Decision, GameRecord, HandRecord, PairRecord, PairsRecord
from arena.table.clock import RealClock
from arena.table.explain import fault_text
from arena.table.job import BotRef
from arena.table.match import Played
from arena.table.match import play_game as play
from arena.table.seats import CallableSeat, Choose, Seat
from arena.table.sets import LiveSet
from arena.table.verdict import FaultRecord

__all__ = [
    "Decision",
    "GameRecord",
    "HandRecord",
    "PairRecord",
    "PairsRecord",
    "Player",
    "play_game",
    "play_hand",
    "play_pairs",
]

BLOCK_PAIRS = 10
"""Pairs in a block, which has a seed of its own."""

Player = Choose | str | os.PathLike[str]
"""A callable, or a bot's directory."""


def play_hand(
    players: Sequence[Player],
    *,
    game: str = DEFAULT_GAME,
    rules: Mapping[str, object] | None = None,
    seed: int | str | None = None,
    pack: Sequence[str] | None = None,
    dealer: int = 0,
    scores: Sequence[int] | None = None,
    limits: Limits | None = None,
    isolation: str = "basic",
) -> HandRecord:
    """Play one hand, from any dealer and scores. `pack`: the cards in order of dealing, else `seed` deals.

    A hand that is thrown in is a hand. `players`, and what is raised: as for `play_game`.
    """
    rules_of = _game(game, rules)
    order = None if pack is None else _pack(pack, rules_of)
    with _Room(rules_of, _seating(players, rules_of), limits, isolation) as room:
        record = room.play(_decks(rules_of, seed), 0, dealer=dealer, scores=scores, pack=order, max_hands=1)
    return record.hands[0]


def play_game(
    players: Sequence[Player],
    *,
    game: str = DEFAULT_GAME,
    rules: Mapping[str, object] | None = None,
    seed: int | str | None = None,
    dealer: int = 0,
    scores: Sequence[int] | None = None,
    limits: Limits | None = None,
    isolation: str = "basic",
) -> GameRecord:
    """Play one game. `players`: one for each seat, or one for each team.

    `seed` fixes the decks, None draws them from the system. Without `limits` directories play under the usual
    ones, and callables alone without any; a callable's time is measured, it cannot be stopped. Raises
    ArenaError for an unknown game or rule, or a bot that does not start.
    """
    rules_of = _game(game, rules)
    with _Room(rules_of, _seating(players, rules_of), limits, isolation) as room:
        return room.play(_decks(rules_of, seed), 0, dealer=dealer, scores=scores)


def play_pairs(
    a: Player,
    b: Player,
    n: int,
    *,
    game: str = DEFAULT_GAME,
    rules: Mapping[str, object] | None = None,
    seed: int | str | None = None,
    limits: Limits | None = None,
    isolation: str = "basic",
) -> PairsRecord:
    """Play `n` duplicate pairs: all first legs, then all second ones, a directory's by other processes.

    Callables live through both legs: one that remembers cards knows the second leg's. `seed`, `limits` and
    what is raised: as for `play_game`.
    """
    rules_of = _game(game, rules)
    decks = _decks(rules_of, seed)
    legs: list[list[GameRecord]] = []
    for players in ((a, b), (b, a)):
        with _Room(rules_of, _seating(players, rules_of), limits, isolation) as room:
            legs.append([room.play(decks, pair, dealer=pair % rules_of.seats) for pair in range(n)])
    return PairsRecord(tuple(PairRecord(pair, both) for pair, both in enumerate(zip(*legs, strict=True))))


def _game(game: str, rules: Mapping[str, object] | None) -> Game:
    try:
        return get_game(game, rules)
    except RuleError as error:
        raise ArenaError(str(error)) from None


def _pack(words: Sequence[str], game: Game) -> list[int]:
    try:
        return pack_from_words(words, game.pack)
    except ValueError as error:
        raise ArenaError(f"pack: {error}") from None


def _seating(players: Sequence[Player], game: Game) -> list[Player]:
    """One player a seat, out of one a seat or one a team."""
    if callable(players) or isinstance(players, str):
        raise ArenaError("players: expected a list, one for each seat or one for each team")
    if len(players) == game.seats:
        return list(players)
    if len(players) == game.teams:
        return [players[game.team_of(seat)] for seat in range(game.seats)]
    raise ArenaError(f"{len(players)} players: expected {game.seats} (seats) or {game.teams} (teams)")


class _Decks:
    """Decks and bot seeds by pair, derived as a tournament with common decks derives them."""

    def __init__(self, master: bytes, rules: str, cards: int, seats: int) -> None:
        self._master = master
        self._rules = rules
        self._cards = cards
        self._seats = seats

    def _block(self, pair: int) -> bytes:
        return block_seed(self._master, self._rules, COMMON, COMMON, pair // BLOCK_PAIRS)

    def deck(self, pair: int) -> Callable[[int], list[int]]:
        block = self._block(pair)
        return lambda hand: shuffled(deck_seed(block, pair, hand), self._cards)

    def bot_seeds(self, pair: int) -> list[int]:
        block = self._block(pair)
        return [bot_seed(block, pair, seat) for seat in range(self._seats)]


def _decks(game: Game, seed: int | str | None) -> _Decks:
    master = os.urandom(32) if seed is None else master_from_text(str(seed))
    return _Decks(master, rules_id(game.id, game.rules), len(game.pack), game.seats)


class _Recorder:
    """Writes a game down as typed hands."""

    def __init__(self, game: Game, scores: Sequence[int] | None) -> None:
        self._game = game
        self._scores = tuple(scores) if scores is not None else (0,) * game.teams
        self._open: tuple[int, int, tuple[str, ...]] | None = None
        self._acts: list[tuple[str, float]] = []
        self._ended: tuple[tuple[int, ...], tuple[int, ...], str] | None = None
        self.hands: list[HandRecord] = []

    def hand(self, number: int, dealer: int, pack_words: Iterable[str]) -> None:
        self._open = (number, dealer, tuple(pack_words))
        self._acts = []

    def decision(self, word: str, micros: int, bank_ms: int | None = None) -> None:
        self._acts.append((word, micros / 1_000_000))

    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None:
        self._ended = (tuple(points), tuple(scores), end)

    def on_hand(self, result: HandResult) -> None:
        """What the game says of the hand that `hand_ended` has closed."""
        assert self._ended is not None
        points, scores, end = self._ended
        self._close(points, scores, end, result.facts, None)

    def forfeit(self, fault: FaultRecord) -> None:
        """The open hand ends with a forfeit."""
        if self._open is not None:
            self._close((0,) * self._game.teams, self._scores, "forfeit", {}, fault)

    def _close(
        self,
        points: tuple[int, ...],
        scores: tuple[int, ...],
        end: str,
        facts: Mapping[str, Any],
        fault: FaultRecord | None,
    ) -> None:
        assert self._open is not None
        number, dealer, pack = self._open
        state = self._game.new_state(dealer=dealer, scores=self._scores)
        state.deal(pack_from_words(pack, self._game.pack))
        shown = state.reveal()
        decisions = []
        for word, seconds in self._acts:
            seat, action = state.to_act, self._game.action(word)
            assert seat is not None
            assert action is not None
            decisions.append(Decision(seat, word, seconds))
            state.apply(action)
        hands = tuple(tuple(hand) for hand in shown["hands"])
        self.hands.append(
            HandRecord(
                number,
                dealer,
                pack,
                hands,
                shown["upcard"],
                tuple(decisions),
                points,
                scores,
                end,
                facts,
                fault,
            )
        )
        self._scores = scores
        self._open = None


class _Room:
    """The seats of some games, processes where a player is a directory; they are ended with it."""

    def __init__(self, game: Game, players: Sequence[Player], limits: Limits | None, isolation: str) -> None:
        self._game = game
        self._clock = RealClock()
        self._isolation = isolation
        self._choose: dict[int, Choose] = {}
        self._bots: dict[int, BotRef] = {}
        for seat, player in enumerate(players):
            if callable(player):
                self._choose[seat] = player
            else:
                self._bots[seat] = _bot(Path(player), isolation)
        self._limits = limits or (Limits() if self._bots else Limits(move_ms=None))
        self._live: LiveSet | None = None
        self._caller = tree.as_before()

    def __enter__(self) -> _Room:
        self._caller.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        live, self._live = self._live, None
        try:
            if live is not None:
                if exc[0] is None:
                    live.end()
                else:
                    live.kill()
        finally:
            self._caller.__exit__(None, None, None)

    def _seats(self) -> list[Seat]:
        seats: dict[int, Seat] = {
            seat: CallableSeat(choose, clock=self._clock) for seat, choose in self._choose.items()
        }
        if self._bots and self._live is None:
            self._live = LiveSet(
                self._game, list(self._bots.values()), seats=list(self._bots), limits=self._limits,
                isolation=self._isolation, clock=self._clock,
            )  # fmt: skip
            for seat, foul in zip(self._bots, self._live.fouls, strict=True):
                if foul is not None:
                    fault = self._live.fault(
                        foul,
                        seat,
                        team=self._game.team_of(seat),
                        game="start",
                        hand_number=None,
                        answered=False,
                    )
                    raise ArenaError(fault.text, hint=fault.stderr_tail.strip())
        if self._live is not None and self._live.table is not None:
            seats.update(zip(self._bots, self._live.table.seats, strict=True))
        return [seats[seat] for seat in range(self._game.seats)]

    def play(
        self,
        decks: _Decks,
        pair: int,
        *,
        dealer: int,
        scores: Sequence[int] | None = None,
        pack: Sequence[int] | None = None,
        max_hands: int | None = None,
    ) -> GameRecord:
        recorder = _Recorder(self._game, scores)
        seats = self._seats()
        played = play(
            self._game,
            seats,
            decks.deck(pair) if pack is None else lambda hand: pack,
            limits=self._limits,
            clock=self._clock,
            recorder=recorder,
            dealer=dealer,
            scores=scores,
            bot_seeds=decks.bot_seeds(pair),
            table=self._live.table if self._live is not None else None,
            on_hand=recorder.on_hand,
            max_hands=max_hands,
        )
        fault = self._fault(played, pair)
        if fault is not None:
            recorder.forfeit(fault)
            if self._live is not None:  # a set in which a seat failed is of no further use
                self._live.end(broken=fault.seat)
                self._live = None
        return GameRecord(
            played.scores, played.winner, played.reason, fault, tuple(recorder.hands), played.seconds
        )

    def _fault(self, played: Played, pair: int) -> FaultRecord | None:
        foul, seat = played.foul, played.seat
        if foul is None or seat is None:
            return None
        team, game = self._game.team_of(seat), f"game {pair}"
        if seat in self._bots and self._live is not None:
            return self._live.fault(
                foul, seat, team=team, game=game, hand_number=played.hand_number, answered=played.answered
            )
        text = fault_text(
            foul, bot="callable", seat=seat, game=game, hand_number=played.hand_number, limits=self._limits,
            answered=True,
        )  # fmt: skip
        return FaultRecord(foul.code, seat, team, played.hand_number, text)


def _bot(directory: Path, isolation: str) -> BotRef:
    manifest = read_manifest(directory)
    if manifest.build:
        directory = build(load(directory), Level(isolation)).directory
    return BotRef(
        manifest.name,
        manifest.version,
        "",
        str(directory.resolve()),
        manifest.command,
        str(manifest.encoding),
    )
