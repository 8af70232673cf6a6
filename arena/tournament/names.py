"""Bots' names in a tournament: unique, and steady when bots are added later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from arena.errors import ArenaError


def assign_names(
    bots: Sequence[tuple[str, str, str, str]], stored: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Digest -> name for `bots`, each (name, version, digest, where it came from).

    Bots of one name get `name@version`, and those of one version, too, `name@digest`; a bot that is stored
    keeps its name. Raises ArenaError where one bot is given twice: it cannot meet itself.
    """
    stored = stored or {}
    given: dict[str, str] = {}
    for name, _, digest, source in bots:
        if digest in given:
            first = given[digest]
            if first == source:
                raise ArenaError(f"bot `{source}` is given twice", hint="give each bot once")
            raise ArenaError(
                f"bots `{first}` and `{source}` are the same bot ({name}, digest {digest[:12]})",
                hint="give each bot once",
            )
        given[digest] = source
    counts = Counter(name for name, _, _, _ in bots)
    labels = Counter((name, version) for name, version, _, _ in bots)
    taken = set(stored.values())
    names: dict[str, str] = {}
    for name, version, digest, _ in bots:
        if digest in stored:
            names[digest] = stored[digest]
            continue
        choices = [name] if counts[name] == 1 else []
        if version and labels[name, version] == 1:
            choices.append(f"{name}@{version}")
        choices += (f"{name}@{digest[:length]}" for length in range(8, len(digest) + 1, 4))
        chosen = next(choice for choice in choices if choice not in taken)
        names[digest] = chosen
        taken.add(chosen)
    return names
