"""Does a bot draw conclusions from the time that others take? Recorded requests put again, at other tempi.

A seat of the bot gets, in a process of its own, byte for byte what a game of the log would send it; between
the requests there are other delays than the others took. A bot whose choices follow from what it was sent
decides the same each time. Each tempo is tried twice: a bot whose choices differ there, too, is not
deterministic, and nothing can be told. What a bot does with the time that it has itself is not looked at.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from arena.bots.build import build
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.resolve import Bot
from arena.cards.notation import pack_from_words
from arena.errors import ArenaError
from arena.games.base import Game
from arena.games.registry import get_game
from arena.replay.log import LoggedGame, read_games
from arena.table import referee
from arena.table.clock import RealClock
from arena.table.job import BotRef
from arena.table.sets import LiveSet

GAMES = 3
"""Games that are tried unless more are asked for."""
LONGEST_S = 0.2
SHARES = (0.0, 0.05, 0.2, 1.0)
"""Parts of the longest delay that a request may be put after."""
PATIENCE_S = 30.0
"""How long a decision may take here: whether it was in time is not what is asked."""


class TempoVerdict(StrEnum):
    """What the audit found."""

    STEADY = "steady"
    """It decides the same at every tempo."""
    FOLLOWS_TEMPO = "follows_tempo"
    """It decides the same at the same tempo, and otherwise at another one."""
    NOT_DETERMINISTIC = "not_deterministic"
    """It does not decide the same at the same tempo: it cannot be told."""


CERTAIN = 2
"""A crowded machine adds delays of its own: one decision that differs at the same tempo is let be for so many
that differ between tempi alone. With dice of its own a bot comes to a tenth at most: it would have to throw
the same twice at each tempo, and something else at another."""
AT_ONCE = 4
"""Processes that play at the same time."""


@dataclass(frozen=True, slots=True)
class Change:
    """One decision that came out otherwise."""

    pair: int
    leg: int
    hand: int
    seat: int
    phase: str
    choices: tuple[str, ...]
    """One for each of `TEMPI`; of a bot that failed, the fault's code in brackets, and "" from then on."""


@dataclass(frozen=True, slots=True)
class TempoReport:
    """The result of one audit."""

    bot: str
    verdict: TempoVerdict
    games: int
    decisions: int
    """Recorded requests that were put again, at each tempo."""
    changed: int
    """Of these, those at which it chose alike at the same tempo, and otherwise at another."""
    noisy: int
    """And those at which it did not choose alike at the same tempo."""
    first: Change | None


@dataclass(frozen=True, slots=True)
class _Script:
    """All that one seat is sent in one game."""

    game: Game
    pair: int
    leg: int
    seat: int
    steps: tuple[tuple[dict[str, Any], ...], ...]
    """By request: messages that go before it, and then the request."""


TEMPI = ("none", "none", "mixed", "mixed", "reversed", "reversed")
"""No delays; delays of many lengths, drawn at random; the same the other way round."""


def audit_tempo(
    logs: Sequence[Path],
    bot: Bot,
    level: Level,
    *,
    games: int = GAMES,
    longest_s: float = LONGEST_S,
    home: Path | None = None,
) -> TempoReport:
    """Put the requests of the first `games` games of `bot` in `logs` again, at the tempi of `TEMPI`.

    Raises ArenaError for a bot that did not play there or does not start, LogError for a bad log.
    """
    directory = build(bot, level, home=home).directory
    manifest = bot.manifest
    ref = BotRef(
        bot.name, manifest.version, bot.digest, str(directory), manifest.command, manifest.encoding.value
    )
    tried = decisions = changed = noisy = 0
    first: Change | None = None
    for logged, places in islice(_games_of(logs, bot), games):
        limits = Limits.from_dict(dict(logged.header.limits))
        scripts = [_script(logged, seat) for seat in places]
        runs = [(script, _delays(script, tempo, longest_s)) for script in scripts for tempo in TEMPI]
        play = partial(_choices, ref, limits, level)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(play, *zip(*runs, strict=True)))
        tried += 1
        for number, script in enumerate(scripts):
            tempi = found[number * len(TEMPI) : (number + 1) * len(TEMPI)]
            decisions += len(script.steps)
            for step, choices in zip(script.steps, zip_longest(*tempi, fillvalue=""), strict=False):
                if len(set(choices)) == 1:
                    continue
                if choices[::2] != choices[1::2]:
                    noisy += 1
                    continue
                changed += 1
                request = step[-1]
                if first is None:
                    first = Change(
                        script.pair,
                        script.leg,
                        request["hand_number"],
                        script.seat,
                        request["phase"],
                        choices,
                    )
    if not tried:
        raise ArenaError(
            f"bot `{bot.name}` (digest {bot.digest[:8]}) played no game of these logs",
            hint="give the very files that played; `arena replay list` says who did",
        )
    verdict = TempoVerdict.STEADY
    if changed and changed >= CERTAIN * noisy:
        verdict = TempoVerdict.FOLLOWS_TEMPO
    elif noisy:
        verdict = TempoVerdict.NOT_DETERMINISTIC
    return TempoReport(bot.name, verdict, tried, decisions, changed, noisy, first)


