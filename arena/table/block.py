"""Plays one block: all first legs with one set of processes, then, that set ended whole, all second legs.

Who is to blame for a start that fails, for a game that is broken off, and for a loss on time is decided here;
what a bot did wrong is decided by the ladder (referee.py).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Sequence
from typing import Any

from arena.cards.seeds import bot_seed, commitment, deck_seed
from arena.cards.shuffle import shuffled
from arena.games.registry import get_game
from arena.replay import log
from arena.replay.record import GameRecorder
from arena.table.clock import Clock, RealClock
from arena.table.job import BlockJob, Event, Finished, GameDone, Lost
from arena.table.match import Played, play_game
from arena.table.processes import Cancelled
from arena.table.referee import Foul, request_ids
from arena.table.sets import LiveSet, System, Wake
from arena.table.verdict import EndReason, Fault, FaultRecord

FORFEITS_IN_A_ROW = 3
"""So many forfeits of one bot in a row, and it forfeits the rest of the block."""
REPLAYS_PER_GAME = 2
REPLAYS_PER_BLOCK = 4
"""A loss on time that the host caused is played again so often; then it stands."""
EXCUSE_S = 0.005
"""Lateness of the host from which on it may excuse a loss on time,"""
EXCUSE_SHARE = 0.05
"""and the share of the move limit, whichever is more."""


class _StartFailed(Exception):
    """A bot that never had a good start in this tournament did not start."""

    def __init__(self, bot: str, text: str) -> None:
        super().__init__(text)
        self.bot = bot


def play_block(
    job: BlockJob,
    *,
    clock: Clock | None = None,
    wake: Wake | None = None,
    crowded: Callable[[], object] | None = None,
    system: System | None = None,
) -> Generator[Event, None, None]:
    """Play `job`: its `GameDone`s, then exactly one `Finished` or `Lost`.

    However it ends (the iterator closed early and KeyboardInterrupt included), no process is left.
    """
    block = _Block(job, clock or RealClock(), wake, crowded, system)
    try:
        for pair, leg in job.games:
            yield job, block.play(pair, leg)
        yield block.finish()
    except _StartFailed as error:
        yield Lost(job, "start_failed", error.bot, str(error))
    except Cancelled:
        yield Lost(job, "cancelled")
    except Exception as error:
        yield Lost(job, "error", None, _house_error(error))
    finally:
        block.kill()


def _house_error(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class _Block:
    """A block being played."""

    def __init__(
        self,
        job: BlockJob,
        clock: Clock,
        wake: Wake | None,
        crowded: Callable[[], object] | None,
        system: System | None,
    ) -> None:
        self.job = job
        self.game = get_game(job.game, job.rules)
        self._clock = clock
        self._wake = wake
        self._crowded = crowded
        self._system = system
        self._ids = request_ids()
        self._set: LiveSet | None = None
        self._leg = -1
        self._chain = log.Chain()
        self._unwritten = [self._header()]
        self._started = list(job.started_before)
        self._streak: tuple[int, int] = (-1, 0)
        self._last_fault: FaultRecord | None = None
        self._replays = 0
        self._late = {"max": 0.0, "total": 0.0, "seats": 0.0}
        self._cpu = [[0.0, 0.0], [0.0, 0.0]]
        self._frozen: set[str] = set()
        self._stderr: dict[tuple[int, int], str] = {}

    def _header(self) -> str:
        job = self.job
        return log.header(
            game=job.game,
            rules=self.game.rules,
            match_id=job.match_id,
            block=job.block,
            attempt=job.attempt,
            bots=[{"name": bot.name, "version": bot.version, "digest": bot.digest} for bot in job.bots],
            limits=job.limits.to_dict(),
            isolation=job.isolation,
            commitment=commitment(job.block_seed),
            guessable=bool(job.options.get("guessable", False)),
            ponder=job.ponder,
            tempo_ms=job.tempo_ms,
        )

    # --- one game

    def teams(self, leg: int) -> list[int]:
        """By seat, which bot sits there: in leg 1 the teams' seats are swapped."""
        return [(self.game.team_of(seat) + leg) % 2 for seat in range(self.game.seats)]

    def play(self, pair: int, leg: int) -> GameDone:
        """One game to its verdict, played again where the host was to blame for a loss on time."""
        if leg != self._leg:
            self._end_set()
            self._leg = leg
        guilty, forfeits = self._streak
        if forfeits >= FORFEITS_IN_A_ROW:
            return self._not_played(pair, leg, guilty)
        replays = 0
        while True:
            live = self._set or self._start(leg)
            refused = self._start_fault(live, pair, leg)
            if refused is not None:
                self._break_set(refused.seat)
                return self._forfeit_unplayed(pair, leg, refused)
            recorder = GameRecorder(pair, leg, pair % self.game.seats, self.teams(leg), self._bot_seeds(pair))
            played, cpu = self._play(live, recorder, pair)
            if played.foul is None:
                self._streak = (-1, 0)
                return self._done(recorder, pair, leg, played, None, cpu, replays)
            assert played.seat is not None
            fault = self._fault(live, played, pair, leg)
            self._break_set(played.seat)
            if not (
                self._excused(played) and replays < REPLAYS_PER_GAME and self._replays < REPLAYS_PER_BLOCK
            ):
                self._count_forfeit(fault, leg)
                return self._done(recorder, pair, leg, played, fault, cpu, replays)
            replays += 1
            self._replays += 1

    def _play(
        self, live: LiveSet, recorder: GameRecorder, pair: int
    ) -> tuple[Played, list[tuple[float, float]]]:
        table = live.table
        assert table is not None
        job, seed, cards = self.job, self.job.block_seed, len(self.game.pack)
        watch = table.watch
        watch.settle()
        before = list(zip(watch.asked, watch.unasked, strict=True))
        played = play_game(
            self.game, table.seats, lambda hand: shuffled(deck_seed(seed, pair, hand), cards),
            limits=job.limits, clock=self._clock, recorder=recorder, dealer=pair % self.game.seats,
            bot_seeds=self._bot_seeds(pair), ids=self._ids, table=table,
            tempo_s=None if job.tempo_ms is None else job.tempo_ms / 1000,
        )  # fmt: skip
        watch.settle()
        after = zip(watch.asked, watch.unasked, strict=True)
        return played, [(a - a0, u - u0) for (a0, u0), (a, u) in zip(before, after, strict=True)]

    def _bot_seeds(self, pair: int) -> list[int]:
        return [bot_seed(self.job.block_seed, pair, seat) for seat in range(self.game.seats)]

    def _excused(self, played: Played) -> bool:
        limit = (self.job.limits.move_ms or 0) / 1000
        return played.excused_s >= max(EXCUSE_S, EXCUSE_SHARE * limit)

    def _fault(self, live: LiveSet, played: Played, pair: int, leg: int) -> FaultRecord:
        assert played.foul is not None
        assert played.seat is not None
        return live.fault(
            played.foul,
            played.seat,
            team=self.game.team_of(played.seat),
            game=f"pair {pair} leg {leg}",
            hand_number=played.hand_number,
            answered=played.answered,
        )

    # --- sets

    def _start(self, leg: int) -> LiveSet:
        """A fresh set of processes for this leg. Raises _StartFailed for a bot that has never started."""
        job = self.job
        teams = self.teams(leg)
        live = LiveSet(
            self.game, [job.bots[team] for team in teams], limits=job.limits, isolation=job.isolation,
            clock=self._clock, cpus=job.cpus, ponder=job.ponder, wake=self._wake, crowded=self._crowded,
            system=self._system,
        )  # fmt: skip
        self._set = live
        failed = {teams[seat] for seat, foul in enumerate(live.fouls) if foul is not None}
        for team in range(2):
            if team in failed and not self._started[team]:
                seat = next(s for s, foul in enumerate(live.fouls) if foul is not None and teams[s] == team)
                foul = live.fouls[seat]
                assert foul is not None
                fault = live.fault(
                    foul,
                    seat,
                    team=self.game.team_of(seat),
                    game="start",
                    hand_number=None,
                    answered=False,
                )
                tail = fault.stderr_tail.strip()
                raise _StartFailed(job.bots[team].name, f"{fault.text}\n{tail}" if tail else fault.text)
            if live.table is not None and team not in failed:
                self._started[team] = True
        return live

    def _start_fault(self, live: LiveSet, pair: int, leg: int) -> FaultRecord | None:
        """The forfeit of a bot that had started before and now did not: of the first such seat."""
        for seat, foul in enumerate(live.fouls):
            if foul is not None:
                fault = live.fault(
                    foul,
                    seat,
                    team=self.game.team_of(seat),
                    game=f"pair {pair} leg {leg}",
                    hand_number=None,
                    answered=False,
                )
                self._count_forfeit(fault, leg)
                return fault
        return None

    def _end_set(self, broken: int | None = None) -> None:
        """End the set in order; the next game gets a fresh one."""
        live = self._set
        if live is None:
            return
        self._account(live)
        live.end(self._chain.head if self._chain.head != log.GENESIS else "", broken=broken)
        for seat, text in enumerate(live.stderr()):
            if text:
                self._stderr[self._leg, seat] = text
        self._set = None

    def _break_set(self, seat: int) -> None:
        """A set in which a seat failed is of no further use."""
        self._end_set(broken=seat)

    def kill(self) -> None:
        """Leave no process, whatever happened."""
        live, self._set = self._set, None
        if live is not None:
            live.kill()

    def _account(self, live: LiveSet) -> None:
        table = live.table
        if table is None:
            return
        watch = table.watch
        watch.settle()
        self._late["max"] = max(self._late["max"], watch.late_max)
        self._late["total"] += watch.late_total
        self._late["seats"] += watch.late_by_seats
        for seat, team in enumerate(self.teams(self._leg)):
            self._cpu[team][0] += watch.asked[seat]
            self._cpu[team][1] += watch.unasked[seat]
            if self.job.ponder == "watch" and table.seats[seat].chilled:
                self._frozen.add(self.job.bots[team].name)

    # --- forfeits and records

    def _count_forfeit(self, fault: FaultRecord, leg: int) -> None:
        guilty = self.teams(leg)[fault.seat]
        bot, count = self._streak
        self._streak = (guilty, count + 1 if bot == guilty else 1)
        self._last_fault = fault

    def _not_played(self, pair: int, leg: int, guilty: int) -> GameDone:
        """A game that a bot forfeits because of those before it."""
        last = self._last_fault
        seat = self.teams(leg).index(guilty)
        text = (
            f"{self.job.bots[guilty].name}, seat {seat}, pair {pair} leg {leg}: not played; it has forfeited "
            f"{FORFEITS_IN_A_ROW} games of this block in a row, the last one so: {last.text if last else ''}"
        )
        code = last.code if last else Fault.START_FAILED
        return self._forfeit_unplayed(pair, leg, FaultRecord(code, seat, self.game.team_of(seat), None, text))

    def _forfeit_unplayed(self, pair: int, leg: int, fault: FaultRecord) -> GameDone:
        recorder = GameRecorder(pair, leg, pair % self.game.seats, self.teams(leg), self._bot_seeds(pair))
        winner = next(team for team in range(self.game.teams) if team != fault.team)
        played = Played((0,) * self.game.teams, winner, EndReason.FORFEIT, 0, 0, 0.0, Foul(fault.code, ""))
        return self._done(recorder, pair, leg, played, fault, None, 0)

    def _done(
        self,
        recorder: GameRecorder,
        pair: int,
        leg: int,
        played: Played,
        fault: FaultRecord | None,
        cpu: Sequence[tuple[float, float]] | None,
        replays: int,
    ) -> GameDone:
        """The finished game: its row, and its lines chained to those before."""
        team_a = 0 if leg == 0 else 1
        score_a = 0.5 if played.winner is None else float(played.winner == team_a)
        bodies = recorder.finish(played.scores, played.winner, played.reason.value, score_a, fault, cpu)
        row: dict[str, Any] = {
            "score_a": score_a,
            "points_a": played.scores[team_a],
            "points_b": played.scores[1 - team_a],
            "hands": played.hands,
            "decisions": played.decisions,
            "reason": played.reason.value,
            "seconds": round(played.seconds, 6),
        }
        if fault is not None:
            row |= {
                "fault_code": fault.code.value,
                "fault_bot": "ab"[self.teams(leg)[fault.seat]],
                "fault_seat": fault.seat,
                "fault_text": fault.text,
                "fault_stderr": fault.stderr_tail,
            }
        if replays:
            row["replays"] = replays
        lines = self._chain.extend([*self._unwritten, *bodies])
        self._unwritten = []
        return GameDone(pair, leg, row, tuple(lines))

    def finish(self) -> Finished:
        """The block is played: the footer, and what was measured."""
        self._end_set()
        lines = self._chain.extend([*self._unwritten, log.footer(self.job.block_seed)])
        facts: dict[str, Any] = {
            "late_ms": {key: round(seconds * 1000, 3) for key, seconds in self._late.items()},
            "cpu_s": {
                "ab"[team]: {"asked": round(asked, 4), "unasked": round(unasked, 4)}
                for team, (asked, unasked) in enumerate(self._cpu)
            },
            "replays": self._replays,
            "frozen": sorted(self._frozen),
            "stderr": [
                {"leg": leg, "seat": seat, "bot": self.job.bots[self.teams(leg)[seat]].name, "text": text}
                for (leg, seat), text in sorted(self._stderr.items())
            ],
        }
        return Finished(self.job, tuple(lines), facts)
