"""A game as lines of text, readable at a glance: who called what, every trick with its leader and winner.

Lines are made of spans with a style's name, so that a terminal can colour them; `plain_text` joins them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.cards.notation import JOKER, SYMBOLS
from arena.replay.escape import columns, padded, plain, plain_lines
from arena.replay.log import LoggedGame
from arena.replay.records import LoggedFault
from arena.replay.story import Decision, HandStory, StoryError, Trick, game_of, hand_stories
from protocol.cards import by_suit

NAME_WIDTH = 20
STDERR_LINES = 12
LEGEND = "> leads the trick, * wins it"


class Span(NamedTuple):
    """A piece of a line. Styles: title, dim, win, lead, fault, score, and suit-C suit-D suit-H suit-S."""

    text: str
    style: str = ""


Line = list[Span]


@dataclass(frozen=True, slots=True)
class _Table:
    """What all hands of a game share."""

    names: tuple[str, ...]
    """By seat, the bot's name."""
    bots: tuple[str, str]
    teams: tuple[int, ...]
    """By seat, the bot: 0 or 1."""
    symbols: bool


def game_lines(logged: LoggedGame, *, hand: int | None = None, symbols: bool = True) -> Iterator[Line]:
    """A game, or its hand number `hand` alone (as in the log, from 0; what is printed counts from 1).

    `symbols`: suits as symbols, else as letters. A record that breaks the rules is named where it stands.
    """
    bots = (plain(logged.header.bots[0].name, NAME_WIDTH), plain(logged.header.bots[1].name, NAME_WIDTH))
    teams = logged.start.teams
    table = _Table(tuple(bots[bot] for bot in teams), bots, teams, symbols)
    yield from _head(logged, table)
    try:
        for story in hand_stories(logged, game_of(logged)):
            if hand is None or story.record.number == hand:
                yield []
                yield from _hand(story, table, logged.end.fault)
    except StoryError as error:
        yield []
        yield [Span(f"This record breaks the rules: {plain(str(error), 500)}", "fault")]
    yield []
    if logged.end.fault is not None and not (logged.hands and logged.hands[-1].end == "forfeit"):
        yield from _fault(logged.end.fault, table)
    yield _result(logged, table)


def plain_text(logged: LoggedGame, *, hand: int | None = None, symbols: bool = True) -> str:
    """A game as plain text."""
    lines = game_lines(logged, hand=hand, symbols=symbols)
    return "".join("".join(span.text for span in line).rstrip() + "\n" for line in lines)


def _head(logged: LoggedGame, table: _Table) -> Iterator[Line]:
    header, start = logged.header, logged.start
    a, b = table.bots
    yield [
        Span(f"{a} - {b}", "title"),
        Span(
            f"   pair {start.pair} leg {start.leg}, {plain(header.game)}, isolation {plain(header.isolation)}"
        ),
    ]
    seats = [" and ".join(str(s) for s, bot in enumerate(table.teams) if bot == side) for side in (0, 1)]
    yield [Span(f"{a} in seats {seats[0]}, {b} in seats {seats[1]}; {LEGEND}", "dim")]


def _hand(story: HandStory, table: _Table, fault: LoggedFault | None) -> Iterator[Line]:
    record = story.record
    yield [
        Span(f"Hand {record.number + 1}", "title"),
        Span(f"   {_score(story.scores_before, table)}   "),
        Span(f"{table.names[record.dealer]} ({record.dealer}) deals, "),
        *_card(story.upcard, table),
        Span(" turned up"),
    ]
    yield from _calls(story, table)
    yield from _tricks(story, table)
    if record.end == "forfeit" and fault is not None:
        yield from _fault(fault, table)
    else:
        yield _points(story, table)


def _calls(story: HandStory, table: _Table) -> Iterator[Line]:
    line: Line = [Span("  calls   ")]
    calls = [decision for decision in story.decisions if decision.phase != "play"]
    for place, decision in enumerate(calls):
        if place:
            line.append(Span(", "))
        line.append(Span(f"{decision.seat} ", "dim"))
        line += _phrase(decision, table)
    if not calls:
        line.append(Span("none", "dim"))
    yield line
    if story.trump is not None:
        by = f" by {table.names[story.maker]} ({story.maker})" if story.maker is not None else ""
        for seat in story.alone:
            by += " alone" if seat == story.maker else f", {table.names[seat]} ({seat}) defends alone"
        yield [Span("  trumps  "), *_suit(story.trump, table), Span(by)]


