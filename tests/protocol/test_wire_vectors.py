"""The golden vectors: the package reads them as they say, the schema agrees, the script still writes them."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import protocol
from arena.cards import seeds
from arena.cards.notation import suited_pack
from arena.cards.shuffle import ALGORITHM, shuffled
from protocol import (
    Act,
    Code,
    Connection,
    GameStart,
    Hello,
    Ready,
    RemoteProtocolError,
    Role,
    State,
    codec,
    parse,
)

ROOM = Path(protocol.__file__).parent
VECTORS = ROOM / "vectors"


def load(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="ascii"))


def named(name: str) -> list[Any]:
    return [
        pytest.param(vector, id=f"{vector.get('encoding', vector.get('state'))}: {vector['name']}")
        for vector in load(name)["vectors"]
    ]


def schema() -> jsonschema.Draft202012Validator:
    content = json.loads((ROOM / "schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(content)
    return jsonschema.Draft202012Validator(content)


def test_the_script_writes_these_files() -> None:
    script = runpy.run_path(str(Path(__file__).with_name("make_vectors.py")))
    files = script["files"]()
    assert sorted(files) == sorted(path.name for path in VECTORS.iterdir())
    for name, content in files.items():
        assert (VECTORS / name).read_text(encoding="ascii") == script["text_of"](content)


def read(vector: dict[str, Any], step: int | None = None) -> list[dict[str, Any]]:
    wire = codec(vector["encoding"])
    decoder = wire.decoder()
    data = bytes.fromhex(vector["hex"])
    maps = []
    for start in range(0, len(data), step or len(data)):
        decoder.feed(data[start : start + (step or len(data))])
        while (payload := decoder.next_frame()) is not None:
            maps.append(wire.decode(payload))
    assert decoder.pending == 0
    return maps


@pytest.mark.parametrize("vector", named("good.json"))
def test_good_streams(vector: dict[str, Any]) -> None:
    maps = read(vector)
    assert maps == vector["maps"]
    assert json.dumps(maps) == json.dumps(vector["maps"]), "the same kinds and order too"
    assert read(vector, 1) == read(vector, 3) == maps


@pytest.mark.parametrize("vector", [v for v in named("good.json") if "not the shortest" not in v.id])
def test_what_the_arena_sends_is_in_the_shortest_form(vector: dict[str, Any]) -> None:
    if vector["from"] == "arena":
        encode = codec(vector["encoding"]).encode
        assert b"".join(map(encode, vector["maps"])).hex() == vector["hex"]


@pytest.mark.parametrize("vector", named("good.json"))
def test_good_maps_are_messages_and_the_schema_agrees(vector: dict[str, Any]) -> None:
    check = schema()
    for message in vector["maps"]:
        typed = parse(message)
        assert check.is_valid(message) == (typed is not None)
        if typed is not None:
            sent = typed.to_map()
            assert parse(sent) == typed
            assert check.is_valid(sent)
            assert sent.items() <= message.items()


@pytest.mark.parametrize("vector", named("bad.json"))
def test_bad_streams(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    for step in (len(data), 1):
        with pytest.raises(RemoteProtocolError) as caught:
            read(vector, step)
        assert caught.value.code == vector["code"]


def test_every_code_has_a_vector() -> None:
    codes = {v["code"] for name in ("bad.json", "messages.json") for v in load(name)["vectors"]}
    assert codes == set(Code) - {Code.TRUNCATED}


@pytest.mark.parametrize("vector", named("messages.json"))
def test_messages_that_are_wrong_in_their_state(vector: dict[str, Any]) -> None:
    request = Act.from_map(load("messages.json")["request"])
    arena, bot = Connection(Role.ARENA, "json"), codec("json")
    limits = dict.fromkeys(("move_ms", "bank_ms", "start_ms", "grace_ms", "memory_mb", "frame_bytes"), 1)
    arena.send(Hello(1, "north-american", {}, limits))
    if vector["state"] != "starting":
        arena.receive_data(bot.encode(Ready().to_map()))
        arena.next_event()
    if vector["state"] in ("playing", "asked"):
        arena.send(GameStart(2, 0, 0, 5))
    if vector["state"] == "asked":
        arena.send(request)
    assert arena.state == State(vector["state"])
    arena.receive_data(bot.encode(vector["map"]))
    with pytest.raises(RemoteProtocolError) as caught:
        arena.next_event()
    assert caught.value.code == vector["code"]
    # The schema knows messages, not states and ids.
    about_the_map = vector["code"] in ("bad_message", "unknown_type") and parse_fails(vector["map"])
    assert schema().is_valid(vector["map"]) != about_the_map


def parse_fails(message: dict[str, Any]) -> bool:
    try:
        return parse(message) is None
    except RemoteProtocolError:
        return True


@pytest.mark.parametrize("vector", load("deals.json")["deals"], ids=lambda v: f"{v['seed'][:8]}-{v['cards']}")
def test_deals_agree_with_the_arena(vector: dict[str, Any]) -> None:
    assert load("deals.json")["algorithm"] == ALGORITHM
    order = shuffled(bytes.fromhex(vector["seed"]), vector["cards"])
    assert order == vector["order"]
    if "dealt" in vector:
        pack = suited_pack("9TJQKA", joker=vector["cards"] == 25)
        assert " ".join(pack[i] for i in order) == vector["dealt"]
        assert pack == protocol.full_pack(joker=vector["cards"] == 25)


@pytest.mark.parametrize("vector", load("deals.json")["chains"])
def test_seeds_agree_with_the_arena(vector: dict[str, Any]) -> None:
    rules = load("deals.json")["rules"]
    rules_id = seeds.rules_id(rules["game"], rules["rules"])
    assert rules_id == rules["rules_id"]
    master = seeds.master_from_text(vector["seed_text"])
    block = seeds.block_seed(master, rules_id, vector["digest_a"], vector["digest_b"], vector["block"])
    deck = seeds.deck_seed(block, vector["pair"], vector["hand"])
    assert master.hex() == vector["master"]
    assert block.hex() == vector["block_seed"]
    assert deck.hex() == vector["deck_seed"]
    assert seeds.commitment(master) == vector["master_commitment"]
    assert seeds.commitment(block) == vector["block_commitment"]
    assert seeds.bot_seed(block, vector["pair"], vector["seat"]) == vector["bot_seed"]
    assert " ".join(protocol.full_pack()[i] for i in shuffled(deck, 24)) == vector["dealt"]
