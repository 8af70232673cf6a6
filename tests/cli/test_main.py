"""The command line as a whole: help, errors, exit codes."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from arena.cli.lazy import LazyGroup
from arena.cli.main import cli
from arena.errors import ArenaError, Exit

ROOT = Path(__file__).parents[2]


def walk(group, path=()):
    """Every command, with the words that call it."""
    context = click.Context(group, info_name="arena")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from walk(command, (*path, name))


COMMANDS = dict(walk(cli))


def arena(*args, **options):
    """Run the command line in a process of its own."""
    options.setdefault("env", os.environ | {"PYTHONPATH": str(ROOT)})
    return subprocess.run(
        [sys.executable, "-m", "arena", *map(str, args)],
        capture_output=True, text=True, timeout=60, check=False, **options,
    )  # fmt: skip


def invoke(*args):
    return CliRunner().invoke(cli, list(map(str, args)))


@pytest.mark.parametrize("args", [[], ["--help"], ["run", "--help"], ["replay", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(args):
    code = (
        "import sys, atexit\n"
        "atexit.register(lambda: print('heavy:', *sorted({'trio','rich','numpy','sqlite3','msgpack'} & "
        "set(sys.modules))))\n"
        f"sys.argv = ['arena', *{args!r}]\n"
        "from arena.cli.main import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1].strip() == "heavy:"
    assert "arena" in done.stdout


def test_the_help_names_every_command_and_every_exit_code():
    result = invoke("--help")
    assert result.exit_code == 0
    for path in COMMANDS:
        if len(path) == 1:
            assert re.search(rf"^  {path[0]} ", result.output, re.MULTILINE), path
    for code in Exit:
        assert re.search(rf"^ +{int(code)}  ", result.output, re.MULTILINE), code
    assert invoke().output == result.output
    assert invoke("-h").output == result.output


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_teaches_with_an_example(path):
    result = invoke(*path, "--help")
    assert result.exit_code == 0
    assert "Example" in result.output
    assert f"arena {' '.join(path)}" in result.output
    assert max(map(len, result.output.splitlines())) <= 100


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_the_first_line_of_help_is_the_one_in_the_list(path):
    parent = cli if len(path) == 1 else COMMANDS[path[:-1]]
    assert isinstance(parent, LazyGroup)
    listed = {name: line for _, commands in parent.sections for name, line in commands}
    first = (COMMANDS[path].help or "").strip().splitlines()[0]
    if not isinstance(COMMANDS[path], click.Group):
        assert first == listed[path[-1]]


@pytest.mark.parametrize(
    "path", [p for p, c in COMMANDS.items() if not isinstance(c, click.Group)], ids=" ".join
)
def test_what_prints_results_prints_json(path):
    if path not in (("completion",), ("worker",)):
        assert any("--json" in option.opts for option in COMMANDS[path].params)


def test_every_command_stands_in_the_readme():
    readme = ROOT / "README.md"
    if not readme.exists():
        pytest.skip("no README here")
    text = readme.read_text()
    if "arena standings" not in text:
        pytest.skip("the README does not list the commands")
    missing = [path for path in COMMANDS if len(path) == 1 and f"arena {path[0]}" not in text]
    assert not missing


BAD_INPUT = [
    (["runn"], 2, "did you mean `run`"),
    (["replay", "shwo"], 2, "did you mean `show`"),
    (["run", "--paris", "3"], 2, "--pairs"),
    (["run", "--pairs", "many"], 2, "many"),
    (["run", "--pairs", "0"], 2, "pairs: 0 is too small"),
    (["run", "--move-time", "soon"], 2, "--move-time: `soon` is not a time"),
    (["run", "--isolation", "strnog"], 2, "did you mean `strong`"),
    (["run", "--rules", "target=5"], 2, "did you mean `--rule` or `--game`?"),
    (["match", "a", "b", "--threads", "4"], 2, "did you mean `--slots`"),
    (["sprt", "a", "b", "--stick-the-dealer"], 2, "`--rule stick_the_dealer=VALUE`"),
    (["standings", "--zzz"], 2, "`arena standings --help` lists them"),
    (["frobnicate"], 2, "Commands: run, match, sprt, bot"),
    (["bot", "zzz"], 2, "no such command `zzz`: Commands: new, check,"),
    (["bot", "new", "x", "--lang", "kotlin"], 2, "one of python, javascript,"),
    (["bot", "new", "x", "--lang", "rubby"], 2, "did you mean `ruby`"),
    (["bot", "check", "careful", "--isolation", "strnog"], 2, "did you mean `strong`"),
    (["bot", "probe", "careful", "--game", "eucher"], 2, "one of north-american, british"),
    (["doctor", "--isolation", "strnog"], 2, "did you mean `strong`"),
    (["run", "--game", "eucher"], 2, "unknown game `eucher`\n  hint: one of north-american, british"),
    (["rules", "british", "--rule", "target=many"], 2, "expected a whole number"),
    (["run", "--game", "britsh"], 2, "did you mean `british`"),
    (["run", "--rule", "targt=5"], 2, "did you mean `target`"),
    (["run", "--rule", "target"], 2, "expected NAME=VALUE"),
    (["run", "--game", "british", "--rule", "no_trump=round2"], 2, "joker"),
    (["run", "--config", "none.toml"], 3, "none.toml: cannot be read"),
    (["run", "./no-such-bot"], 3, "no-such-bot"),
    (["match", "careful"], 2, "Missing argument"),
    (["rules", "eucher"], 2, "unknown game `eucher`"),
    (["standings", "nowhere"], 3, "nowhere"),
    (["close", "nowhere"], 3, "nowhere"),
    (["db", "check", "nowhere"], 3, "nowhere: holds no tournament, there is no such folder"),
    (["replay", "verify", "nowhere"], 3, "nowhere: there is no such file or folder"),
    (["replay", "verify", "nowhere", "--anchor", "xyz"], 2, "--anchor"),
    (["replay", "list", "nowhere"], 3, "nowhere: there is no such file or folder"),
    (["replay", "show", "nowhere"], 3, "nowhere: there is no such file or folder"),
    (["replay", "stderr", "nowhere"], 3, "nowhere: there is no such file or folder"),
    (["rate", "nowhere.csv"], 3, "nowhere.csv: cannot be read"),
    (["completion", "tcsh"], 2, "tcsh"),
    (["merge", "nowhere", "here", "-o", "both"], 3, "nowhere: holds no tournament"),
    (["worker", "head:8786"], 2, "plain TCP off this machine"),
    (["worker", "tls://head:8786", "--tls", "none"], 3, "none/ca.pem: there is no such file"),
    (["run", "--executor", "dsak"], 2, "did you mean `dask`"),
    (["run", "--executor", "dask"], 2, "dask needs a scheduler"),
    (["run", "--executor", "dask", "--scheduler", "head:8786"], 2, "plain TCP off this machine"),
    (["run", "--scheduler", "head:8786"], 2, "scheduler: is for workers of a Dask cluster"),
    (["run", "--serve", "70000"], 2, "serve: 70000 is no port"),
]


@pytest.mark.parametrize(
    ("args", "code", "words"), BAD_INPUT, ids=lambda v: " ".join(v) if type(v) is list else ""
)
def test_bad_input_gets_one_line_and_its_code(args, code, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke(*args)
    assert result.exit_code == code, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output
    said = [line for line in result.stderr.splitlines() if not line.startswith(("Usage:", "Try ", "  hint:"))]
    assert len([line for line in said if line]) == 1, result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["protocol", "msgpack", "trio"])
@pytest.mark.parametrize("args", [["run"], ["bot", "check", "careful"], ["rules"], ["standings"]])
def test_a_missing_package_of_its_own_is_said_at_the_start(name, args, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, name, None)
    result = invoke(*args)
    assert result.exit_code == Exit.ENVIRONMENT
    assert result.stderr.startswith(f"arena: this Python has no package `{name}`, ")
    assert "hint: install the arena again" in result.stderr
    assert ("arena-protocol" in result.stderr) == (name == "protocol")
    assert list(tmp_path.iterdir()) == []
    assert invoke(*args, "--help").exit_code == 0


def test_another_package_of_that_name_is_said(tmp_path, monkeypatch):
    (tmp_path / "protocol").mkdir()
    (tmp_path / "protocol" / "__init__.py").write_text("raise SystemExit('somebody else')\n")
    monkeypatch.delitem(sys.modules, "protocol", raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    result = invoke("rules")
    assert result.exit_code == Exit.ENVIRONMENT
    assert f"is not the arena's: {tmp_path}" in result.stderr


@click.command()
@click.option("--what")
def breaking(what):
    """Fails in the way it is told."""
    match what:
        case "arena":
            raise ArenaError("\x1b[31mbot `x`\nis bad", hint="mend it", exit_code=Exit.ENVIRONMENT)
        case "group":
            raise ExceptionGroup("nursery", [ExceptionGroup("inner", [ArenaError("deep inside")])])
        case "bug":
            raise ZeroDivisionError("our own \ud800")
        case "disk":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/some/log")
        case "ctrl-c":
            raise KeyboardInterrupt
        case "ctrl-c in a group":
            raise BaseExceptionGroup("nursery", [KeyboardInterrupt(), ArenaError("also")])
        case "exit":
            raise SystemExit(int(Exit.FAILED))
        case "pipe":
            raise BrokenPipeError


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("arena", 4, "arena: \\x1b[31mbot `x`\\x0ais bad\n  hint: mend it\n"),
        ("group", 3, "arena: deep inside\n"),
        ("bug", 5, "internal error (ZeroDivisionError); a report is in "),
        ("disk", 4, "No space left on device: /some/log\n"),
        ("ctrl-c", 130, "interrupted\n"),
        ("ctrl-c in a group", 130, "interrupted\n"),
        ("exit", 1, ""),
    ],
)
def test_every_error_becomes_a_line_and_a_code(what, code, words, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(type(cli), "get_command", lambda self, ctx, name: breaking)
    result = invoke("run", "--what", what)
    assert result.exit_code == code
    assert words in result.stderr
    assert "Traceback" not in result.output
    reports = list(tmp_path.iterdir())
    assert len(reports) == (what == "bug")
    if reports:
        text = reports[0].read_text()
        assert "ZeroDivisionError" in text
        assert str(reports[0]) in result.stderr


def test_who_reads_no_further_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "arena", "rules", "british"],
            stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_complete(shell):
    result = invoke("completion", shell)
    assert result.exit_code == 0
    assert "_ARENA_COMPLETE" in result.output
    environment = {"PYTHONPATH": str(ROOT), "_ARENA_COMPLETE": f"{shell}_complete", "COMP_WORDS": "arena ru"}
    environment["COMP_CWORD"] = "ru" if shell == "fish" else "1"
    done = arena(env=os.environ | environment)
    assert "run" in done.stdout
    assert "standings" not in done.stdout


def test_a_terminal_that_knows_no_unicode():
    done = arena("rules", "british", env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")


def test_a_name_that_the_terminal_cannot_show():
    log = ROOT / "tests" / "data" / "replays" / "fault.jsonl"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    done = arena("replay", "show", log, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "careful \\U0001f600" in done.stdout


def test_no_color_and_pipes():
    forced = os.environ | {"PYTHONPATH": str(ROOT), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    forced.pop("NO_COLOR", None)
    assert "\x1b[" in arena("rules", "british", env=forced).stdout
    assert "\x1b[3" not in arena("rules", "british", env=forced | {"NO_COLOR": "1"}).stdout
    plain = {k: v for k, v in forced.items() if k != "FORCE_COLOR"}
    assert "\x1b" not in arena("rules", "british", env=plain).stdout
