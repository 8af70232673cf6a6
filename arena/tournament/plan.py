"""The plan of a tournament: its bots, conditions and seed, and the jobs that they make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.bots.limits import Limits
from arena.cards.seeds import COMMON, block_seed, rules_id
from arena.execution.base import BlockJob, BotRef
from arena.games.base import Game
from arena.store.folder import log_path
from arena.store.queries import Queries
from arena.tournament.course import (
    GAMES_A_BOT,
    Say,
    Seen,
    Step,
    adaptive,
    capped,
    swiss,
    swiss_rounds,
)
from arena.tournament.schedule import OPEN_ENDED, blocks, count_pairings, match_id


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two bots and their match; `a` has the lower digest."""

    match_id: str
    a: BotRef
    b: BotRef


@dataclass(frozen=True)
class Plan:
    """What is to be played. The order of `bots` is the order in which they were given."""

    game: Game
    bots: Sequence[BotRef]
    schedule: str
    pairs: int
    limits: Limits
    isolation: str
    conditions: Mapping[str, Any]
    """What else holds at the table, part of a match's identity: ponder, tempo_ms, common_decks."""
    master: bytes
    commitment: str
    guessable: bool
    budget: int | None = None
    """Games at most, cut in the order of play; None: no limit of its own."""
    confidence: float = 0.95
    """Of an adaptive schedule: it ends when the whole order holds with this."""
    rounds: int | None = None
    """Of a Swiss; None: as many as its number of bots needs."""
    tested: bool = False
    """A sequential test stops it as soon as it is decided."""

    @property
    def looks(self) -> bool:
        """Whether its schedule looks at results."""
        return self.schedule in OPEN_ENDED

    @property
    def open_ended(self) -> bool:
        """Whether results decide how much is played: there is then a most, but no number of games."""
        return self.looks or self.tested

    @cached_property
    def rules_id(self) -> str:
        """Hex digest of the game and all its rules."""
        return rules_id(self.game.id, self.game.rules)

    def course(self, seen: Seen | None = None, out: Collection[str] = (), say: Say = str) -> Iterator[Step]:
        """Every block in the order of play, with waits where results decide what is next.

        `seen`: the results, for a schedule that `looks` at them; `out`: names of bots that have dropped out,
        as it changes; `say` is told in words why it ends, where that is not simply that all is played.
        """
        names = [bot.name for bot in self.bots]
        steps: Iterator[Step]
        budget = self.budget
        if not self.looks:
            steps = blocks(self.schedule, len(names), self.pairs)
        elif seen is None:
            raise ValueError(f"schedule {self.schedule} without results to look at")
        elif self.schedule == "swiss":
            steps = swiss(names, self.rounds or swiss_rounds(len(names)), self.pairs, seen, out)
        else:
            budget = self.games_total()
            steps = adaptive(names, self.pairs, self.confidence, seen, out, say)
        return capped(steps, None if budget is None else budget // 2, say)

    def pairing(self, one: int, other: int) -> Pairing:
        """The pairing of two bots by their place in `bots`."""
        a, b = sorted((self.bots[one], self.bots[other]), key=lambda bot: bot.digest)
        identity = match_id(
            game=self.game.id,
            rules=self.game.rules,
            digests=(a.digest, b.digest),
            limits=self.limits.to_dict(),
            conditions=self.conditions,
            commitment=self.commitment,
        )
        return Pairing(identity, a, b)

    def block_seed(self, pairing: Pairing, block: int) -> bytes:
        """The seed of a block, from which its decks and the bots' seeds follow."""
        if self.conditions["common_decks"]:
            return block_seed(self.master, self.rules_id, COMMON, COMMON, block)
        return block_seed(self.master, self.rules_id, pairing.a.digest, pairing.b.digest, block)

    def job(
        self, pairing: Pairing, block: int, attempt: int, games: tuple[tuple[int, int], ...], seed: bytes
    ) -> BlockJob:
        """An attempt at some games of a block."""
        return BlockJob(
            match_id=pairing.match_id,
            block=block,
            attempt=attempt,
            game=self.game.id,
            rules=dict(self.game.non_default_rules()),
            bots=(pairing.a, pairing.b),
            games=games,
            block_seed=seed,
            limits=self.limits,
            isolation=self.isolation,
            ponder=self.conditions["ponder"],
            tempo_ms=self.conditions["tempo_ms"],
            options={"guessable": self.guessable},
        )

    def log(self, pairing: Pairing, block: int, attempt: int) -> str:
        """A block's log, relative to the tournament's folder."""
        return log_path(pairing.match_id, block, attempt)

    def games_total(self, without: Collection[str] = ()) -> int:
        """Games of the plan, those of some bots (by name) left out; the most of one that is open-ended."""
        playing = [bot for bot in self.bots if bot.name not in without]
        if self.schedule == "gauntlet" and self.bots and self.bots[0].name in without:
            return 0
        if self.schedule == "adaptive":
            games = GAMES_A_BOT * len(playing) if self.budget is None else self.budget
        elif self.schedule == "swiss":
            games = (self.rounds or swiss_rounds(len(self.bots))) * (len(playing) // 2) * 2 * self.pairs
        else:
            games = 2 * self.pairs * max(0, count_pairings(self.schedule, len(playing)))
        return games if self.budget is None else min(games, self.budget // 2 * 2)

    def games_stored(self, results: Queries) -> int:
        """Games of the plan that are stored already."""
        names = {bot.name for bot in self.bots}
        first = self.bots[0].name if self.bots else ""
        stored = sum(
            sums.games if self.looks else min(sums.games, 2 * self.pairs)
            for sums in results.sums()
            if not sums.part
            and sums.a in names
            and sums.b in names
            and (self.schedule != "gauntlet" or first in (sums.a, sums.b))
        )
        return min(stored, self.games_total())
