"""What becomes of a lost block: it is tried again, its bots are put on trial, one of them forfeits it, or
it is set aside.

A slot that dies may have been killed by a bot, or by anything else on its machine (a person, the system out
of memory): the signal is the same. So nobody is blamed for one death, nor for two: then each bot of the
block plays against itself, and only one whose slot dies there as well, and dies again when that is
repeated, is guilty. A bot that kills does so again; a kill from outside would have to hit this one block
twice and both of one bot's trials, and no other's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from arena.execution.base import Lost
from arena.tournament.plan import Pairing
from arena.tournament.schedule import PlannedBlock

MAX_LOSSES = 4
"""A block that was lost so often is set aside."""
MAX_BAD_STARTS = 2
"""A bot that never started and failed so often drops out."""
TRIAL_AFTER = 2
"""After so many deaths of its slot a block's bots are each tried against themselves."""
GUILTY_AFTER = 2
"""A bot is guilty if its slot has died in so many trials, and survived none."""


@dataclass(slots=True)
class Trial:
    """A bot plays against itself."""

    deaths: int = 0
    over: bool = False


@dataclass(slots=True, eq=False)
class Block:
    """A block of the plan, and how it fared in this run."""

    pairing: Pairing
    planned: PlannedBlock
    number: int
    """Its place in the plan."""
    losses: int = 0
    deaths: int = 0
    """Losses for which its slot died."""
    trials: dict[str, Trial] = field(default_factory=dict)
    """By bot; empty before there were any."""

    @property
    def title(self) -> str:
        first, size = self.planned.first, self.planned.pairs
        return f"{self.pairing.a.name} - {self.pairing.b.name}, pairs {first}-{first + size - 1}"


@dataclass(frozen=True, slots=True)
class Again:
    """Play what is left of it."""


@dataclass(frozen=True, slots=True)
class OnTrial:
    """Let each of these bots play against itself."""

    bots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forfeited:
    """This bot forfeits what is left of it."""

    bot: str


@dataclass(frozen=True, slots=True)
class GivenUp:
    """Set it aside."""

    why: str


@dataclass(frozen=True, slots=True)
class DropsOut:
    """The bot never started, and takes part no longer."""

    bot: str
    text: str


Judgement = Again | OnTrial | Forfeited | GivenUp | DropsOut


def first_line(text: str) -> str:
    """What a notice of one line says of a text that may have more (a bot's stderr follows the verdict)."""
    return text.strip().partition("\n")[0]


class Judge:
    """Judges lost blocks; it remembers who is known to break slots, and who failed to start."""

    def __init__(self, started: set[str], breakers: set[str]) -> None:
        """`started`: the bots that have had a good start, kept up to date by the caller; `breakers`: those
        that were found guilty of breaking slots before."""
        self._started = started
        self._breakers = breakers
        self._bad_starts: Counter[str] = Counter()

    def lost(self, block: Block, lost: Lost) -> Judgement:
        """A block, not a trial, was lost."""
        if lost.why == "start_failed" and lost.bot is not None:
            return self._bad_start(block, lost.bot, lost.text)
        block.losses += 1
        if lost.why == "slot_died":
            block.deaths += 1
            names = (block.pairing.a.name, block.pairing.b.name)
            proven = [name for name in names if name in self._breakers]
            if lost.bot is not None:
                return self._guilty(lost.bot)
            if len(proven) == 1:
                return self._guilty(proven[0])
            if block.deaths == TRIAL_AFTER and not block.trials:
                block.trials = {name: Trial() for name in names}
                return OnTrial(names)
        return _again(block, lost.why, lost.text)

    def _bad_start(self, block: Block, bot: str, text: str) -> Judgement:
        """A start failed before the bot's first good one: it drops out, unless it has started since."""
        if bot in self._started:
            return _again(block, "start_failed", text)
        self._bad_starts[bot] += 1
        return Again() if self._bad_starts[bot] < MAX_BAD_STARTS else DropsOut(bot, text)

    def tried(self, block: Block, bot: str, *, died: bool) -> Judgement | None:
        """A trial of one of a block's bots is over; None where another of its bots is still on trial."""
        trial = block.trials[bot]
        trial.deaths += died
        if died and trial.deaths < GUILTY_AFTER:
            return OnTrial((bot,))
        trial.over = True
        if not all(trial.over for trial in block.trials.values()):
            return None
        guilty = [name for name, trial in block.trials.items() if trial.deaths == GUILTY_AFTER]
        if len(guilty) == 1:
            return self._guilty(guilty[0])
        if guilty:
            return GivenUp("slot_died: both bots bring a slot down when they play against themselves")
        return _again(block, "slot_died", "neither bot brings a slot down when it plays against itself")

    def _guilty(self, bot: str) -> Forfeited:
        self._breakers.add(bot)
        return Forfeited(bot)


def _again(block: Block, why: str, text: str) -> Judgement:
    if block.losses < MAX_LOSSES:
        return Again()
    return GivenUp(f"{why}: {first_line(text)}" if text else why)