def _tricks(story: HandStory, table: _Table) -> Iterator[Line]:
    """A row a seat: the cards dealt (trumps first), then what was played to each trick."""
    width = max(map(columns, table.names))
    size = max(len(cards) for cards in story.hands)
    if story.tricks:
        numbers = "".join(f"{number:^6}" for number in range(1, len(story.tricks) + 1))
        yield [Span(f"    {'':<{width}}   {'dealt':<{3 * size}}  {numbers}", "dim")]
    for seat, cards in enumerate(story.hands):
        line: Line = [Span(f"  {seat} "), Span(padded(table.names[seat], width)), Span("   ")]
        for card in arranged(cards, story.trump):
            line += [*_card(card, table), Span(" ")]
        line.append(Span("   " * (size - len(cards)) + "  "))
        for trick in story.tricks:
            line += _played(trick, seat, story, table)
        yield line


def _played(trick: Trick, seat: int, story: HandStory, table: _Table) -> Line:
    for place, (player, card) in enumerate(trick.plays):
        if player == seat:
            wins = trick.winner == seat
            lead = Span(">", "lead") if place == 0 else Span(" ")
            return [Span(" "), lead, *_card(card, table, win=wins), Span("* " if wins else "  ")]
    if seat == story.asked and trick is story.tricks[-1]:
        return [Span("  "), Span("??", "fault"), Span("  ")]
    return [Span("      ")]


def _points(story: HandStory, table: _Table) -> Line:
    result, record = story.result, story.record
    if result is None:
        return [Span("  cut short", "fault")]
    if result.thrown_in:
        return [Span("  dealt again" if record.end == "redealt" else "  thrown in: nobody called", "score")]
    words = []
    tricks = result.facts.get("tricks")
    for team, points in enumerate(record.points):
        if points:
            won = f" with {tricks[team]} tricks" if isinstance(tricks, list) else ""
            words.append(f"{table.bots[table.teams[team]]} +{points}{won}")
    if result.facts.get("euchred") and story.maker is not None:
        words.append(f"{table.names[story.maker]} is euchred")
    if result.facts.get("march"):
        words.append("a march")
    return [Span("  " + (", ".join(words) or "no points"), "score")]


def _fault(fault: LoggedFault, table: _Table) -> Iterator[Line]:
    yield [Span(f"  FAULT {plain(fault.code)}: {plain(fault.text, 1000)}", "fault")]
    tail = plain_lines(fault.stderr_tail, STDERR_LINES)
    if tail:
        yield [Span(f"  the end of what {table.names[fault.seat]} ({fault.seat}) wrote to stderr:", "dim")]
        yield from ([Span("  | ", "dim"), Span(text)] for text in tail)


def _result(logged: LoggedGame, table: _Table) -> Line:
    end = logged.end
    score = _score(end.scores, table)
    if end.winner is None:
        return [Span(f"Drawn: {score} ({plain(end.reason)})", "title")]
    winner = table.bots[table.teams[end.winner]]
    how = {"target": "", "hand_limit": " at the hand limit", "forfeit": " by forfeit"}[end.reason]
    return [Span(f"{winner} wins{how}: {score}", "title")]


def _score(scores: Sequence[int], table: _Table) -> str:
    by_bot = {table.teams[team]: score for team, score in enumerate(scores)}
    return f"{table.bots[0]} {by_bot[0]} : {by_bot[1]} {table.bots[1]}"


def arranged(cards: Sequence[str], trump: str | None) -> list[str]:
    """A hand as one holds it: trumps first, then suit by suit, each from high to low."""
    groups = by_suit(cards, trump)
    return [card for suit in sorted(groups, key=lambda s: (s != trump, s)) for card in groups[suit]]


def _phrase(decision: Decision, table: _Table) -> Line:
    """A call in words: `orders up`, `names <suit> alone`, `discards 9C`."""
    head, *rest = decision.word.split(":")
    verb = {
        "pass": "passes", "order_up": "orders up", "order_up_alone": "orders up alone", "name": "names",
        "discard": "discards", "defend_alone": "defends alone", "defend_together": "defends together",
    }.get(head, plain(head.replace("_", " "), 20))  # fmt: skip
    line: Line = [Span(verb)]
    for word in rest:
        line.append(Span(" "))
        if len(word) == 1 or word == "NT":
            line += _suit(word, table)
        elif len(word) == 2:
            line += _card(word, table)
        else:
            line.append(Span(plain(word, 20)))
    return line


def _suit(suit: str, table: _Table) -> Line:
    if suit not in SYMBOLS:
        return [Span({"NT": "no trump"}.get(suit, plain(suit)))]
    return [Span(SYMBOLS[suit] if table.symbols else suit, f"suit-{suit}")]


def _card(card: str, table: _Table, *, win: bool = False) -> Line:
    if card == JOKER or card[1:] not in SYMBOLS:
        return [Span(plain(card, 3), "win" if win else "")]
    suit = card[1]
    symbol = SYMBOLS[suit] if table.symbols else suit
    return [Span(card[0] + symbol, f"suit-{suit}" + (" win" if win else ""))]
