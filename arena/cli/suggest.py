"""What somebody may have meant who typed an option that a command does not have."""

from __future__ import annotations

from difflib import get_close_matches

import click

MEANINGS = (
    (("rules", "variant", "ruleset", "preset", "option", "options", "set"), ("rule", "game")),
    (("games", "rounds", "num-games", "count", "repeat", "n"), ("pairs", "budget", "games")),
    (("max-games", "limit", "most"), ("budget", "max-pairs")),
    (("timeout", "time-limit", "time-control", "tc", "movetime", "clock"), ("move-time", "bank")),
    (("duration", "max-time", "minutes", "hours"), ("time",)),
    (
        ("threads", "jobs", "workers", "parallel", "concurrency", "cores", "cpus", "processes", "procs"),
        ("slots", "cores-per-game", "local"),
    ),
    (("output", "dir", "folder", "directory", "results", "path", "to"), ("out", "home", "write")),
    (("mem", "ram", "memory-limit", "max-memory"), ("memory",)),
    (("sandbox", "security", "level", "isolate", "jail"), ("isolation",)),
    (("language", "template"), ("lang",)),
    (("port", "web", "http", "live", "page", "dashboard"), ("serve", "serve-host")),
    (("host", "bind", "address", "listen"), ("serve-host", "scheduler", "host")),
    (("random-seed", "rng", "random"), ("seed",)),
    (("format", "output-format", "machine"), ("json", "csv")),
    (("dask", "cluster", "backend"), ("executor", "scheduler")),
    (("tournament", "format", "pairing", "mode"), ("schedule",)),
    (("bots", "everyone"), ("all",)),
    (("file", "toml", "settings"), ("config",)),
    (("preview", "plan", "estimate", "simulate"), ("dry-run",)),
    (("reference", "fix", "fixed"), ("anchor",)),
    (("force", "assume-yes", "no-confirm"), ("yes",)),
)
"""What options are called elsewhere, and what they are called here: the likeliest first."""
MOST = 3


def similar_options(typed: str, command: click.Command) -> list[str]:
    """Options of `command` that `typed` (with its dashes) may have meant, the likeliest first.

    By meaning, then by a common beginning, then by likeness; a rule option of a game is told as the value of
    `--rule` that it is.
    """
    word = typed.lstrip("-").lower().replace("_", "-")
    known = [
        option.removeprefix("--")
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden
        for option in param.opts
        if option.startswith("--")
    ]
    known.append("help")
    if "rule" in known and (rule := _rule(word)):
        return [f"--rule {rule}=VALUE"]
    found = [name for words, names in MEANINGS if word in words for name in names if name in known]
    if not found:
        found = [name for name in known if len(word) > 2 and (name.startswith(word) or word.startswith(name))]
    if not found:
        found = get_close_matches(word, known, MOST, 0.7)
    return [f"--{name}" for name in dict.fromkeys(found)][:MOST]


def _rule(word: str) -> str:
    """The rule option of some game that is called so; or nothing."""
    from arena.games.registry import game_ids, game_info

    name = word.replace("-", "_")
    return name if any(name == option.name for id in game_ids() for option in game_info(id).options) else ""


def no_such_option(error: click.NoSuchOption) -> click.UsageError:
    """The error with better suggestions."""
    context = error.ctx
    if context is None:
        return error
    near = similar_options(error.option_name, context.command)
    meant = f"did you mean {' or '.join(f'`{name}`' for name in near)}?"
    hint = meant if near else f"`{context.command_path} --help` lists them."
    return click.UsageError(f"no such option `{error.option_name}`: {hint}", context)
