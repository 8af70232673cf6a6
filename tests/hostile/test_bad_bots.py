"""Every bot of `sample_bots/bad` gets what `expected.toml` says, at every level, for root and for a user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.audit import isolation
from arena.audit.selftest import Case, Outcome, Referee, User, bad_bots, read_cases, run_case, trial_of, users
from arena.bots.levels import Level
from arena.bots.manifest import read_manifest
from arena.cards.seeds import block_seed, master_from_text, rules_id
from arena.errors import ArenaError
from arena.games.registry import get_game

CASES = {case.name: case for case in read_cases()}
WEAKER = [
    case.name
    for case in CASES.values()
    if case.stopped or len(set(case.verdict.values())) > 1 or case.name in ("daemon", "ignores_bye", "spin")
]
"""What a lower level changes: attacks, and what depends on who holds the processes together."""
ATTACKS = [case.name for case in CASES.values() if case.stopped]

Referees = Callable[[User], Referee]
Offered = Callable[[Level], Level]


def passes(outcome: Outcome) -> None:
    assert not outcome.problems, isolation.line(outcome)


@pytest.mark.parametrize("name", CASES)
def test_at_strong(name: str, referees: Referees, offered: Offered) -> None:
    passes(run_case(CASES[name], offered(Level.STRONG), referees(users()[0])))


@pytest.mark.parametrize("name", ATTACKS)
def test_at_strong_with_an_ordinary_user(name: str, referees: Referees, offered: Offered) -> None:
    if users() == (User.ORDINARY,):
        pytest.skip("tried already")
    passes(run_case(CASES[name], offered(Level.STRONG), referees(User.ORDINARY)))


@pytest.mark.parametrize("level", [Level.NAMESPACES, Level.BASIC])
@pytest.mark.parametrize("name", WEAKER)
def test_below_strong(name: str, level: Level, referees: Referees, offered: Offered) -> None:
    passes(run_case(CASES[name], offered(level), referees(User.ORDINARY)))


# --- the attacks themselves work: without these, a bot that tries nothing would pass


CONTROLS = {
    "spy": {"the referee's environment", "the tournament's seed file", "another bot's program"},
    "channels": {"a file in /tmp", "an abstract socket", "TCP on the loopback", "flock on system files"},
    "reaches_out": {"a service on the loopback"},
    "signals_referee": {"signals to the referee"},
    "remembers_deals": {"deals of the first leg"},
}


@pytest.mark.parametrize("name", CONTROLS)
def test_at_basic_the_attack_gets_through(name: str, referees: Referees, offered: Offered) -> None:
    outcome = run_case(CASES[name], offered(Level.BASIC), referees(User.ORDINARY))
    assert {attack for attack, through in outcome.through.items() if through} >= CONTROLS[name]


def test_a_guessable_seed_is_found(referees: Referees, offered: Offered) -> None:
    """What `--seed 7` deals, the seed searcher finds from its own cards: the record says `guessable`."""
    case = CASES["searches_seed"]
    trial = trial_of(case, offered(Level.STRONG))
    rules = rules_id("north-american", get_game("north-american", trial.rules).rules)
    seed = block_seed(master_from_text("7"), rules, "-", "-", 0)
    result = referees(users()[0]).play(replace(trial, block_seed=seed.hex()))
    assert result is not None
    assert any("FOUND seed 7" in entry["text"] for entry in result["stderr"])


# --- the table


def test_every_bad_bot_is_in_the_table_and_names_itself() -> None:
    folders = {path.name for path in bad_bots().iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {case.bot for case in CASES.values()}
    for folder in folders:
        assert read_manifest(bad_bots() / folder).name == folder
    assert all(set(case.verdict) == set(Level) for case in CASES.values())


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ArenaError, match="unknown self-test `crsh`"):
        read_cases(["crsh"])


def outcome(case: Case, level: Level, **changes: object) -> Outcome:
    made = Outcome(case, level, User.ROOT, "none", dict.fromkeys(case.stopped, False), False, (), ())
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_page_shows_verdicts_attacks_and_what_is_wrong() -> None:
    spy, crash = CASES["spy"], CASES["crash"]
    text = isolation.page(
        [
            outcome(crash, Level.STRONG, verdict="crashed"),
            outcome(spy, Level.STRONG),
            outcome(spy, Level.BASIC, through={"the machine's name": True}),
        ]
    )
    assert "| exits with a status in its turn (`crash`) | crashed |  |" in text
    assert "| the machine's name (`spy`) | stopped | **through** |" in text
    assert "| root's home (`spy`) | stopped | not tried |" in text
    assert "Every one of them came out as it must." in text
    wrong = isolation.page([outcome(crash, Level.STRONG, problems=("it lives",))])
    assert "`crash` at strong, root: it lives" in wrong
    assert "WRONG: it lives" in isolation.line(outcome(crash, Level.STRONG, problems=("it lives",)))
