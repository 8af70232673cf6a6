"""From a configuration to a plan: bots found and built, rules read, the tournament's folder opened."""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from arena.bots.build import build
from arena.bots.levels import Level
from arena.bots.manifest import read_manifest
from arena.bots.probe import probe
from arena.bots.resolve import Bot, overshadowed, resolve, sample_bots
from arena.bots.toolchain import SYSTEM
from arena.cards.seeds import SEED_BYTES, commitment, master_from_text
from arena.errors import ArenaError, Exit
from arena.execution.base import BotRef
from arena.games.base import Game, RuleError
from arena.games.registry import get_game
from arena.ratings.sprt import SprtModel, SprtTest
from arena.store.folder import holds_tournament
from arena.store.queries import Queries, read_results
from arena.store.rows import BotRow, Meta
from arena.store.store import Store, now
from arena.tournament.config import RunConfig, parse_anchor, show_ms
from arena.tournament.names import assign_names
from arena.tournament.plan import Plan
from arena.version import __version__

CONFIDENCE = 0.95
"""Of an adaptive schedule where none is asked for."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that is known before the folder is touched."""

    config: RunConfig
    game: Game
    arguments: tuple[str, ...]
    """What was asked for, a bot each."""
    bots: tuple[Bot, ...]
    directories: tuple[Path, ...]
    """Where each of them runs: its own folder, or its build."""
    isolation: Level
    notices: tuple[str, ...]
    test: SprtTest | None = None
    """What is tested, where the folder holds a sequential test."""


def prepare(config: RunConfig, test: SprtTest | None = None) -> Prepared:
    """Read the rules, find the bots, choose the isolation, build what is to play. `out` is not touched.

    Raises ArenaError for the first thing that is wrong, so that a bot that cannot be used is no result.
    """
    try:
        game = get_game(config.game, config.rules)
    except RuleError as error:
        raise ArenaError(str(error), hint="see `arena rules`", exit_code=Exit.USAGE) from None
    home = Path(config.home).expanduser() if config.home is not None else None
    names = config.bots or _default_bots()
    bots = tuple(resolve(name, home=home) for name in names)
    if len(bots) < 2:
        raise ArenaError(
            "a tournament needs at least two bots", hint="name another one, or none for the sample bots"
        )
    for bot in bots:
        if bot.manifest.games and game.id not in bot.manifest.games:
            raise ArenaError(
                f"bot `{bot.name}` does not play {game.id}",
                hint=f"its bot.toml says: games = {', '.join(bot.manifest.games)}",
            )
    level, notices = _isolation(config)
    told = (overshadowed(name, bot, home=home) for name, bot in zip(names, bots, strict=True))
    notices = (*filter(None, told), *notices)
    prepared = Prepared(config, game, names, bots, (), level, notices, test)
    _names(prepared, None)
    for bot in bots:
        _out_of_sight(config, bot)
    if config.dry_run:
        return replace(prepared, directories=tuple(bot.directory for bot in bots))
    return replace(prepared, directories=tuple(build(bot, level, home=home).directory for bot in bots))


def _out_of_sight(config: RunConfig, bot: Bot) -> None:
    """Raise ArenaError where results would lie in what a bot can read at every isolation level: its own
    folder, or the system's. The logs of one leg hold the deals of the other."""
    directory, out = Path(os.path.realpath(bot.directory)), Path(os.path.realpath(config.out))
    if any(out.is_relative_to(seen) for seen in SYSTEM):
        raise ArenaError(
            f"--out {config.out}: lies in a folder of the system, which every bot can read: bots would see "
            "the deals that they play",
            hint="give a folder elsewhere, such as --out ~/arena-out",
        )
    if out.is_relative_to(directory):
        other = os.path.relpath(directory.parent / "arena-out")
        raise ArenaError(
            f"--out {config.out}: lies in the folder of bot `{bot.name}`, which the bot can read: it would "
            "see the deals that it plays",
            hint=f"give a folder outside of it, such as --out {other}",
        )


