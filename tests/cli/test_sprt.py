"""`arena sprt` on real bots: it stops when it is decided, and says the same again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli.main import cli
from arena.viewer.console import plus_minus


def sprt(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["sprt", *map(str, arguments)])


def test_it_stops_when_decided_and_says_the_same_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--elo1", "100", "--seed", "7", "--isolation", "basic", "--out", out, "--json"]
    first = json.loads(sprt("greedy", "random", *options).stdout)
    assert first["status"] == "accept"
    assert first["llr"] >= first["upper"]
    assert 8 <= first["pairs"] < 60
    assert first["elo"] > 100
    again = json.loads(sprt("greedy", "random", *options).stdout)
    assert {k: again[k] for k in ("status", "pairs", "llr", "cells")} == {
        k: first[k] for k in ("status", "pairs", "llr", "cells")
    }


def test_the_worse_bot_is_rejected_in_words(tmp_path: Path) -> None:
    done = sprt("random", "greedy", "--elo1", "100", "--isolation", "basic", "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert "rejected: `random` is better than `greedy` by 0 Elo at most" in done.stdout
    assert "freed of the cards' luck: this one decides" in done.stdout
    assert "of the scores as played: it does not decide" in done.stdout
    assert "Elo      -" in done.stdout
    assert " ± " in done.stdout
    assert "+-" not in done.output
    again = sprt("random", "greedy", "--elo1", "100", "--isolation", "basic", "--out", tmp_path / "out")
    assert again.stdout == done.stdout
    assert "note: nothing left to play: the test is decided" in again.stderr


@pytest.mark.parametrize(
    ("encoding", "sign"),
    [("utf-8", "±"), ("latin-1", "±"), ("ascii", "+-"), ("none-such", "+-"), (None, "+-")],
)
def test_error_bars_are_shown_as_the_output_can(encoding: str | None, sign: str) -> None:
    assert plus_minus(encoding) == sign


def test_pairs_beyond_the_test_are_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["--elo1", "100", "--seed", "7", "--isolation", "basic", "--slots", "2", "--out", out]
    done = sprt("greedy", "random", *options)
    pairs = int(done.stdout.split("pairs    ")[1].split(":")[0])
    table = json.loads(CliRunner().invoke(cli, ["standings", str(out), "--json"]).stdout)
    stored = table["rows"][0]["pairs"]
    assert stored >= pairs
    words = f"({stored} pairs, which `arena standings` counts; the test used the first {pairs})"
    assert (words in done.stdout) == (stored > pairs)
    assert any("the table counts every stored pair" in w for w in table["warnings"])
    assert json.loads(sprt("greedy", "random", *options, "--json").stdout)["stored_pairs"] == stored


def test_the_cap_leaves_it_undecided(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = sprt("careful", "greedy", "--elo1", "1", "--max-pairs", "8", "--isolation", "basic", "--out", out)
    assert done.exit_code == 0
    assert "undecided after 8 pairs" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--elo0", "10", "--elo1", "5"], "must be less than"),
        (["--alpha", "0.7"], "must lie between"),
        (["--max-pairs", "3"], "below the 8"),
    ],
)
def test_what_cannot_be_tested_is_said(tmp_path: Path, options: list[str], said: str) -> None:
    done = sprt("careful", "greedy", *options, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_two_bots_that_are_the_same_cannot_be_tested(tmp_path: Path) -> None:
    done = sprt("careful", "careful", "--out", tmp_path / "out")
    assert done.exit_code == 3
    assert "given twice: nothing to test" in done.stderr
    assert "NEW and OLD must differ" in done.stderr
    assert not (tmp_path / "out").exists()
