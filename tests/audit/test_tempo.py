"""The audit against tempo, with real bots and real logs: who listens is found, honest bots are not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.audit.tempo import TempoReport, TempoVerdict, audit_tempo
from arena.bots.levels import Level
from arena.bots.limits import Limits
from arena.bots.resolve import load, sample_bots
from arena.cli.main import cli
from arena.errors import ArenaError
from arena.table.block import play_block
from arena.table.job import BlockJob, BotRef

BAD = Path(__file__).parents[2] / "sample_bots" / "bad"
DICE = """
import random
from protocol import run
run(lambda view: random.SystemRandom().choice(view.legal))
"""
OWN_SEED = """
import random
from protocol import Bot

class Seeded(Bot):
    def on_game_start(self, start):
        self.dice = random.Random(start["seed"])

    def choose(self, view):
        return self.dice.choice(view.legal)

Seeded().run()
"""


def write(folder: Path, source: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "mine"\nversion = "1"\ncommand = ["{python}", "bot.py"]\n')
    (folder / "bot.py").write_text(source)
    return folder


@pytest.fixture
def played(tmp_path: Path) -> Callable[[Path], Path]:
    """The log of a short game between a bot and a sample bot."""

    def play(directory: Path) -> Path:
        refs = sorted(
            (
                BotRef(
                    bot.name,
                    bot.manifest.version,
                    bot.digest,
                    str(bot.directory),
                    bot.manifest.command,
                    "msgpack",
                )
                for bot in (load(directory), load(sample_bots()["random"]))
            ),
            key=lambda ref: ref.digest,
        )
        job = BlockJob(
            match_id="m", block=0, attempt=0, game="north-american", rules={"hand_limit": 2},
            bots=(refs[0], refs[1]), games=((0, 0),), block_seed=b"s" * 32,
            limits=Limits(move_ms=2000, start_ms=30_000), isolation=Level.BASIC,
        )  # fmt: skip
        lines: list[str] = []
        for event in play_block(job):
            lines += event[1].lines if isinstance(event, tuple) else event.lines  # type: ignore[union-attr]
        path = tmp_path / "log.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    return play


def audit(log: Path, bot: Path, games: int = 1) -> TempoReport:
    return audit_tempo([log], load(bot), Level.BASIC, games=games, longest_s=0.2)


def test_a_bot_that_listens_to_tempo_is_found(played: Callable[[Path], Path], tmp_path: Path) -> None:
    bot = Path(shutil.copytree(BAD / "reads_tempo", tmp_path / "bot"))
    report = audit(played(bot), bot)
    assert report.verdict is TempoVerdict.FOLLOWS_TEMPO
    assert report.changed > 0
    assert report.first is not None
    assert report.first.choices[::2] == report.first.choices[1::2]
    assert len(set(report.first.choices)) > 1


@pytest.mark.parametrize("source", ["careful", OWN_SEED])
def test_honest_bots_are_not_blamed(source: str, played: Callable[[Path], Path], tmp_path: Path) -> None:
    bot = sample_bots()[source] if source in sample_bots() else write(tmp_path / "bot", source)
    report = audit(played(bot), bot, games=5)
    assert (report.verdict, report.games) == (TempoVerdict.STEADY, 1)
    assert (report.changed, report.noisy) == (0, 0)
    assert report.decisions > 10


def test_of_a_bot_with_dice_of_its_own_it_cannot_be_told(
    played: Callable[[Path], Path], tmp_path: Path
) -> None:
    bot = write(tmp_path / "bot", DICE)
    assert audit(played(bot), bot).verdict is TempoVerdict.NOT_DETERMINISTIC


def test_a_bot_that_did_not_play_is_refused(played: Callable[[Path], Path], tmp_path: Path) -> None:
    log = played(sample_bots()["careful"])
    with pytest.raises(ArenaError, match="played no game"):
        audit(log, write(tmp_path / "bot", DICE))


def test_the_command_says_it_in_words_and_as_data(played: Callable[[Path], Path], tmp_path: Path) -> None:
    bot = Path(shutil.copytree(BAD / "reads_tempo", tmp_path / "bot"))
    words = ["replay", "tempo", str(played(bot)), "--bot", str(bot), "--games", "1", "--isolation", "basic"]
    done = CliRunner().invoke(cli, [*words, "--delay", "200ms"])
    assert done.exit_code == 1, done.output
    assert "USES TEMPO" in done.output
    assert "the first of them: pair 0 leg 0 hand" in done.output
    done = CliRunner().invoke(cli, [*words, "--delay", "200ms", "--json"])
    assert json.loads(done.output)["verdict"] == "follows_tempo"
