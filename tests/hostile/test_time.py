"""Time: the host's stalls are no losses, burners cost no other seat its time, runtimes are not blamed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.audit.selftest import bad_bots
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.execution.cores import pinning_order, slot_cpus
from arena.table.block import REPLAYS_PER_GAME, play_block
from arena.table.job import BlockJob, BotRef, Event, Finished
from arena.table.watch import BACKGROUND_S, BACKGROUND_SHARE

Need = Callable[[str], str]


def ref(name: str, directory: Path, *command: str, encoding: str = "msgpack") -> BotRef:
    return BotRef(name, "1", "", str(directory), command or ("{python}", "bot.py"), encoding)


def bad(name: str) -> BotRef:
    return ref(name, bad_bots() / name)


def play(
    a: BotRef, b: BotRef, level: Level, hands: int, move_ms: int, **more: Any
) -> tuple[list[Any], Finished]:
    """A block of one pair on one core: its games' rows, and what was measured."""
    cores = {"cpus": (max(os.sched_getaffinity(0)),)} if hasattr(os, "sched_getaffinity") else {}
    values: dict[str, Any] = {"games": ((0, 0), (0, 1)), **cores, **more}
    job = BlockJob(
        match_id="m", block=0, attempt=0, game="north-american", rules={"hand_limit": hands}, bots=(a, b),
        block_seed=b"s" * 32, limits=Limits(move_ms=move_ms, start_ms=30_000), isolation=level,
        started_before=(True, True), **values,
    )  # fmt: skip
    events: Iterator[Event] = play_block(job)
    rows, end = [], None
    for event in events:
        if isinstance(event, tuple):
            rows.append(event[1].row)
        else:
            end = event
    assert isinstance(end, Finished), end
    return rows, end


