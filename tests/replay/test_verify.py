"""A log checked by itself: every change is found, and the first record that differs is named."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.replay.log import Chain, footer
from arena.replay.record import GameRecorder
from arena.replay.verify import Status, verify_log


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bank": True},
        {"game_id": "british"},
        {"game_id": "british", "rules": {"joker_up_alone": "blind", "defend_alone": "always"}},
        {"rules": {"farmers_hand": "redeal", "all_pass": "same_dealer", "hand_limit": 5}},
        {"rules": {"no_trump": "round2", "stick_the_dealer": True}},
        {"faults": {(0, 0): 0, (1, 1): 25}},
        {"games": ((17, 0), (10, 0), (17, 1))},
    ],
    ids=str,
)
def test_a_real_log_verifies(bodies, write_log, options):
    made = bodies(**options)
    report = verify_log(write_log(made))
    assert (report.status, report.problem, report.line) == (Status.VERIFIED, "", None)
    assert report.records == len(made)
    assert report.games == len(options.get("games", "four"))
    assert report.hands == sum('"t":"hand"' in body for body in made)
    assert report.decisions > 0
    assert "verified" in report.sentence()


def test_without_a_footer_it_is_open(bodies, write_log):
    report = verify_log(write_log(bodies(closed=False)))
    assert (report.status, report.ok, report.games) == (Status.OPEN, True, 4)


@pytest.mark.parametrize("code", ["start_failed", "killed_slot", "timeout"])
def test_a_game_forfeited_before_a_card_was_dealt(bodies, write_log, code):
    made = bodies(games=((0, 0),))
    recorder = GameRecorder(0, 1, 0, [1, 0, 1, 0], json.loads(made[1])["seeds"])
    fault = {"code": code, "seat": 1, "team": 1, "hand_number": None, "text": "x", "stderr_tail": ""}
    forfeit = recorder.finish([0, 0], 0, "forfeit", 0.0, fault)
    report = verify_log(write_log([*made[:-1], *forfeit, made[-1]]))
    assert (report.status, report.games) == (Status.VERIFIED, 2)
    wrong = recorder.finish([0, 0], 1, "forfeit", 1.0, fault)[-1]
    report = verify_log(write_log([*made[:-1], forfeit[0], wrong, made[-1]]))
    assert (report.status, report.line) == (Status.FAILED, len(made) + 1)


def test_only_the_bytes_that_count(bodies, write_log):
    path = write_log(bodies(closed=False))
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(b'{"t":"ga')
    assert verify_log(path).status is Status.TRUNCATED
    assert verify_log(path, size=size).status is Status.OPEN


def fields_of(body):
    """Every leaf of a record, as a path of keys."""

    def walk(value, at):
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                yield from walk(inner, (*at, key))
        elif isinstance(value, list) and value:
            for place, inner in enumerate(value):
                yield from walk(inner, (*at, place))
        else:
            yield at

    return list(walk(json.loads(body), ()))


def other(value):
    """A value of the same type that differs."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if value is None:
        return 1
    if not isinstance(value, str):
        return [0]
    return value[:-1] + ("x" if value[-1:] != "x" else "y")


def test_every_field_of_every_kind_of_record(bodies, write_log, change):
    """Without mending the chain, a change of any field is found at its own line."""
    made = bodies(games=((0, 0), (0, 1)), faults={(0, 1): 40}, bank=True)
    lines = Chain().extend(made)
    kinds = {}
    for number, body in enumerate(made, 1):
        kinds[json.loads(body)["t"]] = number
    assert set(kinds) == {"block", "game", "hand", "end", "close"}
    tried = 0
    for number in kinds.values():
        for keys in [*fields_of(made[number - 1]), ("h",)]:
            value = json.loads(lines[number - 1])
            for key in keys:
                value = value[key]
            new = "0" * 32 if keys == ("h",) else other(value)
            changed = [*lines]
            changed[number - 1] = change(lines[number - 1], keys, new)
            report = verify_log(write_log(changed, chained=False))
            assert report.status is Status.FAILED, (keys, report)
            assert report.line == number, (keys, report)
            assert report.records == number - 1
            tried += 1
    assert tried > 80


