"""A running tournament as it goes: a live block on a terminal, plain lines into a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.ratings.elo import online_elo
from arena.ratings.sprt import SprtReport
from arena.replay.escape import columns, padded, plain
from arena.tournament.events import GameEnded, Notice, Progress, RunEvent, Started, Stopping, Tested
from arena.viewer.console import has_unicode, plus_minus

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

SHOWN_BOTS = 12
BAR_WIDTH = 40
MOST_REPLAYED = 100_000
"""Pairs of earlier runs; more of them are left out of the provisional Elo."""
LINE_EVERY_S = 10.0
"""Into a pipe: a line after so many seconds of play, and one for every tenth of the plan."""
STOPPING = {
    "interrupted": "interrupted: the games that are being played have no result (Ctrl-C again: at once)",
    "time": "the time is used up: blocks that were begun are played to their end (Ctrl-C drops them)",
    "decided": "decided: the games that are still being played have no result",
}


@dataclass(slots=True)
class Score:
    """One bot's games so far."""

    games: int = 0
    score: float = 0.0
    points: int = 0
    hands: int = 0
    forfeits: int = 0


class ProgressView:
    """An observer of a run that shows it on `console`; a context manager, which ends the live block.

    Standings so far are shares of the score and an online Elo over whole pairs, marked as provisional: it
    depends on the order in which they end, and has no error bars. Earlier runs are counted.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._live: Any = None
        self._scores: dict[str, Score] = {}
        self._elo: dict[str, float] = {}
        self._halves: dict[tuple[str, str, int], float] = {}
        """Score of the leg that has ended, of pairs whose other leg has not."""
        self._test: SprtReport | None = None
        self._mute = False
        self._line_tenth = 0
        self._line_seconds = 0.0

    def __enter__(self) -> ProgressView:
        if self._console.is_terminal and not self._console.is_dumb_terminal and not self._quiet:
            from rich.live import Live

            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live is not None:
            with suppress(OSError, SystemExit):
                self._live.stop()
            self._live = None

    def __call__(self, event: RunEvent) -> None:
        """Take one event of the run. Where nobody reads on, it goes on in silence."""
        try:
            self._take(event)
        except (OSError, SystemExit):
            # rich makes a SystemExit of a broken pipe; the tournament must not end by it.
            self._mute = True

    def _take(self, event: RunEvent) -> None:
        if self._mute:
            return
        match event:
            case Started():
                self._scores = {bot: Score() for bot in event.bots}
                if event.games_stored:
                    self._count_stored(Path(event.out))
                self._say(self._opening(event))
            case GameEnded():
                self._count(event)
            case Progress():
                self._show(event)
            case Notice():
                self._say("note: " + plain(" | ".join(event.text.split("\n")), None), always=True)
            case Tested():
                self._test = event.report
            case Stopping():
                self._say(STOPPING.get(event.why, event.why))

    def _count(self, game: GameEnded) -> None:
        margin = game.points_a - game.points_b
        for bot, score, points in ((game.a, game.score_a, margin), (game.b, 1 - game.score_a, -margin)):
            mine = self._scores.setdefault(bot, Score())
            mine.games += 1
            mine.score += score
            mine.points += points
            mine.hands += game.hands
            mine.forfeits += game.fault_bot == bot
        pair = (game.a, game.b, game.pair)
        other = self._halves.pop(pair, None)
        if other is None:
            self._halves[pair] = game.score_a
        else:
            self._elo = online_elo(self._elo, game.a, game.b, (game.score_a + other) / 2)

    def _count_stored(self, folder: Path) -> None:
        """The whole pairs that an earlier run left."""
        from arena.tournament.results import open_results

        with open_results(folder) as results:
            for pairing in results.pairings():
                margin = pairing.points_a - pairing.points_b
                for bot, score, points, forfeits in (
                    (pairing.a, pairing.score, margin, pairing.forfeits_a),
                    (pairing.b, pairing.pairs - pairing.score, -margin, pairing.forfeits_b),
                ):
                    mine = self._scores.setdefault(bot, Score())
                    mine.games += pairing.games
                    mine.score += 2 * score
                    mine.points += points
                    mine.hands += pairing.hands
                    mine.forfeits += forfeits
            sums = results.stored.sums()
            if sum(pairing.pairs for pairing in sums) > MOST_REPLAYED:
                return
            pairs = [
                (pair, one.a, one.b, score)
                for one in sums
                for pair, score, _ in results.stored.pairs(one.match_id)
            ]
            for _, a, b, score in sorted(pairs):
                self._elo = online_elo(self._elo, a, b, score)

    def _say(self, text: str, *, always: bool = False) -> None:
        from rich.text import Text

        if not self._quiet or always:
            self._console.print(Text(text), soft_wrap=True)

    def _opening(self, event: Started) -> str:
        games = f"{'at most ' if event.open_ended else ''}{event.games_total} games"
        if event.games_stored:
            games += f" ({event.games_stored} of them stored before)"
        seed = ", guessable seed" if event.guessable else ""
        rules = "".join(f" {name}={str(value).lower()}" for name, value in event.rules.items())
        slots = f"{event.slots} at a time" if event.slots > 1 else "one at a time"
        bots = f"{len(event.bots)} bots"
        return f"{event.game}{plain(rules)}: {bots}, {games}, {slots}, isolation {event.isolation}{seed}"

    def _show(self, progress: Progress) -> None:
        if self._live is not None:
            self._live.update(self._block(progress), refresh=True)
            return
        tenth = 10 * progress.games_done // max(progress.games_total, 1)
        if tenth > self._line_tenth or progress.seconds - self._line_seconds >= LINE_EVERY_S:
            self._line_tenth, self._line_seconds = tenth, progress.seconds
            self._say("  " + self._line(progress))

    def _line(self, progress: Progress) -> str:
        left = duration(progress.seconds_left) if progress.seconds_left is not None else ""
        parts = [
            f"{progress.games_done}/{progress.games_total} games",
            f"{progress.games_per_second:.1f}/s",
            f"{left} left{' at most' if progress.open_ended else ''}" if left else "",
            "" if self._test is None else test_words(self._test, plus_minus(self._console.encoding)),
            fault_words(progress.faults),
        ]
        return ", ".join(part for part in parts if part)

    def _block(self, progress: Progress) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        unicode = has_unicode(self._console)
        full, empty = ("━", "─") if unicode else ("#", "-")
        done = BAR_WIDTH * progress.games_done // max(progress.games_total, 1)
        bar = Text().append(full * done, "green").append(empty * (BAR_WIDTH - done), "dim")
        head = Text.assemble(bar, " ", self._line(progress), no_wrap=True, overflow="ellipsis")
        room = max(self._console.height - 4, 3)
        lines = [*self._table(min(SHOWN_BOTS, room))]
        running = [Text("  " + plain(text), style="dim", no_wrap=True) for text in progress.running]
        return Group(head, *lines, *running[: max(room - len(lines), 0)])

    def _table(self, most: int) -> list[Any]:
        from rich.text import Text

        def by_score(item: tuple[str, Score]) -> tuple[float, str]:
            name, score = item
            return (-(score.score / score.games) if score.games else 0.0, name)

        ranked = sorted((item for item in self._scores.items() if item[1].games), key=by_score)
        if not ranked:
            return []
        width = min(max(*(columns(plain(name, 32)) for name, _ in ranked), 3), 32)
        head = f"   #  {padded('bot', width)}   score    games   provisional Elo  pts/hand"
        lines = [Text(head, style="dim", no_wrap=True, overflow="ellipsis")]
        for place, (name, score) in enumerate(ranked[:most], 1):
            text = (
                f"{place:>4}  {padded(plain(name, 32), width)}  {100 * score.score / score.games:5.1f}%"
                f"  {score.games:>7}  {round(self._elo.get(name, 0.0)):>+16}"
                f"  {round(score.points / max(score.hands, 1), 2) + 0.0:>+8.2f}"
            )
            line = Text(text, no_wrap=True, overflow="ellipsis")
            if score.forfeits:
                line.append(f"  {score.forfeits} forfeited", "red")
            lines.append(line)
        if len(ranked) > most:
            lines.append(Text(f"      and {len(ranked) - most} more", style="dim"))
        return lines


def test_words(report: SprtReport, sign: str) -> str:
    """`LLR +1.23 (-2.94 to 2.94) after 340 pairs, Elo +12 ± 20`."""
    bounds = f"{report.lower:.2f} to {report.upper:.2f}"
    elo = f", Elo {round(report.elo):+d} {sign} {report.error:.0f}" if report.pairs else ""
    return f"LLR {round(report.llr, 2) + 0.0:+.2f} ({bounds}) after {report.pairs} pairs{elo}"


def fault_words(faults: Mapping[str, int]) -> str:
    """`faults: 3 timeout, 1 illegal`; nothing where there are none."""
    found = [f"{count} {plain(code)}" for code, count in sorted(faults.items()) if count]
    return "faults: " + ", ".join(found) if found else ""


def duration(seconds: float) -> str:
    """`45 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = max(round(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s" if whole % 60 else f"{whole // 60} min"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
