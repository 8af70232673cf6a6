"""`docs/isolation.md`: what came of each attack, at each level, as root and as an ordinary user."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from arena.audit.selftest import Case, Outcome, User
from arena.bots.levels import Level
from arena.version import __version__

OPEN = (
    (
        "Tempo",
        "a seat sees how long the others thought before it was asked: about 7 bits a decision at steps of "
        "5 ms. The rules forbid to use it (PROTOCOL.md), and `--tempo TIME` closes it: every request is put "
        "at a fixed time. `arena replay tempo` finds bots that listen.",
    ),
    (
        "CPU and caches",
        "two programs on one machine feel each other's work in how fast their own goes, and in what the "
        "processor's caches hold.",
    ),
    (
        "Pages of shared files",
        "both seats see the same system files, and the sets of both legs do. A program sees by how fast it "
        "reads whether a page of one "
        "is in memory, in `/proc/self/pagemap` and `smaps` whether another has mapped it too, and it can "
        "wait on one (`futex`) until another process says to wake. Runtimes cannot do without any of these. "
        "With `--ponder freeze` no two seats run at the same time, which closes the waiting.",
    ),
    (
        "Numbers of new pipes",
        "the kernel numbers new pipes, sockets and shared mappings for the whole machine, and `fstat` or "
        "`/proc/self/maps` tells the number. Runtimes cannot do without pipes.",
    ),
    (
        "Numbers of eventfds",
        "`eventfd-id` in `/proc/self/fdinfo` is the smallest number that no eventfd of the machine has. Node "
        "and Go cannot do without eventfds.",
    ),
    (
        "Memory for pipes",
        "an ordinary user's seats share that user's allowance for pipe buffers. With the arena run by root "
        "each seat is a user of its own, and this is closed.",
    ),
    (
        "Other allowances of one user",
        "an ordinary user's seats share that user's number of descriptors in flight over Unix sockets and of "
        "epoll watches. They can use up the watches, and other programs of that "
        'user are then told "No space left on device": run the arena as root, or as a user of its own.',
    ),
    (
        "Memory of Unix sockets",
        "without the memory controller (`arena doctor` tells) nobody counts what waits in a bot's own "
        "sockets.",
    ),
    (
        "CPU time of children that nobody waits for",
        "without a control group the time of a child that has ended is lost to the account if its parent "
        "ignores SIGCHLD: `--ponder watch` sees all that is thought in others' time only with one.",
    ),
    (
        "Counters that nobody in there moves",
        "`/proc/net/sockstat` shows the machine's memory for TCP, and `statvfs` the free room of its disk. "
        "A seat at `strong` has neither sockets of that kind nor a disk to write to, so no message goes "
        "that way.",
    ),
)
"""(name, what it is): what no layer here closes."""


def page(outcomes: Sequence[Outcome]) -> str:
    """The document, in Markdown."""
    columns = [
        (level, user)
        for level in Level
        for user in User
        if any(o.level is level and o.user is user for o in outcomes)
    ]
    by_place = {(o.case.name, o.level, o.user): o for o in outcomes}
    cases = list({o.case.name: o.case for o in outcomes}.values())
    failed = [o for o in outcomes if o.problems]
    head = "| what a bot does | " + " | ".join(f"{level}, {user}" for level, user in columns) + " |"
    rule = "| --- |" + " --- |" * len(columns)
    verdicts = [
        f"| {_cell(case)} | "
        + " | ".join(_verdict(by_place.get((case.name, *column))) for column in columns)
        + " |"
        for case in cases
    ]
    attacks = [
        f"| {attack} (`{case.name}`) | "
        + " | ".join(_attack(by_place.get((case.name, *column)), attack) for column in columns)
        + " |"
        for case in cases
        for attack in case.stopped
    ]
    ponder = [
        f"| {_cell(case)} | "
        + " | ".join(_caught(by_place.get((case.name, *column))) for column in columns)
        + " |"
        for case in cases
        if case.caught is not None
    ]
    result = (
        "Every one of them came out as it must."
        if not failed
        else "**Not as it must be:** "
        + "; ".join(f"`{o.case.name}` at {o.level}, {o.user}: {', '.join(o.problems)}" for o in failed)
    )
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return "\n".join(
        (
            "# What a hostile bot can do",
            "",
            "Written by `arena doctor --selftest --write docs/isolation.md`: the misbehaving bots of",
            "`sample_bots/bad`, each in a block against an honest bot, at each isolation level, with the",
            "arena run by root and by an ordinary user. What must come of each stands in",
            "`sample_bots/bad/expected.toml`.",
            "",
            f"Here: arena {__version__}, {system}, Python {platform.python_version()}.",
            "",
            f"{len(outcomes)} trials. {result}",
            "",
            "`strong` is for strangers' programs. `namespaces` and `basic` are for programs that you trust:",
            "there a bad bot still loses its game, but it can read files, and partners can talk.",
            "",
            "## Misbehaviour and its verdict",
            "",
            "In every trial each game had exactly one verdict, and no fault was charged to the honest bot.",
            "",
            head,
            rule,
            *verdicts,
            "",
            "## Attacks",
            "",
            "stopped: it failed. **through**: it succeeded.",
            "",
            head.replace("what a bot does", "attack"),
            rule,
            *attacks,
            "",
            "## Thinking in another's time",
            "",
            "caught: frozen between its turns from then on, or charged with another's loss on time.",
            "",
            head,
            rule,
            *ponder,
            "",
            "## What cannot be closed",
            "",
            *(f"- **{name}**: {what}" for name, what in OPEN),
            "",
            "A bot that uses one of these to talk to its partner breaks the rules (PROTOCOL.md), and has to",
            "carry the code for it, which its owner hands in. Only machines of their own for the seats would",
            "close them all.",
            "",
        )
    )


def _cell(case: Case) -> str:
    what = case.what.replace("|", "\\|")
    return f"{what} (`{case.name}`)"


def line(outcome: Outcome) -> str:
    """One trial for a terminal."""
    through = [attack for attack, success in outcome.through.items() if success]
    parts = [f"{outcome.level.value:<11}{outcome.user.value:<5}{outcome.case.name:<24}{outcome.verdict:<14}"]
    if outcome.case.caught is not None:
        parts.append("caught" if outcome.caught else "not blamed")
    if through:
        parts.append(f"through: {', '.join(through)}")
    if outcome.problems:
        parts.append(f"WRONG: {'; '.join(outcome.problems)}")
    return " ".join(parts).rstrip()


def to_dict(outcome: Outcome) -> dict[str, object]:
    """One trial as plain data."""
    return {
        "name": outcome.case.name,
        "level": outcome.level.value,
        "user": outcome.user.value,
        "verdict": outcome.verdict,
        "through": dict(outcome.through),
        "caught": outcome.caught,
        "left": list(outcome.left),
        "problems": list(outcome.problems),
    }


def _verdict(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    left = "; **leaves something**" if outcome.left else ""
    return f"{outcome.verdict}{left}" if not outcome.problems else f"**{outcome.verdict}**{left}"


def _attack(outcome: Outcome | None, attack: str) -> str:
    if outcome is None:
        return ""
    if attack not in outcome.through:
        return "not tried"
    return "**through**" if outcome.through[attack] else "stopped"


def _caught(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    return "caught" if outcome.caught else "not blamed"