def test_instant_bots_and_a_referee_that_is_stopped_lose_nothing_on_time(root: Path) -> None:
    """The short form of `benchmarks/time_losses.py`: 2,000 games, 100 stops."""
    done = subprocess.run(
        [sys.executable, "benchmarks/time_losses.py", "--games", "40", "--stops", "8"],
        cwd=root, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert re.findall(r"(\d+) lost on time", done.stdout) == ["0", "0"], done.stdout + done.stderr
    assert "left" not in done.stdout


THINKER = """
import time
from protocol import run

def choose(view):
    end = time.process_time() + 0.07
    while time.process_time() < end:
        pass
    return view.legal[0]

run(choose)
"""


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("burner", ["ponders", "ponder_helper"])
def test_a_burning_seat_costs_no_other_seat_its_time(
    burner: str, cores: int, strongest: Level, tmp_path: Path
) -> None:
    """An honest bot that needs half of its limit keeps it, though two burners share its cores: they pay."""
    cpus = slot_cpus(1, cores)[0] if len(pinning_order()[0]) >= cores else pytest.skip("one core")
    (tmp_path / "bot.py").write_text(THINKER)
    rows, end = play(
        bad(burner), ref("thinker", tmp_path), strongest, hands=1, move_ms=150, games=((0, 0),), cpus=cpus
    )
    (row,) = rows
    if row.get("fault_bot") == "b" and row.get("replays") == REPLAYS_PER_GAME:
        pytest.skip("this machine is too busy: it was late itself, again and again")
    assert row.get("fault_code") in (None, "burned"), row
    assert row.get("fault_bot") in (None, "a"), row
    assert "thinker" not in end.facts["frozen"]


@pytest.mark.parametrize("ponder", ["watch", "allow"])
def test_who_makes_another_late_in_one_exchange_pays_for_it(
    ponder: str, offered: Callable[[Level], Level], tmp_path: Path
) -> None:
    """A dozen processes on the one core, in sessions of their own: no seat can be caught before the next
    one's time is up. Where that is allowed nobody is blamed for it, and it costs the other side none of its
    time."""
    row = burnt(offered(Level.BASIC), ponder, tmp_path)
    if ponder == "allow":
        assert row.get("fault_code") != "burned", row
        assert row.get("fault_bot") != "b", row
        return
    assert (row["fault_code"], row["fault_bot"]) == ("burned", "a"), row
    assert "used the core in another's time and made that seat late" in row["fault_text"]


def test_at_the_strongest_level_burners_make_nobody_lose(strongest: Level, tmp_path: Path) -> None:
    """At `strong` they cannot begin sessions, each of which the system would give a share of the core."""
    row = burnt(strongest, "watch", tmp_path)
    assert row.get("fault_code") in (None, "burned"), row
    assert row.get("fault_bot") != "b", row


def burnt(level: Level, ponder: str, tmp_path: Path) -> dict[str, Any]:
    """The game of a dozen burning processes against one who needs most of its limit, and is not blamed."""
    (tmp_path / "bot.py").write_text(THINKER)
    rows, end = play(
        bad("burns"),
        ref("thinker", tmp_path),
        level,
        hands=1,
        move_ms=100,
        games=((0, 0),),
        ponder=ponder,
    )
    assert "thinker" not in end.facts["frozen"]
    row: dict[str, Any] = rows[0]
    assert len(rows) == 1
    if row.get("fault_bot") == "b" and row.get("replays") == REPLAYS_PER_GAME:
        pytest.skip("this machine is too busy: it was late itself, again and again")
    return row


def test_what_is_frozen_burns_no_more(strongest: Level) -> None:
    rows, end = play(
        bad("ponder_helper"), bad("honest_thinker"), strongest, hands=5, move_ms=1000, games=((0, 0),)
    )
    assert all(row.get("fault_bot") != "b" for row in rows), rows
    # Two seats: each may use what a runtime's background work may, and a little until it is looked at.
    allowed = sum(2 * (BACKGROUND_S + BACKGROUND_SHARE * row["seconds"] + 0.2) for row in rows)
    assert end.facts["cpu_s"]["a"]["unasked"] < allowed


def test_pondering_that_is_allowed_is_let_be(strongest: Level) -> None:
    rows, end = play(
        bad("ponder_helper"), bad("honest_thinker"), strongest, hands=3, move_ms=2000, ponder="allow",
        games=((0, 0),),
    )  # fmt: skip
    assert all("fault_code" not in row for row in rows), rows
    assert end.facts["frozen"] == []
    assert end.facts["cpu_s"]["a"]["unasked"] > 0.3


JAVA = """
import java.io.*;
import java.util.ArrayList;

public class Bot {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.contains("\\"hello\\"")) out.println("{\\"type\\":\\"ready\\"}");
            if (!line.contains("\\"act\\"")) continue;
            ArrayList<byte[]> garbage = new ArrayList<>();
            for (int i = 0; i < 200; i++) garbage.add(new byte[20000]);
            String id = line.replaceAll(".*\\"id\\":(\\\\d+).*", "$1");
            String word = line.replaceAll(".*\\"legal\\":\\\\[\\"([^\\"]+)\\".*", "$1");
            out.println("{\\"type\\":\\"action\\",\\"id\\":" + id + ",\\"action\\":\\"" + word + "\\"}");
        }
    }
}
"""


def test_a_jvm_that_compiles_and_collects_is_not_blamed(
    strongest: Level, tmp_path: Path, need_tool: Need
) -> None:
    compiler = need_tool("javac")
    (tmp_path / "Bot.java").write_text(JAVA)
    subprocess.run([compiler, "-d", str(tmp_path), str(tmp_path / "Bot.java")], check=True, timeout=120)
    java = ref("java", tmp_path, "java", "-Xmx64m", "-cp", ".", "Bot", encoding="json")
    rows, end = play(java, bad("honest_thinker"), strongest, hands=6, move_ms=2000, games=((0, 0),))
    assert all("fault_code" not in row for row in rows), rows
    assert end.facts["frozen"] == []
