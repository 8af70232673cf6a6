"""`View`: one `act` request, as a bot sees it."""

from __future__ import annotations

from typing import Any, cast


class View:
    """What one seat may know at one decision. Attributes are the keys of `act` (PROTOCOL.md); `view[key]`
    and `view.get(key)` reach any key, also those that this package does not know yet."""

    __slots__ = ("map",)

    def __init__(self, message: dict[str, Any]) -> None:
        self.map = message

    def __getitem__(self, key: str) -> Any:
        return self.map[key]

    def __contains__(self, key: str) -> bool:
        return key in self.map

    def get(self, key: str, default: Any = None) -> Any:
        return self.map.get(key, default)

    @property
    def legal(self) -> list[str]:
        """The words to choose from, never empty."""
        return cast("list[str]", self.map["legal"])

    @property
    def hand(self) -> list[str]:
        """The cards that this seat holds."""
        return cast("list[str]", self.map["hand"])

    @property
    def phase(self) -> str:
        return cast(str, self.map["phase"])
