"""Everything that `arena run` takes, in one place: flags, `tournament.toml` and defaults."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.bots.limits import Limits
from arena.errors import ArenaError, Exit, toml_hint
from arena.tournament.schedule import SCHEDULES

OWNERS = ("together", "apart")
ISOLATIONS = ("auto", "strong", "namespaces", "basic")
PONDER = ("watch", "freeze", "allow")
EXECUTORS = ("local", "dask")

MOST_ELO = 100_000.0

_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The options of one tournament. Times in milliseconds where the name says `_ms`."""

    bots: tuple[str, ...] = ()
    """BOT arguments as typed: a path, a registered bot or a sample bot; none: the sample bots."""
    game: str = "north-american"
    rules: Mapping[str, bool | int | str] = field(default_factory=dict)
    """Options that override the game's own; text as typed on a command line is understood."""
    pairs: int = 20
    """Duplicate pairs of each pairing; of each meeting in a Swiss; before any pairing is preferred where the
    schedule is adaptive.
    """
    schedule: str = "round-robin"
    """`round-robin`: everyone meets everyone; `gauntlet`: the first bot meets each other one; `swiss`: rounds
    between bots of like score; `adaptive`: pairs go where the order is least certain.
    """
    rounds: int | None = None
    """Of a Swiss; None: what its number of bots needs."""
    confidence: float | None = None
    """An adaptive schedule ends when the whole order is settled with this; None: 0.95."""
    budget: int | None = None
    """Games at most, in the order of the plan; None: no limit (adaptive: 2,000 a bot)."""
    seed: str | None = None
    """A chosen seed, reproducible and guessable; None: 256 bits from the system."""
    common_decks: bool = False
    """The same decks for every pairing: for versions of one bot."""
    move_ms: int | None = 1000
    """Time for a decision; None: no limit."""
    bank_ms: int | None = None
    start_ms: int = 5000
    grace_ms: int = 500
    memory_mb: int = 1024
    isolation: str = "auto"
    """`auto`: the strongest level that this machine gives."""
    ponder: str = "watch"
    """What a seat may do while it is not asked: `watch` it, `freeze` it, `allow` it."""
    tempo_ms: int | None = None
    """If set, every answer is held back until this time has passed."""
    slots: int | None = None
    """Games in parallel; None: as many as there are physical cores for."""
    cores_per_game: int = 1
    """Physical cores that a game's slot and bots share."""
    pin: bool = True
    """Pin each slot and its bots to their cores."""
    executor: str = "local"
    """`local`: slots on this machine; `dask`: on the workers of a Dask cluster."""
    scheduler: str | None = None
    """Address of the cluster's scheduler, `tls://host:port`."""
    local: int | None = None
    """A Dask cluster of one's own on this machine, of so many workers."""
    tls: str | None = None
    """Folder of the cluster's certificates (`arena tls new`)."""
    min_score: int | None = None
    """Workers that play fewer random hands a second are left out."""
    serve: int | None = None
    """Port of the live page; None: no page."""
    serve_host: str = "127.0.0.1"
    """Where the live page can be reached from."""
    time_s: float | None = None
    """Stop in order after this many seconds."""
    anchor: str | None = None
    """`NAME` or `NAME=ELO`: the bot whose rating is fixed in the table; None: the mean of all is 0."""
    owners: str = "together"
    """`apart`: pairings within one owner do not count for the ratings."""
    out: str = "arena-out"
    home: str | None = None
    """Where builds and registered bots are kept; None: ARENA_HOME or the user's data folder."""
    dry_run: bool = False

    def __post_init__(self) -> None:
        _check(self)

    def limits(self) -> Limits:
        """The limits that every bot of the tournament plays under."""
        return Limits(
            move_ms=self.move_ms,
            bank_ms=self.bank_ms,
            start_ms=self.start_ms,
            grace_ms=self.grace_ms,
            memory_mb=self.memory_mb,
        )


