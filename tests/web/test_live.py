"""The live page: its sums, what its server answers and refuses, and what a real browser shows."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError, Exit
from arena.tournament.events import GameEnded, Notice, Progress, RunReport, Started, Stopping
from arena.web import state as state_module
from arena.web.server import MOST_CONNECTIONS, PAGES, Live, LiveServer, is_open, serve_live
from arena.web.state import MOST_POINTS, LiveState

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 60
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


def started(*bots: str, **changes: Any) -> Started:
    fields = {
        "out": "arena-out",
        "game": "north-american",
        "rules": {"target": 5},
        "bots": bots,
        "games_total": 40,
        "games_stored": 0,
        "slots": 2,
        "isolation": "strong",
        "commitment": "ab" * 32,
        "guessable": False,
    }
    return Started(**{**fields, **changes})


def game(a: str, b: str, score: float, *, fault: str | None = None, text: str = "") -> GameEnded:
    return GameEnded(
        a=a,
        b=b,
        pair=3,
        leg=1,
        score_a=score,
        points_a=10 if score else 4,
        points_b=4 if score else 10,
        reason="forfeit" if fault else "target",
        fault_code="timeout" if fault else None,
        fault_bot=fault,
        fault_text=text,
        hands=10,
        decisions=240,
        seconds=0.5,
        log="logs/x.jsonl",
    )


def at(seconds: float, played: int, total: int = 40) -> Progress:
    return Progress(
        games_done=played,
        games_total=total,
        games_played=played,
        games_per_second=played / seconds if seconds else 0.0,
        seconds=seconds,
        seconds_left=10.0,
        faults={},
        running=("one - two, pairs 0-9",),
    )


def a_run() -> LiveState:
    state = LiveState()
    state(started("one", "two", "three"))
    state(game("one", "two", 1.0))
    state(game("one", "two", 0.5))
    state(game("three", "two", 0.0, fault="three", text="no answer within 1000 ms"))
    state(at(2.0, 3))
    return state


def report(**changes: Any) -> RunReport:
    fields = {
        "out": "o", "complete": True, "stopped": None, "games_played": 3, "games_done": 3,
        "games_total": 3, "seconds": 1.0,
    }  # fmt: skip
    return RunReport(**{**fields, **changes})


def test_its_sums() -> None:
    data = a_run().snapshot()
    assert [(row["bot"], row["games"], row["score"]) for row in data["standings"]] == [
        ("one", 2, 0.75),
        ("two", 3, 0.5),
        ("three", 1, 0.0),
    ]
    assert data["standings"][0]["points"] == pytest.approx((6 + 6) / 20)
    assert data["standings"][2]["forfeits"] == 1
    cells = data["crosstable"]["cells"]
    assert cells[0][1] == [0.75, 2]
    assert cells[1][0] == [0.25, 2]
    assert cells[0][2] is None
    assert data["faults"] == [{"bot": "three", "code": "timeout", "games": 1}]
    assert data["progress"]["faults"] == 1
    assert data["recent"][0]["a"] == "three"
    assert data["running"] == ["one - two, pairs 0-9"]
    json.dumps(data, allow_nan=False)


def test_before_anything_has_happened() -> None:
    data = LiveState().snapshot()
    assert (data["phase"], data["standings"], data["curve"]) == ("starting", [], [])
    json.dumps(data, allow_nan=False)


def test_its_phases() -> None:
    state = a_run()
    assert state.snapshot()["phase"] == "running"
    state(Stopping("time"))
    assert (state.snapshot()["phase"], state.snapshot()["words"]) == ("stopping", "the time is used up")
    state.finish(report(complete=False, stopped="interrupted"))
    assert (state.snapshot()["phase"], state.snapshot()["words"]) == ("ended", "interrupted")


def test_what_bots_say_is_harmless_text() -> None:
    state = LiveState()
    state(started("evil\x1b[31m", "two"))
    state(game("evil\x1b[31m", "two", 0.0, fault="evil\x1b[31m", text="a\u202eb\nc"))
    state(Notice("bell \x07"))
    text = json.dumps(state.snapshot(), ensure_ascii=False)
    assert not re.search(r"[\x00-\x1f\u202e]", text)
    assert "evil\\\\x1b[31m" in text


def test_it_does_not_grow_with_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_module, "MOST_PAIRINGS", 10)
    state = LiveState()
    state(started(*(f"b{i}" for i in range(40))))
    for i in range(2000):
        state(game(f"b{i % 40}", f"b{(i * 7 + 1) % 40}", 1.0, fault=f"b{i % 40}", text="x" * 1000))
        state(at(i * 5.0, i))
    data = state.snapshot()
    assert len(json.dumps(data)) < 60_000
    assert MOST_POINTS / 2 <= len(data["curve"]) <= MOST_POINTS
    assert sum(cell is not None for row in data["crosstable"]["cells"] for cell in row) <= 20
    assert sum(row["games"] for row in data["standings"]) == 4000


def test_games_of_an_earlier_run_count(tmp_path: Path) -> None:
    from arena.tournament.config import RunConfig
    from arena.tournament.run import run_tournament

    config = RunConfig(
        bots=("random", "greedy"), rules={"target": 1}, pairs=1, seed="1", isolation="basic",
        start_ms=60_000, move_ms=20_000, grace_ms=100, out=str(tmp_path / "out"), slots=1,
    )  # fmt: skip
    run_tournament(config)
    state = LiveState()
    run_tournament(config, state)
    assert {row["games"] for row in state.snapshot()["standings"]} == {2}


@pytest.fixture
def live() -> Iterator[Live]:
    with serve_live("127.0.0.1", 0) as page:
        for event in (started("one", HOSTILE), game("one", HOSTILE, 1.0, fault=HOSTILE, text=HOSTILE)):
            page.state(event)
        yield page


def port_of(live: Live) -> int:
    return int(live.url.rstrip("/").rpartition(":")[2])


def ask(live: Live, method: str, path: str, host: str | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port_of(live), timeout=LIMIT_S)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", f"127.0.0.1:{port_of(live)}" if host is None else host)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def test_every_page_has_the_strict_headers(live: Live) -> None:
    for path in (*PAGES, "/state.json", "/nothing"):
        status, headers, content = ask(live, "GET", path)
        assert status == (404 if path == "/nothing" else 200)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers
        assert int(headers["Content-Length"]) == len(content)
    assert json.loads(ask(live, "GET", "/state.json?x=1")[2])["bots"] == 2
    assert ask(live, "HEAD", "/")[2] == b""


def test_pages_hold_no_inline_code_and_nothing_from_elsewhere() -> None:
    for path in (ROOT / "arena" / "web" / "page").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "innerHTML" not in text
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    html = (ROOT / "arena" / "web" / "page" / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", html)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_but_reading(live: Live, method: str) -> None:
    assert ask(live, method, "/")[0] == 501


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/page/index.html", "//etc/passwd"])
def test_no_other_file(live: Live, path: str) -> None:
    assert ask(live, "GET", path)[0] == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("127.0.0.1:{port}", 200),
        ("[::1]:{port}", 200),
        ("127.0.0.1", 421),
        ("127.0.0.1:1", 421),
        ("evil.example:{port}", 421),
        ("localhost.evil.example:{port}", 421),
        ("10.0.0.1:{port}", 421),
        ("", 421),
    ],
)
def test_a_name_that_was_turned_here_is_refused(live: Live, host: str, status: int) -> None:
    assert ask(live, "GET", "/state.json", host.format(port=port_of(live)))[0] == status


def test_where_it_listens() -> None:
    with serve_live("0.0.0.0", 0) as everywhere:
        assert ask(everywhere, "GET", "/", f"10.0.0.1:{port_of(everywhere)}")[0] == 200
        assert ask(everywhere, "GET", "/", f"evil.example:{port_of(everywhere)}")[0] == 421
    assert [is_open(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "10.1.1.1")] == [
        False, False, False, True, True,
    ]  # fmt: skip


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ArenaError, match="cannot listen on 127") as caught:
            LiveServer("127.0.0.1", taken.getsockname()[1], LiveState())
    assert caught.value.exit_code == Exit.ENVIRONMENT


def test_silent_connections_take_no_more_than_their_room(live: Live) -> None:
    idle = [socket.create_connection(("127.0.0.1", port_of(live))) for _ in range(MOST_CONNECTIONS + 5)]
    try:
        deadline = time.monotonic() + LIMIT_S
        idle[-1].settimeout(LIMIT_S)
        assert idle[-1].recv(1) == b""  # closed: there is no room
        assert threading.active_count() < MOST_CONNECTIONS + 20
        assert time.monotonic() < deadline
    finally:
        for connection in idle:
            connection.close()


def test_the_end_waits_for_a_page_that_is_open_and_for_no_other(live: Live) -> None:
    began = time.monotonic()
    live.finish(report())
    assert time.monotonic() - began < 1
    ask(live, "GET", "/state.json")
    asking = threading.Timer(0.2, ask, (live, "GET", "/state.json"))
    asking.start()
    live.finish(report(complete=False))
    asking.join()
    assert live.state.snapshot()["words"] == "incomplete"


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return found
    if os.environ.get("CI") == "true":
        pytest.fail("chromium is not installed, and under CI=true that is a failure")
    pytest.skip("chromium is not installed")


def browse(url: str, tmp_path: Path, *more: str) -> str:
    """What a real browser makes of a page, some seconds on."""
    command = [
        chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=6000", *more, "--dump-dom", url,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_browser_shows_the_run_and_keeps_it_up_to_date(live: Live, tmp_path: Path) -> None:
    def go_on() -> None:
        deadline = time.monotonic() + 2 * LIMIT_S
        while live._server.asked_version < 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        live.state(game("newcomer", "one", 1.0))
        live.state(at(4.0, 17))

    later = threading.Thread(target=go_on)
    later.start()
    dom = browse(live.url, tmp_path)
    later.join()
    assert "north-american target=5" in dom
    assert '<dd id="games">17</dd>' in dom
    assert "newcomer" in dom
    assert '<p id="phase" class="pill running" role="status">running</p>' in dom
    assert "&lt;img src=x onerror" in dom
    assert "<img src=x" not in dom
    assert "owned" not in re.sub(r"&lt;img[^<]*", "", re.sub(r'title="[^"]*"', "", dom))
    assert "<title>42% – arena</title>" in dom


def test_a_run_with_a_page(tmp_path: Path) -> None:
    """`arena run --serve` as a user starts it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    flags = "--pairs 40 --rule target=3 --isolation basic --seed 1 --start-time 60s --move-time 20s"
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", "random", "greedy", *flags.split(), "--serve", str(port),
         "--out", str(tmp_path / "out")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    seen: list[dict[str, Any]] = []
    deadline = time.monotonic() + LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/state.json")
            seen.append(json.loads(connection.getresponse().read()))
            connection.close()
        except OSError:
            pass
        if seen and seen[-1]["progress"]["done"] > 0:
            process.terminate()
        time.sleep(0.02)
    with process:
        _, err = process.communicate(timeout=LIMIT_S)
    assert f"live page: http://127.0.0.1:{port}/" in err
    assert any(data["progress"]["done"] > 0 for data in seen), err
    assert {row["bot"] for row in seen[-1]["standings"]} == {"random", "greedy"}
    assert seen[-1]["phase"] in ("running", "stopping", "ended")