def _games_of(logs: Sequence[Path], bot: Bot) -> Iterator[tuple[LoggedGame, list[int]]]:
    """The games that the bot played, with its seats."""
    for path in logs:
        for logged in read_games(path):
            mine = [number for number, one in enumerate(logged.header.bots) if one.digest == bot.digest]
            places = [seat for seat, number in enumerate(logged.start.teams) if number in mine]
            if places and logged.hands:
                yield logged, places


def _script(logged: LoggedGame, seat: int) -> _Script:
    """What `seat` was sent, made again from the log; the ids are others, the same in every run."""
    game = get_game(logged.header.game, logged.header.rules)
    start = logged.start
    time_ms = logged.header.limits.get("move_ms")
    state = game.new_state(dealer=start.dealer)
    before = [referee.game_start(game, seat, start.dealer, start.seeds[seat])]
    steps: list[tuple[dict[str, Any], ...]] = []
    for hand in logged.hands:
        state.deal(pack_from_words(hand.pack, game.pack))
        for place, word in enumerate(hand.acts):
            if state.to_act == seat:
                bank = None if hand.bank is None else hand.bank[place]
                name = f"{start.pair}|{start.leg}|{seat}|{len(steps)}"
                number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 11
                steps.append((*before, referee.act(state, seat, state.legal_words(), number, time_ms, bank)))
                before = []
            action = game.action(word)
            assert action is not None
            state.apply(action)
        if state.to_act is None and state.last_hand is not None:
            before.append(referee.hand_end(state.last_hand, list(state.scores)))
    return _Script(game, start.pair, start.leg, seat, tuple(steps))


def _delays(script: _Script, tempo: str, longest_s: float) -> list[float]:
    """Seconds to wait before each request."""
    if tempo == "none":
        return [0.0] * len(script.steps)
    dice = random.Random(f"{script.pair}|{script.leg}|{script.seat}")
    drawn = [longest_s * dice.choice(SHARES) for _ in script.steps]
    return drawn if tempo == "mixed" else drawn[::-1]


def _choices(
    ref: BotRef, limits: Limits, level: Level, script: _Script, delays: Sequence[float]
) -> list[str]:
    """What a fresh process decides at each request, with these delays."""
    choices: list[str] = []
    live = LiveSet(
        script.game, [ref], limits=limits, isolation=level, clock=RealClock(), ponder="allow",
        seats=[script.seat],
    )  # fmt: skip
    try:
        foul = live.fouls[0]
        if foul is not None or live.table is None:
            raise ArenaError(f"bot `{ref.name}` does not start: {foul.detail if foul else ''}")
        seat = live.table.seats[0]
        for step, delay in zip(script.steps, delays, strict=True):
            *before, request = step
            time.sleep(delay)
            for message in before:
                seat.tell(message)
            came, _ = seat.ask(request, PATIENCE_S)
            verdict = referee.judge(came, request["id"], request["legal"], seat.decode)
            if isinstance(verdict, referee.Foul):
                choices.append(f"({verdict.code.value})")
                break
            choices.append(request["legal"][verdict])
        live.end()
    except BaseException:
        live.kill()
        raise
    return choices