@dataclass(frozen=True, slots=True)
class Key:
    """One key of `tournament.toml`, which is also a flag's name."""

    name: str
    field: str
    kind: str
    """`text`, `texts`, `count`, `share`, `flag`, `time`, `time_or_off`, `seconds`, `rules` or a choice."""
    meaning: str
    choices: tuple[str, ...] = ()


KEYS: tuple[Key, ...] = (
    Key("bots", "bots", "texts", "bots that play: folders, registered bots or sample bots"),
    Key("game", "game", "text", "game id, see `arena rules`"),
    Key("rule", "rules", "rules", "rule options that differ from the game's own"),
    Key("pairs", "pairs", "count", "duplicate pairs of each pairing; a pair is two games"),
    Key("schedule", "schedule", "choice", "who meets whom", SCHEDULES),
    Key("rounds", "rounds", "count", "swiss: rounds"),
    Key("confidence", "confidence", "share", "adaptive: ends when the order is settled with this, 0.95"),
    Key("budget", "budget", "count", "games at most"),
    Key("seed", "seed", "text", "a chosen seed: reproducible, but a bot could guess it"),
    Key("common-decks", "common_decks", "flag", "the same decks for every pairing"),
    Key("move-time", "move_ms", "time_or_off", "time for one decision, or off"),
    Key("bank", "bank_ms", "time_or_off", "extra time for a whole game, or off"),
    Key("start-time", "start_ms", "time", "time from spawn to ready"),
    Key("grace", "grace_ms", "time", "time to end in after bye"),
    Key("memory", "memory_mb", "count", "memory of one seat in MiB"),
    Key("isolation", "isolation", "choice", "how bots are kept apart", ISOLATIONS),
    Key("ponder", "ponder", "choice", "what a seat may do while it is not asked", PONDER),
    Key("tempo", "tempo_ms", "time_or_off", "hold every answer back until this time has passed, or off"),
    Key("slots", "slots", "count", "games in parallel"),
    Key("cores-per-game", "cores_per_game", "count", "physical cores that one game's bots share"),
    Key("pin", "pin", "flag", "pin each slot and its bots to their cores"),
    Key("executor", "executor", "choice", "where blocks are played", EXECUTORS),
    Key("scheduler", "scheduler", "text", "address of the Dask scheduler, as tls://host:port"),
    Key("local", "local", "count", "workers of a Dask cluster of one's own on this machine"),
    Key("tls", "tls", "text", "folder of the Dask cluster's certificates"),
    Key("min-score", "min_score", "count", "random hands a second that a worker must reach"),
    Key("serve", "serve", "count", "port of a live page in the browser"),
    Key("serve-host", "serve_host", "text", "address that the live page can be reached at"),
    Key("time", "time_s", "seconds", "stop in order after this time"),
    Key("anchor", "anchor", "text", "the bot whose rating is fixed in the table: NAME or NAME=ELO"),
    Key("owners", "owners", "choice", "apart: pairings within one owner are not rated", OWNERS),
    Key("out", "out", "text", "folder for results and logs"),
    Key("home", "home", "text", "folder for builds and registered bots"),
)
"""The table that reading, writing, the JSON Schema and the command line's help go by."""


def parse_ms(text: str, key: str = "time") -> int:
    """Milliseconds of `500ms`, `1.5s`, `2m`, `1h`; a bare number is seconds. Raises ArenaError."""
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*(ms|s|m|h)?\s*", text)
    if match is None:
        raise ArenaError(
            f"{key}: `{text}` is not a time", hint="write 500ms, 1s, 30m or 2h", exit_code=Exit.USAGE
        )
    return round(float(match[1]) * _UNITS_MS[match[2] or "s"])


def parse_ms_or_off(text: str, key: str = "time") -> int | None:
    """`parse_ms`, with `off` for no limit."""
    return None if text.strip().lower() == "off" else parse_ms(text, key)


def show_ms(value: int | None) -> str:
    """The shortest text that `parse_ms_or_off` reads back as `value`."""
    if value is None:
        return "off"
    for unit in ("h", "m", "s"):
        if value and value % _UNITS_MS[unit] == 0:
            return f"{value // _UNITS_MS[unit]}{unit}"
    return f"{value}ms"


