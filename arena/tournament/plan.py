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
from arena.tournament.schedule import PlannedBlock, blocks, count_pairings, match_id


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

    @cached_property
    def rules_id(self) -> str:
        """Hex digest of the game and all its rules."""
        return rules_id(self.game.id, self.game.rules)

    def blocks(self) -> Iterator[PlannedBlock]:
        """Every block, in the order of play."""
        return blocks(self.schedule, len(self.bots), self.pairs)

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
        """Games of the plan, those of some bots (by name) left out."""
        playing = [bot for bot in self.bots if bot.name not in without]
        if self.schedule == "gauntlet" and self.bots and self.bots[0].name in without:
            return 0
        return 2 * self.pairs * max(0, count_pairings(self.schedule, len(playing)))

    def games_stored(self, results: Queries) -> int:
        """Games of the plan that are stored already."""
        names = {bot.name for bot in self.bots}
        first = self.bots[0].name if self.bots else ""
        return sum(
            min(sums.games, 2 * self.pairs)
            for sums in results.sums()
            if not sums.part
            and sums.a in names
            and sums.b in names
            and (self.schedule != "gauntlet" or first in (sums.a, sums.b))
        )