# What is recomputed is found also when the forger has mended the whole chain: (record, keys, words).
FORGED = [
    ("block", ("rules", "target"), "start"),
    ("block", ("commitment",), "commitment"),
    ("block", ("deal",), "algorithm"),
    ("block", ("game",), "unknown game"),
    ("block", ("block",), "block"),
    ("game", ("pair",), "pair"),
    ("game", ("dealer",), "dealer"),
    ("game", ("teams", 0), "teams"),
    ("game", ("seeds", 3), "seeds"),
    ("hand", ("n",), "n is"),
    ("hand", ("dealer",), "dealer"),
    ("hand", ("points", 0), "points"),
    ("hand", ("scores", 1), "scores"),
    ("hand", ("us",), "`us`"),
    ("end", ("pair",), "pair"),
    ("end", ("leg",), "leg"),
    ("end", ("scores", 0), "scores"),
    ("end", ("winner",), "winner"),
    ("end", ("score_a",), "score_a"),
    ("end", ("fault", "team"), "team"),
    ("end", ("fault", "seat"), "team"),
    ("end", ("fault", "hand_number"), "hand_number"),
    ("end", ("cpu",), "cpu"),
]


@pytest.mark.parametrize(("kind", "keys", "words"), FORGED, ids=lambda v: str(v))
def test_a_forger_who_mends_the_chain(bodies, write_log, change, kind, keys, words):
    made = bodies(games=((0, 0), (0, 1)), faults={(0, 1): 40})
    number = max(n for n, body in enumerate(made) if json.loads(body)["t"] == kind)
    value = json.loads(made[number])
    for key in keys:
        value = value[key]
    made[number] = change(made[number], keys, other(value))
    report = verify_log(write_log(made))
    assert report.status is Status.FAILED
    if words != "start" and keys != ("block",):
        assert report.line == number + 1
        assert words in report.problem


def test_a_legal_card_swapped_for_another_is_found(bodies, write_log, change):
    """Somewhere a play is no longer legal, or a trick or the score comes out differently."""
    made = bodies(games=((0, 0), (0, 1)))
    hand = next(n for n, body in enumerate(made) if '"end":"played"' in body)
    acts = json.loads(made[hand])["acts"].split()
    plays = [place for place, word in enumerate(acts) if word.startswith("play:")]
    acts[plays[0]], acts[plays[4]] = acts[plays[4]], acts[plays[0]]
    made[hand] = change(made[hand], ("acts",), " ".join(acts))
    report = verify_log(write_log(made))
    assert (report.status, report.line) == (Status.FAILED, hand + 1)
    assert "is not legal" in report.problem
    assert "seat" in report.problem


def test_a_deal_swapped_for_another(bodies, write_log):
    """Another block's games, whole and consistent, under this block's seed."""
    mine, foreign = bodies(), bodies(seed=b"x" * 32)
    report = verify_log(write_log([mine[0], *foreign[1:-1], mine[-1]]))
    assert (report.status, report.line) == (Status.FAILED, 2)
    assert "seeds" in report.problem


def test_a_seed_that_was_not_committed_to(bodies, write_log):
    made = bodies()
    report = verify_log(write_log([*made[:-1], footer(b"z" * 32)]))
    assert (report.status, report.line) == (Status.FAILED, 1)
    assert "commitment" in report.problem