def open_store(prepared: Prepared) -> tuple[Store, Plan]:
    """Begin the tournament in `out`, or go on with the one that is there.

    Raises ArenaError where that one was begun with other options, is closed, or is being run.
    """
    config = prepared.config
    meta = _new_meta(prepared)
    store = Store(Path(config.out), meta)
    try:
        stored = store.meta
        _not_closed(config, stored)
        _same_options(Path(config.out), stored, meta)
        names = _names(prepared, store)
        _check_anchor(config, {*names.values(), *(bot.name for bot in store.bots())})
        plan = _plan(prepared, stored, names)
        with store.transaction():
            for bot in prepared.bots:
                store.add_bot(_row(bot, names[bot.digest]))
    except BaseException:
        store.close()
        raise
    return store, plan


def look(prepared: Prepared) -> tuple[Plan, Queries | None]:
    """The plan and what is stored of it, for a dry run; nothing is written."""
    out = Path(prepared.config.out)
    results = read_results(out) if holds_tournament(out) else None
    fresh = _new_meta(prepared)
    try:
        stored = fresh if results is None else results.meta
        if results is not None:
            _not_closed(prepared.config, stored)
            _same_options(out, stored, fresh)
        return _plan(prepared, stored, _names(prepared, results)), results
    except BaseException:
        if results is not None:
            results.close()
        raise


def _default_bots() -> tuple[str, ...]:
    """The sample bots that need nothing but Python."""
    return tuple(name for name, folder in sample_bots().items() if read_manifest(folder).language == "python")


def _new_meta(prepared: Prepared) -> Meta:
    """The tournament as it would be begun now."""
    chosen = prepared.config.seed
    seed = secrets.token_bytes(SEED_BYTES) if chosen is None else master_from_text(chosen)
    return Meta(
        arena=__version__,
        created=now(),
        game=prepared.game.id,
        rules=dict(prepared.game.non_default_rules()),
        options=_options(prepared),
        seed=seed.hex(),
        commitment=commitment(seed),
        guessable=chosen is not None,
    )


def _names(prepared: Prepared, stored: Queries | None) -> dict[str, str]:
    """Digest -> name. Raises ArenaError for a bot that is given twice."""
    bots = zip(prepared.bots, prepared.arguments, strict=True)
    known = {} if stored is None else {bot.digest: bot.name for bot in stored.bots()}
    try:
        return assign_names(
            [(bot.name, bot.manifest.version, bot.digest, argument) for bot, argument in bots], known
        )
    except ArenaError as error:
        if prepared.test is None:
            raise
        raise ArenaError(
            f"{error.message}: nothing to test",
            hint="NEW and OLD must differ: change one, raise its `version`; NAME@VERSION is an old one",
        ) from None


def _plan(prepared: Prepared, meta: Meta, names: Mapping[str, str]) -> Plan:
    config = prepared.config
    return Plan(
        game=prepared.game,
        bots=[
            _ref(bot, names[bot.digest], directory)
            for bot, directory in zip(prepared.bots, prepared.directories, strict=True)
        ],
        schedule=config.schedule,
        pairs=config.pairs,
        limits=config.limits(),
        isolation=prepared.isolation.value,
        conditions={
            "ponder": config.ponder,
            "tempo_ms": config.tempo_ms,
            "common_decks": config.common_decks,
        },
        master=bytes.fromhex(meta.seed),
        commitment=meta.commitment,
        guessable=meta.guessable,
        budget=config.budget,
        confidence=CONFIDENCE if config.confidence is None else config.confidence,
        rounds=config.rounds,
        tested=prepared.test is not None,
    )


def _check_anchor(config: RunConfig, names: Collection[str]) -> None:
    """Refuse an anchor that does not play: better now than when the table is drawn."""
    anchor, _ = parse_anchor(config.anchor)
    if anchor is not None and anchor not in names:
        near = get_close_matches(anchor, names, 1)
        raise ArenaError(
            f"anchor: no bot `{anchor}` plays",
            hint=f"did you mean `{near[0]}`?" if near else f"these do: {', '.join(sorted(names)[:8])}",
            exit_code=Exit.USAGE,
        )


