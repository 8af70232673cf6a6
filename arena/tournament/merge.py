"""Two tournaments' results as one: every game and log of both, under the same conditions."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from arena.errors import ArenaError, Exit
from arena.store.folder import Lock, holds_tournament, no_tournament
from arena.store.queries import Queries, read_results
from arena.store.rows import AttemptRow, BotRow, Meta, Part
from arena.store.store import Store


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What became of a merge."""

    bots: int
    games: int
    """Games that count in the result."""
    repeated: int
    """Games that both held: the first one's count, the second one's are kept beside them."""
    attempts: int


def merge_tournaments(first: Path, second: Path, target: Path) -> MergeReport:
    """Join two tournaments in a new folder; what they hold stays as it is.

    The result goes on under the first one's seed. Raises ArenaError, naming what differs, where they were
    not played under the same conditions or call their bots differently, where one is being run, and where
    `target` holds something already.
    """
    if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
        raise ArenaError(
            f"{target}: is not empty", hint="name a new folder with -o", exit_code=Exit.ENVIRONMENT
        )
    with ExitStack() as stack:
        sources = []
        for folder in (first, second):
            if not holds_tournament(folder):
                raise no_tournament(folder)
            try:
                stack.callback(Lock(folder).release)
            except ArenaError as error:
                if "is running this tournament" in error.message:
                    raise
                # Nobody can be running it where nothing can be written.
            sources.append(stack.enter_context(read_results(folder)))
        metas = [source.meta for source in sources]
        _same_conditions(first, metas[0], second, metas[1])
        names = _bots(first, sources[0], second, sources[1])
        same_seed = metas[0].commitment == metas[1].commitment
        closed = metas[0].closed or (metas[1].closed if same_seed else None)
        store = stack.enter_context(Store(target, replace(metas[0], closed=None)))
        with store.transaction():
            for bot in names:
                store.add_bot(bot)
                if bot.started:
                    store.bot_started(bot.digest)
                for _ in range(bot.breaks):
                    store.bot_broke(bot.digest)
        copy = _Copy(store)
        for source in sources:
            copy.take(source)
        if closed is not None:
            with store.transaction():
                store.close_tournament()
        return MergeReport(len(names), store.games_done(), copy.repeated, copy.attempts)


def _same_conditions(first: Path, one: Meta, second: Path, other: Meta) -> None:
    """Raise ArenaError naming the first condition that differs."""
    for name in sorted(one.options.keys() | other.options.keys()):
        was, now = one.options.get(name, "not set"), other.options.get(name, "not set")
        if was != now:
            raise ArenaError(
                f"{first} was played with {name} {was}, {second} with {now}",
                hint="only results of the same conditions can be joined",
            )
    if (one.game, dict(one.rules)) != (other.game, dict(other.rules)):
        raise ArenaError(f"{first} and {second} were played by different rules")
    if one.options.get("common-decks") == "on" and one.commitment != other.commitment:
        raise ArenaError(
            f"{first} and {second} have common decks of different seeds: they are not the same decks",
            hint="give both the same --seed",
        )


def _bots(first: Path, one: Queries, second: Path, other: Queries) -> list[BotRow]:
    """The bots of both. Raises ArenaError where a name means two bots, or a bot has two names."""
    bots = {bot.digest: bot for bot in one.bots()}
    digests = {bot.name: bot.digest for bot in bots.values()}
    for bot in other.bots():
        known = bots.get(bot.digest)
        if known is not None and known.name != bot.name:
            raise ArenaError(
                f"one bot is called `{known.name}` in {first} and `{bot.name}` in {second}",
                hint="its logs name it; only results that call it the same can be joined",
            )
        if digests.get(bot.name, bot.digest) != bot.digest:
            raise ArenaError(
                f"`{bot.name}` is another program in {second} (digest {bot.digest[:12]}) "
                f"than in {first} (digest {digests[bot.name][:12]})",
                hint="give one of them another name in its bot.toml, and play again",
            )
        digests[bot.name] = bot.digest
        bots[bot.digest] = (
            bot
            if known is None
            else replace(known, started=known.started or bot.started, breaks=max(known.breaks, bot.breaks))
        )
    return [bots[digest] for digest in sorted(bots)]


class _Copy:
    """Takes stored tournaments into a store, log lines and all."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._own = store.meta.commitment
        self._taken: Counter[tuple[str, int, int, int, str]] = Counter()
        """Attempts that are here, by what tells one from another: they are not taken twice."""
        self._digests = {bot.name: bot.digest for bot in store.bots()}
        self.repeated = 0
        self.attempts = 0

    def take(self, source: Queries) -> None:
        """Copy all attempts of a tournament, in plan order, with the games of each."""
        meta = source.meta
        parts = source.parts()
        own = Part(meta.commitment, meta.seed, meta.guessable)
        for attempt in source.attempts():
            self._attempt(source, attempt, parts.get(attempt.match_id, own))

    def _attempt(self, source: Queries, attempt: AttemptRow, part: Part) -> None:
        key = (attempt.match_id, attempt.block, attempt.logged, attempt.bytes, attempt.head)
        if attempt.head and self._taken[key]:
            return  # both are copies of one tournament: this is the same attempt
        self._taken[key] += 1
        self.attempts += 1
        store = self._store
        facts = source.attempt_facts(attempt)
        with store.transaction():
            word = "" if part.commitment == self._own else part.commitment
            if word:
                store.add_part(part)
            a, b = self._digests[attempt.a], self._digests[attempt.b]
            match = store.match(attempt.match_id, a, b, word)
            number = store.begin(
                match,
                attempt.block,
                attempt.games,
                kind=attempt.kind,
                bot=attempt.bot,
                logged=attempt.logged,
            )
            end = 0
            for row in source.games_in(attempt):
                lines = _lines(source.folder / row.log, row.offset, row.bytes)
                counts = store.game(match, attempt.block, number, row.game, lines, row.status)
                self.repeated += row.status == "counts" and not counts
                end = row.offset + row.bytes
            if attempt.status == "finished":
                footer = _lines(source.folder / attempt.log, end, attempt.bytes - end)
                store.finish(match, attempt.block, number, footer, facts)
            else:
                why = attempt.why or "interrupted"
                bot = attempt.bot or None
                store.lose(match, attempt.block, number, why, bot=bot, text=attempt.text)


def _lines(path: Path, offset: int, size: int) -> list[str]:
    """Whole lines of a log. Raises ArenaError where they are not there."""
    if size <= 0:
        return []
    try:
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(size)
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}", exit_code=Exit.ENVIRONMENT) from None
    if len(data) != size or not data.endswith(b"\n"):
        raise ArenaError(f"{path}: is shorter than the database says", hint="`arena db check` tells more")
    return data.decode().splitlines()
