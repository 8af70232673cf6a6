"""The examination: everything that the arena may try, in order, each with what to change if it goes wrong."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from arena.bots.build import BuildError, build
from arena.bots.bundle import bundle
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.manifest import LANGUAGES
from arena.bots.program import StartError
from arena.bots.resolve import Bot
from arena.errors import ArenaError
from arena.examine import mistakes
from arena.examine.findings import Check, Figures, Report, Status, memory_words
from arena.examine.forms import Manner, encoder
from arena.examine.mistakes import Diagnosis
from arena.examine.parts import PARTS, PHASES, SHORT_S, VARIANTS, Part
from arena.examine.play import Tally, Trouble, play_games
from arena.examine.subject import Subject
from arena.examine.talk import Talk
from arena.games.base import Game
from arena.games.registry import game_ids, get_game
from arena.replay.escape import head_and_tail, plain
from arena.table import referee
from arena.table.referee import Foul, Map

GAMES = 20
"""Games in one process, in the first part."""
LONG_S = 10.0
"""The first part ends after so many seconds."""
SHOWN = 320
"""Characters of a message in a report."""

Watch = Callable[[Check], object]


def examine(
    bot: Bot,
    *,
    level: Level,
    limits: Limits,
    home: Path | None = None,
    games: int = GAMES,
    watch: Watch = lambda check: None,
) -> Report:
    """Build and examine `bot`; `watch` is given each check as it is done. Takes some seconds, and for a bot
    that thinks long a minute or two. Raises ArenaError only where it is the machine that refuses."""
    return _Examination(bot, level, limits, home, games, watch).run()


class _Examination:
    def __init__(
        self, bot: Bot, level: Level, limits: Limits, home: Path | None, games: int, watch: Watch
    ) -> None:
        self.bot = bot
        self.level = level
        self.limits = limits
        self.home = home
        self.count = games
        self.watch = watch
        self.checks: list[Check] = []
        self.figures = Figures()
        self.asked: Counter[str] = Counter()
        self.sat_out = 0
        self.subject = Subject(bot, bot.directory, level, limits)
        known = game_ids()
        self.games = [get_game(name) for name in bot.manifest.games or known if name in known]

    def run(self) -> Report:
        self._manifest()
        if self.games and self._build() and self._first():
            self._others()
        elif self.games:
            self._add("rest", Status.SKIPPED, "everything else: put the above right first")
        manifest = self.bot.manifest
        return Report(
            manifest.name, manifest.version, self.bot.digest, manifest.language or "", self.level.value,
            tuple(game.id for game in self.games), tuple(self.checks), self.figures,
        )  # fmt: skip

    # --- what needs no process

    def _manifest(self) -> None:
        manifest, packed = self.bot.manifest, bundle(self.bot.directory)
        size = f"{packed.size / 1024:.0f} KiB" if packed.size < 1 << 20 else f"{packed.size >> 20} MiB"
        said = f"{manifest.name} {manifest.version}, {packed.files} files, {size}"
        unknown = [name for name in manifest.games if name not in game_ids()]
        if not self.games:
            change = f"the arena has {', '.join(game_ids())}"
            self._add("manifest", Status.FAILED, f"{said}; it plays no game of this arena", change=change)
        elif unknown:
            change = f"correct `games`, unless another arena has it; this one has {', '.join(game_ids())}"
            shown = ", ".join(unknown)
            self._add("manifest", Status.WARNING, f"{said}; unknown game {shown}", change=change)
        elif manifest.language not in LANGUAGES:
            which = (
                f"`{plain(manifest.language)}` is not known here" if manifest.language else "no `language`"
            )
            self._add("manifest", Status.OK, f"{said} ({which}: advice is general)")
        else:
            self._add("manifest", Status.OK, said)

    def _build(self) -> bool:
        if not self.bot.manifest.build:
            return True
        try:
            built = build(self.bot, self.level, home=self.home)
        except BuildError as error:
            output = "\n".join(head_and_tail(error.output, 4, 12))
            hint = error.hint or (
                "make the same command work by hand, in a copy of the folder, offline; where it is built "
                "only /usr, /opt and parts of /etc are there: put what a tool keeps elsewhere into it"
            )
            self._add("build", Status.FAILED, error.message, came=output, change=hint)
            return False
        except ArenaError as error:
            self._add("build", Status.FAILED, error.message, change=error.hint)
            return False
        self.subject = replace(self.subject, directory=built.directory)
        took = f"{built.seconds:.1f} s" if built.seconds is not None else "kept from before"
        self.figures = replace(self.figures, build_s=built.seconds)
        self._add("build", Status.OK, f"built ({took})")
        return True

    # --- the first process: start, many games, time, memory, silence, bye

    def _first(self) -> bool:
        game, tally = self.games[0], Tally()
        part = Part("games", f"{game.id}, one process", games=self.count, max_hands=None, seconds=LONG_S)
        try:
            talk = Talk(self.subject)
        except StartError as error:
            self._add("start", Status.FAILED, error.message, change=error.hint)
            return False
        with talk:
            ready, seconds = talk.greet(referee.hello(game, self.limits))
            if isinstance(ready, Foul):
                found = mistakes.at_start(self.subject, game, ready, talk)
                self._fail("start", "it does not get ready", talk, found, talk.sent)
                return False
            self._started(seconds)
            if self._play(talk, game, part, tally) is not None:
                return False
            self._measured(talk, tally)
            self._silence_and_bye(talk)
        return True

    def _started(self, seconds: float) -> None:
        self.figures = replace(self.figures, start_ms=round(seconds * 1000, 1))
        limit = self.limits.start_ms
        said = f"ready after {seconds * 1000:.0f} ms (limit {limit})"
        if seconds * 1000 > limit / 2:
            change = "it is slow to start: on a busy machine that may be too late. Load less, or later"
            self._add("start", Status.WARNING, said, change=change)
        else:
            self._add("start", Status.OK, said)

    def _measured(self, talk: Talk, tally: Tally) -> None:
        times = sorted(tally.seconds) or [0.0]
        median, worst = statistics.median(times) * 1000, times[-1] * 1000
        memory = talk.peak / (1 << 20)
        self.figures = replace(
            self.figures, median_ms=round(median, 3), worst_ms=round(worst, 2), memory_mb=round(memory, 1),
            games=tally.games, answers=len(tally.seconds),
        )  # fmt: skip
        limit = self.limits.move_ms
        said = f"median {median:.2f} ms, worst {worst:.1f} ms" + (f" (limit {limit})" if limit else "")
        if limit is not None and worst > limit / 2:
            change = "its longest answers come near the limit: leave a margin for a busy machine"
            self._add("time", Status.WARNING, said, change=change)
        else:
            self._add("time", Status.OK, said)
        said = f"{'at most ' if memory >= 1 else ''}{memory_words(memory)} (limit {self.limits.memory_mb})"
        if memory > 0.8 * self.limits.memory_mb:
            self._add("memory", Status.WARNING, said, change="it comes near the limit: use less")
        else:
            self._add("memory", Status.OK, said)

    def _silence_and_bye(self, talk: Talk) -> None:
        """Nothing but frames on stdout, no work unasked, and an end after bye."""
        used, passed = mistakes.idle_cpu(talk)
        stray = talk.stray()
        grace = self.limits.grace_ms / 1000
        talk.send({"type": "bye", "head": "0" * 32})
        took = talk.wait_end(grace)
        stray += talk.stray()
        code = talk.process.returncode
        if stray:
            change = mistakes.printing(self.subject)
            came = (
                f"{len(stray)} bytes that nothing had asked for: {plain(ascii(stray[:80].decode('latin-1')))}"
            )
            when = "between games, or when it ended"
            self._add(
                "quiet", Status.FAILED, f"more than messages on stdout, {when}", came=came, change=change
            )
        else:
            self._add("quiet", Status.OK, "nothing on stdout but messages")
        if used > mistakes.BUSY_S:
            change = "stop all work when the answer is sent: it takes the core from the other seats"
            said = f"it used {used * 1000:.0f} ms of CPU in {passed * 1000:.0f} ms while nothing was asked"
            self._add("idle", Status.WARNING, said, change=change)
        else:
            self._add("idle", Status.OK, "no work while nothing is asked")
        if took is None:
            change = "when `bye` comes (or stdin ends) leave the loop and exit"
            said = f"it still ran {self.limits.grace_ms} ms after bye"
            self._add("bye", Status.FAILED, said, sent='{"type":"bye"}', came="nothing", change=change)
        elif code:
            said = f"it ended after bye with status {code}"
            change = "it should end with status 0"
            self._add("bye", Status.WARNING, said, change=change, stderr=talk.stderr())
        else:
            self._add("bye", Status.OK, f"ended {took * 1000:.0f} ms after bye")

    # --- the other parts, a process each

    def _others(self) -> None:
        first = self.games[0]
        for game in self.games[1:]:
            self._part(
                game, Part("games", f"{game.id}, one process", games=max(1, self.count // 4), max_hands=None)
            )
        for game in self.games:
            for rules in VARIANTS.get(game.id, ()):
                words = " ".join(f"{name}={str(value).lower()}" for name, value in rules.items())
                part = Part("rules", f"{game.id} {words}", games=3, max_hands=12)
                self._part(get_game(game.id, rules), part)
        self._phases()
        for part in PARTS:
            if self.subject.encoding == "msgpack" or not part.msgpack_only:
                self._part(first, part)
        self._end(first)

    def _part(self, game: Game, part: Part) -> None:
        """One process, spoken to in the manner of this part."""
        hello = referee.hello(game, self.limits)
        with Talk(self.subject) as talk:
            ready, _ = talk.greet(hello, encoder(self.subject.encoding, part.manner)(hello))
            if not isinstance(ready, Foul):
                self._play(talk, game, part, Tally())
                return
            if part.change is None:
                found = mistakes.at_start(self.subject, game, ready, talk)
            else:
                found = Diagnosis(mistakes.came_words(ready, talk), part.change(self.subject))
            self._fail(part.id, f"{part.what}: it does not get ready", talk, found, talk.sent, part.failed)

    def _play(self, talk: Talk, game: Game, part: Part, tally: Tally) -> Trouble | None:
        """Play the games of a part and say how it went."""
        trouble = play_games(
            talk, game, tally, manner=part.manner, games=part.games, seconds=part.seconds,
            max_hands=part.max_hands,
        )  # fmt: skip
        self.asked += tally.asked
        self.sat_out += tally.sat_out
        if trouble is None:
            hands = f"{tally.games} games, {len(tally.seconds)} answers, all legal"
            self._add(part.id, Status.OK, f"{part.what}: {hands}")
            return None
        if part.change is not None:
            found = Diagnosis(mistakes.came_words(trouble.foul, talk), part.change(self.subject))
        else:
            found = mistakes.in_game(
                self.subject, game, trouble, talk, lambda manner: self._again(game, manner)
            )
        where = f"{part.what}: after {tally.games} games and {len(tally.seconds)} answers"
        self._fail(part.id, where, talk, found, trouble.sent, part.failed)
        return trouble

    def _again(self, game: Game, manner: Manner) -> int:
        """The beginning once more, in another process and manner: how many messages went well."""
        with Talk(self.subject) as talk:
            ready, _ = talk.greet(referee.hello(game, self.limits))
            if isinstance(ready, Foul):
                return 0
            tally = Tally()
            trouble = play_games(talk, game, tally, manner=manner, games=1, seconds=SHORT_S, max_hands=2)
            return 1 + len(tally.seconds) if trouble is None else trouble.answered

    def _phases(self) -> None:
        """What it was asked; a bot that never passes is never asked in the second round."""
        said = ", ".join(f"{name} {count}" for name, count in sorted(self.asked.items()))
        said = f"asked in: {said}; sat out {self.sat_out} hands while its partner played alone"
        if any(game.id in VARIANTS for game in self.games):
            missed = [name for name in PHASES if not self.asked[name]]
            said += f"; never asked in: {', '.join(missed)}" if missed else ""
        self._add("phases", Status.OK, said)

    def _end(self, game: Game) -> None:
        """The first game again, in a fresh process; then stdin ends without bye."""
        once, again = Tally(), Tally()
        took = None
        for tally in (once, again):
            with Talk(self.subject) as talk:
                ready, _ = talk.greet(referee.hello(game, self.limits))
                if isinstance(ready, Foul):
                    found = mistakes.at_start(self.subject, game, ready, talk)
                    self._fail("end", "another process of it does not get ready", talk, found, talk.sent)
                    return
                play_games(talk, game, tally, games=1, seconds=SHORT_S, max_hands=8)
                talk.process.close_stdin()
                took = talk.wait_end(self.limits.grace_ms / 1000)
        if took is None:
            change = "when a read gives nothing, stdin has ended: leave the loop and exit"
            said = f"it still ran {self.limits.grace_ms} ms after its stdin was closed"
            self._add("end", Status.FAILED, said, sent="the end of stdin", came="nothing", change=change)
        else:
            self._add("end", Status.OK, f"ended {took * 1000:.0f} ms after its stdin was closed")
        same = once.words == again.words
        self._add("repeat", Status.OK, _SAME if same else _DIFFERENT)

    # --- writing it down

    def _add(self, id: str, status: Status, said: str, **more: str) -> None:
        check = Check(id, status, said, **more)
        self.checks.append(check)
        self.watch(check)

    def _fail(
        self,
        id: str,
        what: str,
        talk: Talk,
        found: Diagnosis,
        sent: Sequence[Map],
        status: Status = Status.FAILED,
    ) -> None:
        stderr = "\n".join(head_and_tail(talk.stderr(), 4, 8))
        shown = [_shown(message) for message in list(sent)[-2:]]
        self._add(
            id, status, what, sent="\n".join(shown), came=found.came, change=found.change, stderr=stderr
        )


_SAME = "asked the same again, it answered the same: its games can be repeated"
_DIFFERENT = (
    "asked the same again, it answered otherwise: allowed, but its games cannot be repeated "
    "(draw random numbers from game_start's `seed`)"
)


def _shown(message: Map) -> str:
    """As one line; of one that is cut short, what the answer depends on comes first."""
    first = ("type", "id", "phase", "legal", "hand", "trump")
    message = {key: message[key] for key in first if key in message} | message
    return plain(json.dumps(message, separators=(",", ":")), SHOWN)
