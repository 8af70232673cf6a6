"""What the referee writes down while one game is played: hands, decisions, the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any


def encode(record: Mapping[str, Any]) -> str:
    """One record as a log body: compact JSON, ASCII alone, so that no bot's text can break a line.

    Raises ValueError for NaN and infinities.
    """
    return json.dumps(record, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _ints(numbers: Sequence[int]) -> str:
    """A JSON list of whole numbers."""
    return str(list(numbers)).replace(" ", "")


class GameRecorder:
    """Collects one game and gives it as log bodies (JSON texts, not yet chained).

    A decision costs two list appends; JSON is made once, when the game is over.
    """

    __slots__ = ("_acts", "_bank", "_bodies", "_game", "_hand", "_us", "decisions", "hands")

    def __init__(self, pair: int, leg: int, dealer: int, teams: Sequence[int], seeds: Sequence[int]) -> None:
        """`teams`: by seat, which bot sits there (0 is A, 1 is B); `seeds`: by seat, as in `game_start`."""
        self._game = (pair, leg)
        self._bodies = [
            encode(
                {
                    "t": "game",
                    "pair": pair,
                    "leg": leg,
                    "dealer": dealer,
                    "teams": list(teams),
                    "seeds": list(seeds),
                }
            )
        ]
        self._hand: tuple[int, int, str] | None = None
        self._acts: list[str] = []
        self._us: list[int] = []
        self._bank: list[int] = []
        self.hands = 0
        """Hands dealt so far, thrown-in ones included."""
        self.decisions = 0
        """Decisions in the hands that have ended."""

    def hand(self, number: int, dealer: int, pack_words: Iterable[str]) -> None:
        """A hand is dealt from `pack_words`: the whole pack in order of dealing."""
        if self._hand is not None:
            raise ValueError(f"hand {self._hand[0]} has not ended")
        self._hand = (number, dealer, "".join(pack_words))
        self._acts, self._us, self._bank = [], [], []
        self.hands += 1

    def decision(self, word: str, micros: int, bank_ms: int | None = None) -> None:
        """The seat to act answered `word`; `micros` is the time charged, in microseconds.

        `bank_ms` is the bank as sent in the request, where a bank is on.
        """
        self._acts.append(word)
        self._us.append(micros)
        if bank_ms is not None:
            self._bank.append(bank_ms)

    def hand_ended(self, points: Sequence[int], scores: Sequence[int], end: str) -> None:
        """The hand is over: points by team, scores after it, `played|thrown_in|redealt|forfeit`."""
        if self._hand is None:
            raise ValueError("no hand was dealt")
        number, dealer, pack = self._hand
        # Written out: a hand is what a log is made of, and the general encoder takes twice the time.
        bank = f',"bank":{_ints(self._bank)}' if self._bank else ""
        self._bodies.append(
            f'{{"t":"hand","n":{number},"dealer":{dealer},"pack":"{pack}","acts":"{" ".join(self._acts)}",'
            f'"us":{_ints(self._us)}{bank},"points":{_ints(points)},"scores":{_ints(scores)},"end":"{end}"}}'
        )
        self.decisions += len(self._acts)
        self._hand = None

    def finish(
        self,
        scores: Sequence[int],
        winner: int | None,
        reason: str,
        score_a: float,
        fault: object | None = None,
        cpu: Sequence[Sequence[float]] | None = None,
    ) -> list[str]:
        """The game is over; returns its log bodies, in order.

        `winner` is a team or None for a draw; `reason` is `target|hand_limit|forfeit`; `score_a` is bot A's
        score (0, 0.5 or 1); `fault` is a FaultRecord (or a mapping of its fields); `cpu` holds, by seat,
        the CPU seconds burnt while asked and while not asked. A hand still open ends as forfeit.
        """
        if self._hand is not None:
            self.hand_ended([0] * len(scores), scores, "forfeit")
        if is_dataclass(fault) and not isinstance(fault, type):
            fault = asdict(fault)
        pair, leg = self._game
        self._bodies.append(
            encode(
                {
                    "t": "end",
                    "pair": pair,
                    "leg": leg,
                    "scores": list(scores),
                    "winner": winner,
                    "reason": reason,
                    "score_a": score_a,
                    "fault": fault,
                    "cpu": [[round(s, 6) for s in seat] for seat in cpu] if cpu is not None else None,
                }
            )
        )
        return self._bodies
