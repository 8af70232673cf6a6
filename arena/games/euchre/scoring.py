"""What a euchre hand is worth (rules.md section 2 step 7, section 3 "How options meet")."""

from __future__ import annotations

from collections.abc import Mapping

from arena.games.base import RuleValue


def makers_points(
    rules: Mapping[str, RuleValue], tricks: int, *, alone: bool = False, lone_defender: bool = False
) -> int:
    """The points of a hand of which the makers took `tricks` of five: theirs, or negative the defenders'.

    Of several figures that apply to one result the largest counts, never a sum; `lone_doubles_all`
    replaces the base figure alone.
    """
    double = 2 if alone and rules["lone_doubles_all"] else 1
    if tricks >= 3 and not (alone and tricks < 5 and rules["lone_short"] == "euchre"):
        points = (2 if tricks == 5 else 1) * double
        if alone and tricks == 5:
            points = max(points, int(rules["lone_march_points"]))
        return points
    points = 2 * double
    if alone:
        points = max(points, int(rules["lone_euchre_points"]))
    if lone_defender or (tricks == 0 and rules["super_euchre"]):
        points = max(points, 4)
    return -points


PointsTable = tuple[tuple[tuple[int, ...], ...], ...]


def points_table(rules: Mapping[str, RuleValue]) -> PointsTable:
    """`makers_points` as a table: [maker alone][lone defender][makers' tricks]."""
    return tuple(
        tuple(
            tuple(makers_points(rules, n, alone=alone, lone_defender=lone_defender) for n in range(6))
            for lone_defender in (False, True)
        )
        for alone in (False, True)
    )
