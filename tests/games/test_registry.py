"""Games by id, options by name: presets, overrides, and what is refused with a suggestion."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.base import RuleError
from arena.games.registry import DEFAULT_GAME, game_ids, game_info, get_game, parse_overrides


def test_presets() -> None:
    assert game_ids()[0] == DEFAULT_GAME == "north-american"
    american, british = get_game(), get_game("british")
    differing = {name for name in american.rules if american.rules[name] != british.rules[name]}
    assert differing == {"target", "joker", "lone_lead"}
    assert (american.rules["target"], british.rules["target"]) == (10, 11)
    assert (len(american.pack), len(british.pack)) == (24, 25)
    assert (british.rules["joker"], british.rules["lone_lead"]) == (True, "maker_left")
    assert american.non_default_rules() == british.non_default_rules() == {}


def test_every_option_has_a_meaning_and_an_allowed_default() -> None:
    for game_id in game_ids():
        for option in game_info(game_id).options:
            assert option.meaning
            if option.values is None:
                assert isinstance(option.default, int)
                assert option.default >= option.minimum
            else:
                assert option.default in option.values


def test_every_value_of_every_option_builds_a_game() -> None:
    for game_id in game_ids():
        for option in game_info(game_id).options:
            for value in option.values or (option.minimum, 15):
                overrides = {option.name: value}
                if option.name == "no_trump":
                    overrides["joker"] = False
                if option.name == "joker_up_alone":
                    overrides["joker"] = True
                game = get_game(game_id, overrides)
                assert game.rules[option.name] == value
                assert (option.name in game.non_default_rules()) == (value != option.default)


@pytest.mark.parametrize(
    ("text", "value"),
    [("target=15", 15), ("joker=true", True), ("joker=TRUE", True), ("lone_lead= maker_left", "maker_left")],
)
def test_values_as_text(text: str, value: object) -> None:
    name = text.split("=")[0]
    rules = get_game("north-american", parse_overrides([text])).rules
    assert rules[name] == value
    assert type(rules[name]) is type(value)


@pytest.mark.parametrize(
    ("game_id", "overrides", "message"),
    [
        ("nort-american", {}, "unknown game `nort-american`: did you mean `north-american`?"),
        ("bridge", {}, "unknown game `bridge`: expected one of north-american, british"),
        ("british", {"stick_dealer": True}, "unknown rule `stick_dealer`.*did you mean `stick_the_dealer`?"),
        ("british", {"xyz": True}, "unknown rule `xyz` of british: expected one of target, joker"),
        ("british", {"joker": "yes"}, "`joker=yes`: expected false or true"),
        ("british", {"joker": 1}, "`joker=1`: expected false or true"),
        ("british", {"lone_march_points": True}, "`lone_march_points=true`: expected 3 or 4 or 5"),
        ("british", {"lone_march_points": 6}, "`lone_march_points=6`: expected 3 or 4 or 5"),
        ("british", {"lone_lead": "maker"}, "`lone_lead=maker`: expected dealer_left or maker_left"),
        ("british", {"defend_alone": "alway"}, "expected off or vs_lone or always: did you mean `always`?"),
        ("british", {"target": 0}, "`target=0`: expected a whole number from 1 on"),
        ("british", {"target": True}, "`target=true`: expected a whole number"),
        ("british", {"target": 7.5}, "`target=7.5`: expected a whole number"),
        ("british", {"target": "-3"}, "`target=-3`: expected a whole number"),
        ("british", {"target": "²"}, "expected a whole number"),
        ("british", {"target": "ten"}, "`target=ten`: expected a whole number"),
        ("british", {"no_trump": "round2"}, "with the joker: set `joker=false`"),
        ("north-american", {"no_trump": "round2", "joker": True}, "with the joker: set `joker=false`"),
        ("north-american", {"joker_up_alone": "blind"}, "needs the joker.*set `joker=true`"),
    ],
)
def test_refused(game_id: str, overrides: dict[str, Any], message: str) -> None:
    pattern = message.replace("?", r"\?")
    with pytest.raises(RuleError, match=pattern):
        get_game(game_id, overrides)


@pytest.mark.parametrize("text", ["target", "target=", "=15", "", "target 15"])
def test_override_of_another_shape(text: str) -> None:
    with pytest.raises(RuleError, match="expected NAME=VALUE"):
        parse_overrides([text])


def test_override_given_twice() -> None:
    assert parse_overrides(["target=5", "target=5"]) == {"target": "5"}
    with pytest.raises(RuleError, match="`target` is given twice, as `5` and as `7`"):
        parse_overrides(["target=5", "target=7"])


def test_rules_cannot_be_changed() -> None:
    game = get_game()
    with pytest.raises(TypeError):
        game.rules["target"] = 3  # type: ignore[index]
    game.non_default_rules()["target"] = 3
    assert game.non_default_rules() == {}
