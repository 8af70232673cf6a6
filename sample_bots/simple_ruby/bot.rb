# A simple euchre bot in Ruby, without a gem: it calls on three trumps, plays its highest card and
# discards its lowest. It prints with `warn`: stdout is for frames.

RANKS = "9TJQKA"
SISTER = { "C" => "S", "S" => "C", "D" => "H", "H" => "D" }.freeze
TRUMPS_TO_CALL = 3

# The answer to one request: a word out of act["legal"].
def choose(act)
  legal = act["legal"]
  case act["phase"]
  when "play" then legal.max_by { |word| strength(word[-2..], act["trump"]) }
  when "discard" then legal.min_by { |word| strength(word[-2..], act["trump"]) }
  else
    legal.find { |word| enough_trumps?(act, suit_called(word, act)) } || legal.first
  end
end

def enough_trumps?(act, suit)
  suit && act["hand"].count { |card| strength(card, suit) > 100 } >= TRUMPS_TO_CALL
end

# The suit that a call makes trumps, nil for other words.
def suit_called(word, act)
  word == "order_up" ? act["upcard"][1] : word[/\Aname:([CDHS])\z/, 1]
end

# How high a card stands: trumps above 100, the joker and the two bowers on top.
def strength(card, trump)
  return 110 if card == "JK"

  rank, suit = card.chars
  return 109 if rank == "J" && suit == trump
  return 108 if rank == "J" && suit == SISTER[trump]

  (suit == trump ? 101 : 1) + RANKS.index(rank)
end

# --- The wire: 4 bytes of length, then one msgpack map.

# Reads the msgpack value in a binary string: all of msgpack but its extension types.
class Reader
  NUMBERS = { 0xca => ["g", 4], 0xcb => ["G", 8], 0xcc => ["C", 1], 0xcd => ["n", 2], 0xce => ["N", 4],
              0xcf => ["Q>", 8], 0xd0 => ["c", 1], 0xd1 => ["s>", 2], 0xd2 => ["l>", 4], 0xd3 => ["q>", 8] }.freeze
  SIMPLE = { 0xc0 => nil, 0xc2 => false, 0xc3 => true }.freeze

  def initialize(data)
    @data = data
    @at = 0
  end

  def value
    type = number("C", 1)
    case type
    when 0..0x7f then type
    when 0x80..0x8f then map(type & 15)
    when 0x90..0x9f then list(type & 15)
    when 0xa0..0xbf then text(type & 31)
    when 0xe0..0xff then type - 256
    when *SIMPLE.keys then SIMPLE[type]
    when *NUMBERS.keys then number(*NUMBERS[type])
    when 0xc4, 0xd9 then text(number("C", 1))
    when 0xc5, 0xda then text(number("n", 2))
    when 0xc6, 0xdb then text(number("N", 4))
    when 0xdc then list(number("n", 2))
    when 0xdd then list(number("N", 4))
    when 0xde then map(number("n", 2))
    when 0xdf then map(number("N", 4))
    else raise format("msgpack type 0x%x is not read here", type)
    end
  end

  private

  def take(size)
    @at += size
    raise "a frame ends too early" if @at > @data.bytesize

    @data.byteslice(@at - size, size)
  end

  def number(form, size) = take(size).unpack1(form)
  def text(size) = take(size).force_encoding("UTF-8")
  def list(size) = Array.new(size) { value }
  def map(size) = Array.new(size) { [value, value] }.to_h
end

# A map of at most 15 texts and whole numbers.
def encode(map)
  packed = map.flatten.map do |value|
    value.is_a?(Integer) ? [0xd3, value].pack("Cq>") : [0xda, value.bytesize].pack("Cn") + value.b
  end
  [0x80 | map.size].pack("C") + packed.join
end

# The next message of a file, nil at its end.
def receive(file)
  header = file.read(4)
  Reader.new(file.read(header.unpack1("N"))).value if header&.bytesize == 4
end

def send_message(out, map)
  payload = encode(map)
  out.write([payload.bytesize].pack("N") + payload)
  out.flush
end

def main
  out = $stdout.dup.binmode
  $stdin.binmode
  $stdout = $stderr # nothing but frames may reach stdout
  while (message = receive($stdin))
    case message["type"]
    when "hello" then send_message(out, [["type", "ready"], ["name", "simple_ruby"], ["version", "1.0"]])
    when "act" then send_message(out, [["type", "action"], ["id", message["id"]], ["action", choose(message)]])
    when "bye" then break
    end
  end
end

main if __FILE__ == $PROGRAM_NAME