def _isolation(config: RunConfig) -> tuple[Level, tuple[str, ...]]:
    """The level asked for; with `auto` that of the stored tournament, else the strongest to be had."""
    wanted = None if config.isolation == "auto" else config.isolation
    out = Path(config.out)
    if wanted is None and holds_tournament(out):
        with read_results(out) as results:
            wanted = results.meta.options.get("isolation")
    found = probe(wanted)
    if not found.findings or config.isolation == Level.BASIC:
        return found.level, ()
    if found.level is Level.STRONG:
        return found.level, ("bots' memory is watched, not bounded by the system: see `arena doctor`",)
    return found.level, (f"isolation {found.level.value}, for bots that you trust: see `arena doctor`",)


def _options(prepared: Prepared) -> dict[str, str]:
    """What a second run may not change, as a person would write it."""
    config = prepared.config
    rules = prepared.game.non_default_rules()
    test = prepared.test
    sprt = {} if test is None else {"sprt": _test_words(prepared, test)}
    return sprt | {
        "game": prepared.game.id,
        "rule": ", ".join(f"{name}={str(value).lower()}" for name, value in sorted(rules.items())) or "none",
        "schedule": config.schedule if test is None else "sprt",
        "common-decks": "on" if config.common_decks else "off",
        "move-time": show_ms(config.move_ms),
        "bank": show_ms(config.bank_ms),
        "start-time": show_ms(config.start_ms),
        "grace": show_ms(config.grace_ms),
        "memory": str(config.memory_mb),
        "isolation": prepared.isolation.value,
        "cores-per-game": str(config.cores_per_game),
        "ponder": config.ponder,
        "tempo": show_ms(config.tempo_ms),
    }


def _test_words(prepared: Prepared, test: SprtTest) -> str:
    """What a test may not change on its way, as a person would write it."""
    new, old = (f"{bot.name} ({bot.digest[:8]})" for bot in prepared.bots)
    words = f"elo0 {test.elo0:g}, elo1 {test.elo1:g}, alpha {test.alpha:g}, beta {test.beta:g}"
    kind = "" if test.model is SprtModel.LOGISTIC else f", {test.model.value} Elo"
    return f"{new} against {old}, {words}{kind}"


def _same_options(out: Path, stored: Meta, asked: Meta) -> None:
    """Refuse to go on with a tournament under other options, naming the first one that differs."""

    def refuse(name: str, was: str, now: str) -> None:
        raise ArenaError(
            f"{out}: this tournament was begun with {name} {was}, and you ask for {now}",
            hint="give the same options to go on with it, or another --out",
        )

    for name, value in asked.options.items():
        was = stored.options.get(name, "")
        if was != value:
            refuse(name, was or "none", value)
    if stored.guessable != asked.guessable:
        words = {True: "a chosen one", False: "one drawn by the system"}
        refuse("seed", words[stored.guessable], words[asked.guessable])
    if asked.guessable and stored.commitment != asked.commitment:
        refuse("seed", "another one", "this one")


def _not_closed(config: RunConfig, stored: Meta) -> None:
    """Refuse to run a closed tournament, whether or not something is left to play."""
    if stored.closed is not None:
        raise ArenaError(
            f"{config.out}: this tournament was closed, its seed is known: nothing can be added",
            hint=f"`arena standings {shlex.quote(config.out)}` shows its table; give another --out",
        )


def _ref(bot: Bot, name: str, directory: Path) -> BotRef:
    manifest = bot.manifest
    return BotRef(
        name, manifest.version, bot.digest, str(directory), manifest.command, manifest.encoding.value
    )


def _row(bot: Bot, name: str) -> BotRow:
    manifest = bot.manifest
    return BotRow(
        bot.digest, name, manifest.version, manifest.owner or "", manifest.language or "", str(bot.directory)
    )