def test_in_an_open_log_the_two_legs_must_agree(bodies, write_log, change):
    made = bodies(games=((0, 0), (0, 1)), closed=False)
    start = max(n for n, body in enumerate(made) if '"t":"game"' in body)
    seeds = json.loads(made[start])["seeds"]
    broken = [*made]
    broken[start] = change(made[start], ("seeds",), [seeds[0] + 1, *seeds[1:]])
    report = verify_log(write_log(broken))
    assert (report.status, report.line) == (Status.FAILED, start + 1)
    pack = json.loads(made[start + 1])["pack"]
    broken = [*made]
    broken[start + 1] = change(made[start + 1], ("pack",), pack[:40] + pack[44:] + pack[40:44])
    report = verify_log(write_log(broken))
    assert (report.status, report.line) == (Status.FAILED, start + 2)
    assert "other leg" in report.problem


@pytest.mark.parametrize(
    ("mangle", "line", "words"),
    [
        (lambda b: b[1:], 1, "begins with exactly one"),
        (lambda b: [b[0], b[0], *b[1:]], 2, "begins with exactly one"),
        (lambda b: [b[0], *b[2:]], 2, "outside of a game"),
        (lambda b: [*b, b[-1]], None, "after the footer"),
        (lambda b: [*b[:-1], *b[1:]], None, "twice"),
        (lambda b: [b[0], *b[1:4], *b[1:]], 5, "no end"),
        (lambda b: [*b[:2], *b[3:]], 3, "n is 1: expected 0"),
        (lambda b: [*b[:3], *b[2:]], 4, "n is 0: expected 1"),
        (lambda b: [], 0, "empty"),
    ],
    ids=range(9),
)
def test_records_missing_doubled_or_out_of_place(bodies, write_log, mangle, line, words):
    report = verify_log(write_log(mangle(bodies(games=((0, 0), (0, 1))))))
    assert report.status is Status.FAILED
    assert words in report.problem
    if line is not None:
        assert report.line == line


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_byte_changed_is_found_at_its_line(bodies, write_log, data):
    path = write_log(bodies(games=((0, 0), (0, 1)), faults={(0, 1): 30}))
    raw = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(raw)
    report = verify_log(path)
    line = raw[:place].count(b"\n") + 1
    assert report.status in (Status.FAILED, Status.TRUNCATED)
    # A newline that was changed joins two lines, the first of which then differs.
    assert report.line == line


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_cut_anywhere_it_is_never_verified(bodies, write_log, data):
    path = write_log(bodies(games=((0, 0), (0, 1)), faults={(0, 1): 30}))
    raw = path.read_bytes()
    cut = raw[: data.draw(st.integers(0, len(raw) - 1))]
    path.write_bytes(cut)
    report = verify_log(path)
    assert report.status is not Status.VERIFIED
    ends = [json.loads(line)["t"] for line in cut.split(b"\n")[:-1]]
    whole = cut.endswith(b"\n") and ends[-1] in ("block", "end")
    assert (report.status is Status.OPEN) == whole


def test_files_that_are_no_logs(tmp_path):
    for name, raw in {
        "none": None,
        "text": b"hello\n",
        "binary": bytes(range(256)),
        "json": b'{"t":"block"}\n',
        "huge": b"x" * 3_000_000,
    }.items():
        path = tmp_path / name
        if raw is not None:
            path.write_bytes(raw)
        report = verify_log(path)
        assert report.status is Status.FAILED, name
        assert len(report.sentence()) < 700
    assert verify_log(tmp_path).status is Status.FAILED


def test_an_anchor_proves_origin_up_to_its_line(bodies, write_log):
    made = bodies()
    chain = Chain()
    chain.extend(made[:9])
    anchor = chain.head
    path = write_log(made)
    assert verify_log(path).anchor is None
    assert verify_log(path, anchor=anchor.upper()).anchor == anchor
    # The forger rewrites everything, consistently: only the anchor finds him out.
    forged = bodies(seed=b"f" * 32)
    path = write_log(forged)
    assert verify_log(path).status is Status.VERIFIED
    report = verify_log(path, anchor=anchor)
    assert report.status is Status.FAILED
    assert "published" in report.problem