def parse_anchor(text: str | None, key: str = "anchor") -> tuple[str | None, float]:
    """Bot and rating of `NAME` or `NAME=ELO` (0 where there is none). Raises ArenaError.

    A name may hold a `=`: what follows the last one is the rating if it is a number.
    """
    if text is None:
        return None, 0.0
    name, sign, number = text.rpartition("=")
    elo = 0.0
    if sign and re.fullmatch(r"\s*[-+]?[0-9]*\.?[0-9]+\s*", number):
        elo = float(number)
    else:
        name = text
    if not name.strip() or abs(elo) > MOST_ELO:
        raise ArenaError(
            f"{key}: `{text}` is not NAME or NAME=ELO", hint="for example careful=1500", exit_code=Exit.USAGE
        )
    return name, elo


def load(path: Path, base: RunConfig | None = None) -> RunConfig:
    """The configuration in a `tournament.toml`. Raises ArenaError naming the file and the key.

    Relative bot paths (those with a slash), `out`, `home` and `tls` are taken from the file's folder.
    """
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ArenaError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise ArenaError(f"{path}: not valid TOML: {error}", hint=toml_hint(text, error)) from None
    by_name = {key.name: key for key in KEYS}
    values: dict[str, Any] = {}
    for name, value in data.items():
        if name not in by_name:
            near = get_close_matches(name, by_name, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"keys: {', '.join(by_name)}"
            raise ArenaError(f"{path}: unknown key `{name}`", hint=hint)
        key = by_name[name]
        values[key.field] = _read(key, value, path)
    folder = path.resolve().parent
    if "bots" in values:
        values["bots"] = tuple(_from(folder, bot) if "/" in bot else bot for bot in values["bots"])
    for name in ("out", "home", "tls"):
        if name in values:
            values[name] = _from(folder, values[name])
    try:
        return replace(base or RunConfig(), **values)
    except ArenaError as error:
        raise ArenaError(f"{path}: {error.message}", hint=error.hint) from None


def dump(config: RunConfig) -> str:
    """`config` as a `tournament.toml`: every key with its value; keys without one as comments."""
    lines, rules = ["# arena run --config FILE reads this back; flags win over the file."], [""]
    for key in KEYS:
        value = getattr(config, key.field)
        if key.kind == "rules":
            rules += [f"# {key.meaning}", "[rule]", *(f"{k} = {_toml(v)}" for k, v in value.items())]
            continue
        if key.kind in ("time", "time_or_off"):
            value = show_ms(value)
        elif key.kind == "seconds" and value is not None:
            value = show_ms(round(value * 1000))
        elif key.kind == "texts":
            value = list(value)
        lines.append(f"# {key.meaning}")
        lines.append(f"# {key.name} =" if value is None else f"{key.name} = {_toml(value)}")
    return "\n".join(lines + rules) + "\n"


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of `tournament.toml`; the file beside this one is made from it."""
    time = {"type": "string", "pattern": r"^\s*[0-9]*\.?[0-9]+\s*(ms|s|m|h)?\s*$"}
    time_or_off = {"type": "string", "pattern": r"^\s*([oO][fF][fF]|[0-9]*\.?[0-9]+\s*(ms|s|m|h)?)\s*$"}
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string"},
        "texts": {"type": "array", "items": {"type": "string"}},
        "count": {"type": "integer", "minimum": 1},
        "share": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "flag": {"type": "boolean"},
        "time": time,
        "time_or_off": time_or_off,
        "seconds": time,
        "rules": {"type": "object", "additionalProperties": {"type": ["boolean", "integer", "string"]}},
    }
    defaults = RunConfig()
    properties: dict[str, Any] = {}
    for key in KEYS:
        kind: dict[str, Any] = {"enum": list(key.choices)} if key.choices else dict(kinds[key.kind])
        kind["description"] = key.meaning
        default = getattr(defaults, key.field)
        if key.kind in ("time", "time_or_off"):
            default = show_ms(default)
        if default is not None:
            kind["default"] = list(default) if key.kind == "texts" else default
        properties[key.name] = kind
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tournament.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def _check(config: RunConfig) -> None:
    def refuse(text: str, hint: str = "") -> None:
        raise ArenaError(text, hint=hint, exit_code=Exit.USAGE)

    for key in KEYS:
        value = getattr(config, key.field)
        if key.choices and value not in key.choices:
            near = get_close_matches(str(value), key.choices, 1)
            refuse(
                f"{key.name}: unknown value `{value}`",
                f"did you mean `{near[0]}`?" if near else f"one of {', '.join(key.choices)}",
            )
        if key.kind == "count" and value is not None and value < 1:
            refuse(f"{key.name}: {value} is too small", "at least 1")
        if key.kind in ("time", "time_or_off") and value is not None and value < 1:
            refuse(f"{key.name}: a time must be longer than nothing", "write 500ms or 1s")
    if config.budget is not None and config.budget < 2:
        refuse(f"budget: {config.budget} is too small", "a pair is two games")
    if config.confidence is not None and not 0.5 <= config.confidence < 1:
        refuse(f"confidence: {config.confidence:g} is not between 0.5 and 1", "for example 0.95")
    for name, schedule in (("confidence", "adaptive"), ("rounds", "swiss")):
        if getattr(config, name) is not None and config.schedule != schedule:
            refuse(f"{name}: goes with schedule {schedule}, not {config.schedule}", f"--schedule {schedule}")
    parse_anchor(config.anchor)
    if config.time_s is not None and config.time_s <= 0:
        refuse("time: a time must be longer than nothing", "write 30m or 2h")
    if config.executor == "dask" and (config.scheduler is None) == (config.local is None):
        refuse("executor: dask needs a scheduler, or a number of workers", "--scheduler ADDR, or --local 2")
    if config.scheduler is not None and config.cores_per_game != 1:
        refuse(
            "cores-per-game: the workers of a cluster say that for themselves",
            "arena worker ADDR --cores-per-game N",
        )
    if config.executor != "dask":
        for name in ("scheduler", "local", "tls", "min_score"):
            if getattr(config, name) is not None:
                refuse(f"{name.replace('_', '-')}: is for workers of a Dask cluster", "--executor dask")
    if config.serve is not None and config.serve > 65535:
        refuse(f"serve: {config.serve} is no port", "a number from 1 to 65535")
    if config.bank_ms is not None and config.move_ms is None:
        refuse("bank: a bank adds to a move time, and move-time is off", "give a move-time, or no bank")


def _read(key: Key, value: Any, path: Path) -> Any:
    def wrong(expected: str) -> ArenaError:
        return ArenaError(f"{path}: key `{key.name}`: expected {expected}, found {_toml(value)}")

    if key.kind == "texts":
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            raise wrong("a list of strings")
        return tuple(value)
    if key.kind == "count":
        if type(value) is not int:
            raise wrong("a whole number")
        return value
    if key.kind == "share":
        if type(value) not in (int, float):
            raise wrong("a number such as 0.95")
        return float(value)
    if key.kind == "flag":
        if type(value) is not bool:
            raise wrong("true or false")
        return value
    if key.kind == "rules":
        if not (isinstance(value, dict) and all(isinstance(v, bool | int | str) for v in value.values())):
            raise wrong("a table of options, such as target = 15")
        return dict(value)
    if not isinstance(value, str):
        raise wrong("a string" if key.kind in ("text", "choice") else 'a time such as "500ms"')
    name = f"{path}: key `{key.name}`"
    if key.kind == "time":
        return parse_ms(value, name)
    if key.kind == "time_or_off":
        return parse_ms_or_off(value, name)
    if key.kind == "seconds":
        return parse_ms(value, name) / 1000
    return value


def _from(folder: Path, text: str) -> str:
    return str(folder / Path(text).expanduser())


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(_escape(c) for c in value) + '"'
    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
    return str(value)


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08x}"
