"""Games that are forfeited without being played, with the log lines that say so."""

from __future__ import annotations

from arena.cards.seeds import bot_seed, commitment
from arena.execution.base import BlockJob
from arena.replay import log
from arena.replay.record import GameRecorder
from arena.store.rows import GameRow
from arena.table.verdict import EndReason, Fault, FaultRecord
from arena.tournament.plan import Plan


class ForfeitLog:
    """The log of a block of forfeited games: header, games without hands, footer."""

    def __init__(self, plan: Plan, job: BlockJob, guilty: int, text: str) -> None:
        """`guilty`: 0 where A forfeits, 1 where B does; `text`: what it did, one line."""
        self._plan = plan
        self._job = job
        self._guilty = guilty
        self._text = text
        self._chain = log.Chain()
        self._header = [
            log.header(
                game=job.game,
                rules=plan.game.rules,
                match_id=job.match_id,
                block=job.block,
                attempt=job.attempt,
                bots=[{"name": b.name, "version": b.version, "digest": b.digest} for b in job.bots],
                limits=job.limits.to_dict(),
                isolation=job.isolation,
                commitment=commitment(job.block_seed),
                guessable=plan.guessable,
            )
        ]

    def game(self, pair: int, leg: int) -> tuple[GameRow, list[str]]:
        """One forfeited game: its row and its lines."""
        game, seed = self._plan.game, self._job.block_seed
        teams = [(game.team_of(seat) + leg) % 2 for seat in range(game.seats)]
        seat = teams.index(self._guilty)
        winner = 1 - game.team_of(seat)
        fault = FaultRecord(Fault.KILLED_SLOT, seat, game.team_of(seat), None, self._text)
        seeds = [bot_seed(seed, pair, at) for at in range(game.seats)]
        recorder = GameRecorder(pair, leg, pair % game.seats, teams, seeds)
        score_a = float(self._guilty)
        bodies = recorder.finish([0] * game.teams, winner, EndReason.FORFEIT, score_a, fault)
        row = GameRow(
            pair,
            leg,
            score_a=score_a,
            points_a=0,
            points_b=0,
            hands=0,
            decisions=0,
            reason=EndReason.FORFEIT,
            fault_code=Fault.KILLED_SLOT,
            fault_bot="ab"[self._guilty],
            fault_seat=seat,
            fault_text=self._text,
        )
        lines = self._chain.extend([*self._header, *bodies])
        self._header = []
        return row, lines

    def footer(self) -> list[str]:
        """The line that closes the log."""
        return self._chain.extend([log.footer(self._job.block_seed)])
