"""The games that there are, by id; a game is built from its preset and the options overridden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from arena.games.base import Game, Option, RuleError, RuleValue

DEFAULT_GAME = "north-american"


@dataclass(frozen=True, slots=True)
class GameInfo:
    """A registered game: its id, what it is, its options, and how it is built from all its rules."""

    id: str
    title: str
    options: tuple[Option, ...]
    build: Callable[[Mapping[str, RuleValue]], Game]

    def option(self, name: str) -> Option:
        """The option of that name. Raises RuleError with a suggestion if there is none."""
        for option in self.options:
            if option.name == name:
                return option
        known = [option.name for option in self.options]
        raise RuleError(f"unknown rule `{name}` of {self.id}{_suggestion(name, known)}")


def _euchre(game_id: str, title: str) -> GameInfo:
    from arena.games.euchre.game import EuchreGame
    from arena.games.euchre.options import options

    return GameInfo(game_id, title, options(game_id), lambda rules: EuchreGame(game_id, rules))


_GAMES: Mapping[str, Callable[[], GameInfo]] = {
    "north-american": lambda: _euchre("north-american", "North American euchre: 24 cards, to 10"),
    "british": lambda: _euchre("british", "British euchre with the Benny: 25 cards, to 11"),
}


def game_ids() -> tuple[str, ...]:
    """The ids of all games, the default first."""
    return tuple(_GAMES)


def game_info(game_id: str) -> GameInfo:
    """What is registered under an id. Raises RuleError with a suggestion for an unknown one."""
    if game_id not in _GAMES:
        raise RuleError(f"unknown game `{game_id}`{_suggestion(game_id, list(_GAMES))}")
    return _GAMES[game_id]()


def get_game(game_id: str = DEFAULT_GAME, overrides: Mapping[str, object] | None = None) -> Game:
    """The game of an id with some options overridden; values may be native or their text (`true`, `15`).

    Raises RuleError, with a suggestion, for an unknown game, option or value, and for options that
    contradict each other.
    """
    info = game_info(game_id)
    rules = {option.name: option.default for option in info.options}
    for name, value in (overrides or {}).items():
        option = info.option(name)
        rules[option.name] = rule_value(option, value)
    return info.build(rules)


def parse_overrides(texts: Iterable[str]) -> dict[str, str]:
    """Overrides from `name=value` texts, as the command line takes them.

    Raises RuleError for a text of another shape and for an option given twice with different values.
    """
    overrides: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise RuleError(f"rule `{text}`: expected NAME=VALUE, such as `target=15`")
        if overrides.setdefault(name, value) != value:
            raise RuleError(f"rule `{name}` is given twice, as `{overrides[name]}` and as `{value}`")
    return overrides


def rule_value(option: Option, value: object) -> RuleValue:
    """A value for an option, from itself or its text. Raises RuleError if it is not allowed."""
    if option.values is None:
        number = value
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
            number = int(value)
        if isinstance(number, int) and not isinstance(number, bool) and number >= option.minimum:
            return number
        expected = f"expected a whole number from {option.minimum} on"
        raise RuleError(f"rule `{option.name}={_text(value)}`: {expected}")
    for allowed in option.values:
        if (type(value) is type(allowed) and value == allowed) or (
            isinstance(value, str) and value.strip().lower() == _text(allowed)
        ):
            return allowed
    texts = [_text(allowed) for allowed in option.values]
    hint = _suggestion(_text(value), texts) if len(texts) > 2 else ""
    raise RuleError(f"rule `{option.name}={_text(value)}`: expected {' or '.join(texts)}{hint}")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _suggestion(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f": did you mean `{close[0]}`?" if close else f": expected one of {', '.join(known)}"
