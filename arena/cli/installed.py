"""Whether this Python has all that the arena needs: asked at the start, so that no bot gets the blame."""

from __future__ import annotations

import os
from importlib.util import find_spec

from arena.errors import ArenaError, Exit

NEEDED = ("msgpack", "numpy", "rich", "trio")
OWN = "framing.py"
"""A file of our package `protocol`, and of no other package of that name."""


def check_installation() -> None:
    """Raise ArenaError (ENVIRONMENT) where a package is missing, or `protocol` is another; imports none."""
    for name in ("protocol", *NEEDED):
        try:
            spec = find_spec(name)
        except ValueError:  # it was put in place by hand, without saying where it is from
            continue
        if spec is None or spec.origin is None:
            what = "a part of the arena" if name == "protocol" else "which the arena needs"
            raise ArenaError(
                f"this Python has no package `{name}`, {what}",
                hint=_again(name),
                exit_code=Exit.ENVIRONMENT,
            )
        if name == "protocol" and not os.path.isfile(os.path.join(os.path.dirname(spec.origin), OWN)):
            raise ArenaError(
                f"the package `protocol` of this Python is not the arena's: {spec.origin}",
                hint="remove it, or run the arena in a virtual environment of its own",
                exit_code=Exit.ENVIRONMENT,
            )


def _again(name: str) -> str:
    again = "install the arena again, in its source folder: pip install ., or pip install -e ."
    if name == "protocol":
        return f"{again} (uninstalling `arena-protocol` takes away what the arena brought along)"
    return again
