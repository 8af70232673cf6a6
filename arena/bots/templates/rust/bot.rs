//! A euchre bot in Rust (one file, no crate). `choose` is the place for your own thinking; it may
//! return any word of `legal`. Print with `eprintln!`: stdout is for frames.

use std::io::{self, Read, Write};

const TRUMPS_TO_CALL: usize = 3;

/// The answer to one request: a word out of `legal`.
fn choose(act: &Value) -> &str {
    let legal = act.get("legal").texts();
    let trump = act.get("trump").text();
    let worth = |word: &&str| strength(&word[word.len() - 2..], trump);
    match act.get("phase").text() {
        // The first of the strongest, as `max_by_key` gives the last one.
        "play" => legal.iter().rev().max_by_key(|word| worth(word)).unwrap(),
        "discard" => legal.iter().min_by_key(|word| worth(word)).unwrap(),
        _ => legal.iter().find(|word| enough_trumps(act, word)).unwrap_or(&legal[0]),
    }
}

fn enough_trumps(act: &Value, word: &str) -> bool {
    let suit = match word {
        "order_up" => &act.get("upcard").text()[1..],
        "name:C" | "name:D" | "name:H" | "name:S" => &word[5..],
        _ => return false,
    };
    let hand = act.get("hand").texts();
    hand.iter().filter(|card| strength(card, suit) > 100).count() >= TRUMPS_TO_CALL
}

/// How high a card stands: trumps above 100, the joker and the two bowers on top. `trump` may be empty.
fn strength(card: &str, trump: &str) -> usize {
    if card == "JK" {
        return 110;
    }
    let (rank, suit) = card.split_at(1);
    let sister = match suit { "C" => "S", "S" => "C", "D" => "H", _ => "D" };
    match (rank, trump) {
        ("J", t) if t == suit => 109,
        ("J", t) if t == sister => 108,
        (_, t) => "9TJQKA".find(rank).unwrap() + if t == suit { 101 } else { 1 },
    }
}

// --- The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change.

#[derive(Debug)]
enum Value {
    Nil,
    Bool(#[allow(dead_code)] bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// The value under a key; `Nil` where the key is missing.
    fn get(&self, key: &str) -> &Value {
        match self {
            Value::Map(pairs) => pairs.iter().find(|(k, _)| k.text() == key).map_or(&Value::Nil, |(_, v)| v),
            _ => &Value::Nil,
        }
    }

    /// The text, empty for anything else.
    fn text(&self) -> &str {
        if let Value::Text(text) = self { text } else { "" }
    }

    fn int(&self) -> i64 {
        match self {
            Value::Int(n) => *n,
            Value::Float(n) => *n as i64,
            _ => 0,
        }
    }

    fn texts(&self) -> Vec<&str> {
        if let Value::List(items) = self { items.iter().map(Value::text).collect() } else { vec![] }
    }
}

/// Takes so many bytes off the front. Panics where there are not so many: the arena's frames are whole.
fn take<'a>(data: &mut &'a [u8], size: usize) -> &'a [u8] {
    let (front, rest) = data.split_at(size);
    *data = rest;
    front
}

fn uint(data: &mut &[u8], size: usize) -> u64 {
    take(data, size).iter().fold(0, |n, byte| n << 8 | u64::from(*byte))
}

fn text(data: &mut &[u8], size: usize) -> Value {
    Value::Text(String::from_utf8_lossy(take(data, size)).into_owned())
}

fn list(data: &mut &[u8], size: usize) -> Value {
    Value::List((0..size).map(|_| decode(data)).collect())
}

fn map(data: &mut &[u8], size: usize) -> Value {
    Value::Map((0..size).map(|_| (decode(data), decode(data))).collect())
}

/// The first value, taken off the front: all of msgpack but its extension types.
fn decode(data: &mut &[u8]) -> Value {
    let kind = uint(data, 1) as u8;
    let size = |data: &mut &[u8], bytes: usize| uint(data, bytes) as usize;
    match kind {
        0x00..=0x7f => Value::Int(kind.into()),
        0x80..=0x8f => map(data, (kind & 15).into()),
        0x90..=0x9f => list(data, (kind & 15).into()),
        0xa0..=0xbf => text(data, (kind & 31).into()),
        0xe0..=0xff => Value::Int((kind as i8).into()),
        0xc0 => Value::Nil,
        0xc2 | 0xc3 => Value::Bool(kind == 0xc3),
        0xc4 | 0xd9 => { let n = size(data, 1); text(data, n) }
        0xc5 | 0xda => { let n = size(data, 2); text(data, n) }
        0xc6 | 0xdb => { let n = size(data, 4); text(data, n) }
        0xca => Value::Float(f32::from_bits(uint(data, 4) as u32).into()),
        0xcb => Value::Float(f64::from_bits(uint(data, 8))),
        0xcc..=0xcf => Value::Int(uint(data, 1 << (kind - 0xcc)) as i64),
        0xd0 => Value::Int((uint(data, 1) as i8).into()),
        0xd1 => Value::Int((uint(data, 2) as i16).into()),
        0xd2 => Value::Int((uint(data, 4) as i32).into()),
        0xd3 => Value::Int(uint(data, 8) as i64),
        0xdc | 0xdd => { let n = size(data, 2 << (kind - 0xdc)); list(data, n) }
        0xde | 0xdf => { let n = size(data, 2 << (kind - 0xde)); map(data, n) }
        _ => panic!("msgpack type {kind:#x} is not read here"),
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.push(0xda);
    out.extend((text.len() as u16).to_be_bytes());
    out.extend(text.as_bytes());
}

/// A map whose first key is `type`.
fn message(kind: &str, rest: Option<(i64, &str)>) -> Vec<u8> {
    let mut out = vec![if rest.is_some() { 0x83 } else { 0x81 }];
    put_text(&mut out, "type");
    put_text(&mut out, kind);
    if let Some((id, action)) = rest {
        put_text(&mut out, "id");
        out.push(0xd3);
        out.extend(id.to_be_bytes());
        put_text(&mut out, "action");
        put_text(&mut out, action);
    }
    out
}

/// The next message, None at the end of the stream.
fn receive(input: &mut impl Read) -> Option<Value> {
    let mut header = [0; 4];
    input.read_exact(&mut header).ok()?;
    let mut frame = vec![0; u32::from_be_bytes(header) as usize];
    input.read_exact(&mut frame).ok()?;
    Some(decode(&mut frame.as_slice()))
}

fn send(payload: &[u8]) {
    let mut out = io::stdout().lock();
    let written = out.write_all(&(payload.len() as u32).to_be_bytes()).and_then(|()| out.write_all(payload));
    if written.and_then(|()| out.flush()).is_err() {
        std::process::exit(0); // the arena has gone
    }
}

fn main() {
    let mut input = io::stdin().lock();
    while let Some(received) = receive(&mut input) {
        match received.get("type").text() {
            "hello" => send(&message("ready", None)),
            "act" => send(&message("action", Some((received.get("id").int(), choose(&received))))),
            "bye" => break,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks the bot what is recorded in frames.bin, without the arena.
    #[test]
    fn every_answer_is_legal() {
        let frames = std::fs::read("frames.bin").unwrap();
        let mut rest = frames.as_slice();
        let mut asked = 0;
        while let Some(act) = receive(&mut rest) {
            if act.get("type").text() == "act" {
                let word = choose(&act);
                assert!(act.get("legal").texts().contains(&word), "{word} is not legal: {act:?}");
                asked += 1;
            }
        }
        assert!(asked > 0);
    }
}
