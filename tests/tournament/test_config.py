"""`tournament.toml`: strict, complete, and the same as its schema and its dump."""

from __future__ import annotations

import json
import tomllib
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError, Exit
from arena.tournament.config import (
    KEYS,
    RunConfig,
    dump,
    json_schema,
    load,
    parse_ms,
    parse_ms_or_off,
    show_ms,
)

FULL = RunConfig(
    bots=("random", "greedy"),
    game="british",
    rules={"target": 15, "stick_the_dealer": True, "all_pass": "redeal"},
    pairs=7,
    schedule="gauntlet",
    seed='a "seed"\\ with \u00fcnicode\u2028',
    common_decks=True,
    move_ms=None,
    start_ms=1500,
    tempo_ms=250,
    slots=3,
    cores_per_game=2,
    pin=False,
    time_s=90.0,
    isolation="basic",
    ponder="freeze",
)


def write(folder: Path, text: str) -> Path:
    path = folder / "tournament.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_option_but_what_is_said_once_is_a_key() -> None:
    assert {key.field for key in KEYS} == {field.name for field in fields(RunConfig)} - {"dry_run"}


@pytest.mark.parametrize("config", [RunConfig(), FULL])
def test_a_dump_reads_back(config: RunConfig, tmp_path: Path) -> None:
    path = write(tmp_path, dump(config))
    read = load(path)
    assert read == RunConfig(**{**{f.name: getattr(config, f.name) for f in fields(config)},
                               "out": str(tmp_path / config.out)})  # fmt: skip


def test_the_defaults() -> None:
    config = RunConfig()
    assert (config.pairs, config.move_ms, config.start_ms, config.grace_ms) == (20, 1000, 5000, 500)


@pytest.mark.parametrize("config", [RunConfig(), FULL])
def test_a_dump_fits_the_schema(config: RunConfig) -> None:
    jsonschema.validate(tomllib.loads(dump(config)), json_schema())


def test_the_shipped_schema_is_the_one_that_the_keys_make() -> None:
    text = files("arena.tournament").joinpath("tournament.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == json_schema()


def test_paths_are_taken_from_the_files_folder(tmp_path: Path) -> None:
    config = load(write(tmp_path, 'bots = ["./mine", "greedy"]\nout = "results"\nhome = "/h"'))
    assert config.bots == (str(tmp_path / "mine"), "greedy")
    assert (config.out, config.home) == (str(tmp_path / "results"), "/h")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pair = 3", r"unknown key `pair`.*did you mean `pairs`"),
        ("pairs = 0", "pairs: 0 is too small"),
        ('pairs = "3"', 'key `pairs`: expected a whole number, found "3"'),
        ("pairs = true", "key `pairs`: expected a whole number, found true"),
        ("move-time = 3", "key `move-time`: expected a time"),
        ('move-time = "fast"', "key `move-time`: `fast` is not a time"),
        ('start-time = "off"', "key `start-time`: `off` is not a time"),
        ('bots = "random"', "key `bots`: expected a list of strings"),
        ("bots = [1]", r"key `bots`: expected a list of strings, found \[1\]"),
        ("rule = 3", "key `rule`: expected a table"),
        ("[rule]\ntarget = 1.5", "key `rule`: expected a table"),
        ("pin = 1", "key `pin`: expected true or false"),
        ('schedule = "swis"', "schedule: unknown value `swis`"),
        ('isolation = "strnog"', r"isolation: unknown value `strnog`.*did you mean `strong`"),
        ('bank = "5s"\nmove-time = "off"', "bank: a bank adds to a move time"),
        ('move-time = "0s"', "move-time: a time must be longer than nothing"),
        ("pairs = ", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ArenaError, match=said) as caught:
        load(write(tmp_path, text))
    assert str(tmp_path / "tournament.toml") in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"none\.toml: cannot be read"):
        load(tmp_path / "none.toml")


def test_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b'seed = "\xff"')
    with pytest.raises(ArenaError, match="not UTF-8 text"):
        load(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [("pairs = 3\nbots = [a, b]\n", "line 2 is `bots = [a, b]`"), ("pairs = 3\nseed = \"x\n", "line 2 is"),
     ("pairs\n", "line 1 is `pairs`"), ("pairs = ", "line 1 is `pairs =`")],
)  # fmt: skip
def test_toml_that_cannot_be_read_is_shown(tmp_path: Path, text: str, line: str) -> None:
    with pytest.raises(ArenaError, match="not valid TOML") as caught:
        load(write(tmp_path, text))
    assert line in caught.value.hint
    assert "text stands in quotes" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("1s", 1000), ("500ms", 500), ("1.5s", 1500), ("2", 2000), ("30m", 1_800_000), ("2h", 7_200_000)],
)
def test_times(text: str, milliseconds: int) -> None:
    assert parse_ms(text) == milliseconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "1 day", "1e3", "nan", "\u0661s"])
def test_no_times(text: str) -> None:
    with pytest.raises(ArenaError, match="is not a time") as caught:
        parse_ms(text, "move-time")
    assert caught.value.exit_code == Exit.USAGE


@given(st.none() | st.integers(1, 10**9))
def test_a_shown_time_reads_back(value: int | None) -> None:
    assert parse_ms_or_off(show_ms(value)) == value


@pytest.mark.parametrize("values", [{"slots": 0}, {"time_s": 0.0}, {"memory_mb": 0}, {"ponder": "dream"}])
def test_a_bad_value_is_refused_wherever_it_comes_from(values: dict[str, Any]) -> None:
    with pytest.raises(ArenaError):
        RunConfig(**values)


def test_workers_of_a_cluster_say_for_themselves_how_many_cores_a_game_has() -> None:
    where = {"executor": "dask", "scheduler": "tls://127.0.0.1:8786"}
    with pytest.raises(ArenaError, match="cores-per-game") as refused:
        RunConfig(cores_per_game=2, **where)
    assert "arena worker" in refused.value.hint
    assert RunConfig(executor="dask", local=1, cores_per_game=2).cores_per_game == 2
