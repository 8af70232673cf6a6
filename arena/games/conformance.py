"""The conformance kit: what every registered game must pass, whatever its rules.

Each check takes a game and a `Draw`, the source of every choice, plays a whole game by it, and raises
AssertionError with the line of play when a law is broken. It needs no test framework; Hypothesis, a seeded
generator or a fixed list can all be the `Draw`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import msgpack

from arena.cards.notation import SUITS, is_card
from arena.games.base import Game, IllegalAction, PackedView, State

Draw = Callable[[int], int]
"""A choice: `draw(n)` is a whole number from 0 to n - 1."""

Line = list[tuple[list[int], list[int]]]
"""A game from its start: for each hand dealt, the pack and the actions."""

OUTSIDE = (-1, -(10**9), 10**9, *range(-64, 256))
"""Numbers tried as actions: whatever of them is not legal must be refused."""

MOST_DECISIONS = 500
"""No hand of the family takes as many decisions; more are an endless hand."""

COLOUR_KEEPING = tuple(
    dict(zip(SUITS, image, strict=True))
    for image in ("CDHS", "SDHC", "CHDS", "SHDC", "DCSH", "DSCH", "HCSD", "HSCD")
)
"""The relabellings of the suits that keep suits of one colour together."""


def shuffle(draw: Draw, cards: int) -> list[int]:
    """An order of dealing by `draw`."""
    pack = list(range(cards))
    for i in range(cards - 1, 0, -1):
        j = draw(i + 1)
        pack[i], pack[j] = pack[j], pack[i]
    return pack


def fingerprint(state: State) -> dict[str, Any]:
    """Everything that can be seen of a state from outside."""
    outcome, hand = state.outcome(), state.last_hand
    seen: dict[str, Any] = {
        "scores": state.scores,
        "dealer": state.dealer,
        "hand_number": state.hand_number,
        "to_act": state.to_act,
        "needs_deal": state.needs_deal,
        "legal": state.legal(),
        "last_hand": asdict(hand) if hand is not None else None,
        "outcome": asdict(outcome) if outcome is not None else None,
    }
    if state.to_act is not None:
        seen["views"] = [state.view(seat) for seat in range(state.game.seats)]
        seen["reveal"] = state.reveal()
    return json.loads(json.dumps(seen))  # type: ignore[no-any-return]


def replay(game: Game, line: Line, *, dealer: int = 0, scores: Sequence[int] | None = None) -> State:
    """The state after a line of play. Raises IllegalAction or ValueError where the line is not legal."""
    state = game.new_state(dealer=dealer, scores=scores)
    for pack, actions in line:
        state.deal(pack)
        for action in actions:
            state.apply(action)
    return state


def play_out(
    game: Game, draw: Draw, look: Callable[[State, Line], None], *, dealer: int = 0, hands: int | None = None
) -> Line:
    """Play a game by `draw` to its end, or for some `hands`; `look` sees every state and the line so far."""
    state = game.new_state(dealer=dealer)
    line: Line = []
    look(state, line)
    while state.outcome() is None:
        if state.needs_deal:
            if hands is not None and len(line) == hands:
                return line
            assert state.to_act is None, "a deal is due, and a seat is to act"
            assert len(line) < int(game.rules["hand_limit"]), "the game goes on beyond its hand limit"
            pack = shuffle(draw, len(game.pack))
            line.append((pack, []))
            state.deal(pack)
        else:
            legal = state.legal()
            assert legal, "nobody may do anything, and the game is not over"
            action = legal[draw(len(legal))]
            line[-1][1].append(action)
            assert len(line[-1][1]) <= MOST_DECISIONS, "a hand does not end"
            state.apply(action)
        look(state, line)
    assert state.to_act is None, "the game is over, and a seat is to act"
    assert not state.needs_deal, "the game is over, and a deal is due"
    return line


def check_actions(game: Game, draw: Draw, *, hands: int | None = None) -> None:
    """Legal actions are sorted, have words, and never raise; all others raise and change nothing."""

    def look(state: State, line: Line) -> None:
        legal = state.legal()
        assert legal == sorted(set(legal)), f"legal is not sorted, each once: {legal}; {line}"
        words = state.legal_words()
        assert words == [game.word(action) for action in legal], f"{words}; {line}"
        assert [game.action(word) for word in words] == legal, f"a word does not lead back: {words}; {line}"
        if state.to_act is None:
            assert not legal, f"nobody is to act, yet {words} is legal; {line}"
        before = fingerprint(state)
        for action in OUTSIDE:
            if action not in legal:
                _refuses(IllegalAction, partial(state.apply, action), f"{action}; {line}")
        if not state.needs_deal:
            pack = list(range(len(game.pack)))
            _refuses(IllegalAction, partial(state.deal, pack), f"a deal that is not due; {line}")
        else:
            for pack in _bad_packs(len(game.pack)):
                _refuses(ValueError, partial(state.deal, pack), f"{pack}; {line}")
        assert fingerprint(state) == before, f"a refused action left a trace; {line}"

    play_out(game, draw, look, hands=hands)


def _refuses(error: type[Exception], call: Callable[[], None], what: str) -> None:
    try:
        call()
    except error:
        return
    except Exception as other:
        raise AssertionError(f"refused by {other!r} instead of {error.__name__}: {what}") from other
    raise AssertionError(f"not refused: {what}")


def _bad_packs(cards: int) -> list[list[int]]:
    whole = list(range(cards))
    return [
        [],
        whole[:-1],
        [*whole, cards],
        [*whole, 0],
        [0, *whole[:-1]],
        [*whole[:-1], cards],
        [-1, *whole[1:]],
        [*whole[:-1], 10**12],
    ]


def check_copies(game: Game, draw: Draw, *, hands: int | None = None) -> None:
    """A copy is equal and independent, and so is the state replayed from packs and actions."""
    watched: list[tuple[State, dict[str, Any]]] = []

    def look(state: State, line: Line) -> None:
        now = fingerprint(state)
        twin = state.copy()
        assert fingerprint(twin) == now, f"a copy differs; {line}"
        assert fingerprint(replay(game, line)) == now, f"replayed, it differs; {line}"
        if state.to_act is not None:
            legal = twin.legal()
            twin.apply(legal[draw(len(legal))])
            assert fingerprint(state) == now, f"a copy's action changed the original; {line}"
            view = state.view(state.to_act)
            _scribble(view)
            assert fingerprint(state) == now, f"writing into a view changed the state; {line}"
        watched.append((state.copy(), now))
        old, then = watched[draw(len(watched))]
        assert fingerprint(old) == then, f"an action changed a copy; {line}"

    play_out(game, draw, look, hands=hands)


def _scribble(value: Any) -> None:
    """Empty every container in a view."""
    if isinstance(value, dict):
        for item in value.values():
            _scribble(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _scribble(item)
        value.clear()


def check_packed(game: Game, draw: Draw, *, hands: int | None = None) -> int:
    """Where a state packs its own view, that is byte for byte what packing the view gives, for every seat.

    Returns how many views were compared: none where states do not offer it.
    """
    compared = 0

    def look(state: State, line: Line) -> None:
        nonlocal compared
        if state.to_act is None or not isinstance(state, PackedView):
            return
        for seat in range(game.seats):
            view = state.view(seat)
            head = 1 if len(view) < 16 else 3
            expected = (len(view), msgpack.packb(view)[head:])
            assert state.packed_view(seat) == expected, f"seat {seat} is sent another view, packed; {line}"
            compared += 1

    play_out(game, draw, look, hands=hands)
    return compared


def check_ending(game: Game, draw: Draw) -> None:
    """A game ends within its hand limit, by one reason; hands are counted, and their points add up."""
    scores = [0] * game.teams
    numbers: list[int] = []

    def look(state: State, line: Line) -> None:
        hand = state.last_hand
        if state.to_act is None and hand is not None and len(numbers) < len(line):
            numbers.append(hand.number)
            for team, points in enumerate(hand.points):
                scores[team] += points
            assert list(state.scores) == scores, f"{state.scores} after {hand}; {line}"
            assert len(hand.hands) == game.seats
            assert state.reveal() == {
                "hand_number": hand.number,
                "dealer": hand.dealer,
                "hands": [list(cards) for cards in hand.hands],
                "upcard": hand.upcard,
            }
            outcome = state.outcome()
            if outcome is not None:
                assert outcome.scores == state.scores
                best = max(outcome.scores)
                leaders = [team for team, points in enumerate(outcome.scores) if points == best]
                if outcome.reason == "hand_limit":
                    assert len(line) == game.rules["hand_limit"]
                    assert outcome.winner == (leaders[0] if len(leaders) == 1 else None)
                else:
                    assert outcome.reason == "target"
                    assert outcome.winner is not None
            else:
                assert state.needs_deal
                assert state.hand_number == len(line)

    line = play_out(game, draw, look)
    assert numbers == list(range(len(line)))
    assert len(line) <= int(game.rules["hand_limit"])


def check_secrets(game: Game, draw: Draw, *, hands: int = 1, tries: int = 3) -> int:
    """Swap two cards that a seat cannot see: its view and its legal actions stay the same.

    Returns how many swaps could be tried: those that leave the public course of the hand legal.
    """
    tried = 0

    def look(state: State, line: Line) -> None:
        nonlocal tried
        if state.to_act is None:
            return
        for _ in range(tries):
            seat = draw(game.seats)
            view = state.view(seat)
            text = json.dumps(view)
            unseen = [card for card in game.pack if f'"{card}"' not in text]
            if len(unseen) < 2:
                continue
            x = unseen.pop(draw(len(unseen)))
            y = unseen.pop(draw(len(unseen)))
            twin = _swapped(game, line, x, y)
            if twin is None or twin.to_act != state.to_act:
                continue
            tried += 1
            assert twin.view(seat) == view, f"seat {seat} sees that {x} and {y} are swapped; {line}"
            if seat == state.to_act:
                assert twin.legal() == state.legal(), f"seat {seat} may tell {x} from {y}; {line}"

    play_out(game, draw, look, dealer=0, hands=hands)
    return tried


def _swapped(game: Game, line: Line, x: str, y: str) -> State | None:
    """The same course with two cards of the last hand swapped; None where it would not have been legal."""
    swap = {x: y, y: x}
    pack, actions = line[-1]
    number = {card: i for i, card in enumerate(game.pack)}
    other = [number[swap.get(game.pack[card], game.pack[card])] for card in pack]
    moved = [game.action(_rename(game.word(action), swap)) for action in actions]
    if None in moved:
        return None
    try:
        return replay(game, [*line[:-1], (other, [action for action in moved if action is not None])])
    except (IllegalAction, ValueError):
        return None


def check_relabelling(game: Game, draw: Draw, suits: Mapping[str, str], *, hands: int = 1) -> None:
    """Relabel the suits of a deal: the game is the same but for the names, at every step."""

    def word(text: str) -> str:
        return _rename(text, names)

    cards = {card: card if card == "JK" else card[0] + suits[card[1]] for card in game.pack}
    names = {**cards, **suits}
    number = {card: i for i, card in enumerate(game.pack)}

    def look(state: State, line: Line) -> None:
        other = [
            (
                [number[cards[game.pack[card]]] for card in pack],
                [game.action(word(game.word(action))) for action in actions],
            )
            for pack, actions in line
        ]
        twin = replay(game, other)  # type: ignore[arg-type]  # every word has its action
        assert twin.to_act == state.to_act
        assert twin.scores == state.scores
        assert twin.needs_deal == state.needs_deal
        assert set(twin.legal_words()) == {word(text) for text in state.legal_words()}, f"{line}"
        assert set(map(game.word, twin.legal())) == {word(game.word(a)) for a in state.legal()}, f"{line}"
        if state.to_act is not None:
            for seat in range(game.seats):
                ours = _relabelled(state.view(seat), word)
                assert _sorted_hand(twin.view(seat)) == _sorted_hand(ours), f"seat {seat}; {line}"

    play_out(game, draw, look, hands=hands)


def _rename(text: str, names: Mapping[str, str]) -> str:
    """An action's word with its cards and suits renamed: it is made of parts joined by `:` and `,`."""
    return ":".join(",".join(names.get(w, w) for w in part.split(",")) for part in text.split(":"))


def _relabelled(value: Any, word: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {k: v if k in ("game", "rules", "phase") else _relabelled(v, word) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_relabelled(item, word) for item in value]
    return word(value) if isinstance(value, str) else value


def _sorted_hand(view: dict[str, Any]) -> dict[str, Any]:
    assert all(is_card(card) for card in view["hand"])
    return view | {"hand": sorted(view["hand"])}
