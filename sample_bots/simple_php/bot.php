<?php
// A simple euchre bot in PHP (8, no package): it calls on three trumps, plays its highest card and
// discards its lowest. It prints with fwrite(STDERR, ...): stdout is for frames.

declare(strict_types=1);

const RANKS = "9TJQKA";
const SISTER = ["C" => "S", "S" => "C", "D" => "H", "H" => "D"];
const TRUMPS_TO_CALL = 3;

/** The answer to one request: a word out of $act["legal"]. */
function choose(array $act): string
{
    $legal = $act["legal"];
    if ($act["phase"] === "play" || $act["phase"] === "discard") {
        $worth = array_map(fn($word) => strength(substr($word, -2), $act["trump"]), $legal);
        return $legal[array_search($act["phase"] === "play" ? max($worth) : min($worth), $worth, true)];
    }
    foreach ($legal as $word) {
        $suit = suit_called($word, $act);
        if ($suit === null) continue;
        $trumps = array_filter($act["hand"], fn($card) => strength($card, $suit) > 100);
        if (count($trumps) >= TRUMPS_TO_CALL) return $word;
    }
    return $legal[0];
}

/** The suit that a call makes trumps, null for other words. */
function suit_called(string $word, array $act): ?string
{
    if ($word === "order_up") return $act["upcard"][1];
    return preg_match('/^name:([CDHS])$/D', $word, $found) ? $found[1] : null;
}

/** How high a card stands: trumps above 100, the joker and the two bowers on top. */
function strength(string $card, ?string $trump): int
{
    if ($card === "JK") return 110;
    [$rank, $suit] = str_split($card);
    if ($rank === "J" && $suit === $trump) return 109;
    if ($rank === "J" && SISTER[$suit] === $trump) return 108;
    return ($suit === $trump ? 101 : 1) + strpos(RANKS, $rank);
}

// --- The wire: 4 bytes of length, then one msgpack map.

/** Reads the msgpack value in a string: all of msgpack but its extension types. */
final class Reader
{
    private const NUMBERS = [0xca => ["G", 4], 0xcb => ["E", 8], 0xcc => ["C", 1], 0xcd => ["n", 2], 0xce => ["N", 4],
        0xcf => ["J", 8], 0xd3 => ["J", 8]];
    private const SIGNED = [0xd0 => ["C", 1, 8], 0xd1 => ["n", 2, 16], 0xd2 => ["N", 4, 32]];
    private int $at = 0;

    public function __construct(private string $data) {}

    public function value(): mixed
    {
        $type = $this->number("C", 1);
        if ($type < 0x80) return $type;
        if ($type < 0x90) return $this->map($type & 15);
        if ($type < 0xa0) return $this->list($type & 15);
        if ($type < 0xc0) return $this->take($type & 31);
        if ($type >= 0xe0) return $type - 256;
        if (isset(self::NUMBERS[$type])) return $this->number(...self::NUMBERS[$type]);
        if (isset(self::SIGNED[$type])) return $this->signed(...self::SIGNED[$type]);
        return match ($type) {
            0xc0 => null,
            0xc2, 0xc3 => $type === 0xc3,
            0xc4, 0xd9 => $this->take($this->number("C", 1)),
            0xc5, 0xda => $this->take($this->number("n", 2)),
            0xc6, 0xdb => $this->take($this->number("N", 4)),
            0xdc => $this->list($this->number("n", 2)),
            0xdd => $this->list($this->number("N", 4)),
            0xde => $this->map($this->number("n", 2)),
            0xdf => $this->map($this->number("N", 4)),
            default => throw new Exception(sprintf("msgpack type 0x%x is not read here", $type)),
        };
    }

    private function take(int $size): string
    {
        $this->at += $size;
        return substr($this->data, $this->at - $size, $size);
    }

    private function number(string $form, int $size): int|float
    {
        return unpack($form, $this->take($size))[1];
    }

    private function signed(string $form, int $size, int $bits): int
    {
        $number = $this->number($form, $size);
        return $number >> ($bits - 1) ? $number - (1 << $bits) : $number;
    }

    private function list(int $size): array
    {
        $list = [];
        while ($size-- > 0) $list[] = $this->value();
        return $list;
    }

    private function map(int $size): array
    {
        $map = [];
        while ($size-- > 0) {
            $key = $this->value();
            $map[$key] = $this->value();
        }
        return $map;
    }
}

/** A map of at most 15 texts and whole numbers. */
function encode(array $map): string
{
    $packed = pack("C", 0x80 | count($map));
    foreach ($map as $key => $value) {
        foreach ([$key, $value] as $item) {
            $packed .= is_int($item) ? pack("CJ", 0xd3, $item) : pack("Cn", 0xda, strlen($item)) . $item;
        }
    }
    return $packed;
}

/** Exactly so many bytes of a file, null at its end: fread alone may give less. */
function read_all($file, int $size): ?string
{
    $data = "";
    while (strlen($data) < $size) {
        $more = fread($file, $size - strlen($data));
        if ($more === false || $more === "") return null;
        $data .= $more;
    }
    return $data;
}

/** The next message of a file, null at its end. */
function receive($file): ?array
{
    $header = read_all($file, 4);
    $payload = $header === null ? null : read_all($file, unpack("N", $header)[1]);
    return $payload === null ? null : (new Reader($payload))->value();
}

function send_message(array $map): void
{
    $payload = encode($map);
    fwrite(STDOUT, pack("N", strlen($payload)) . $payload);
    fflush(STDOUT);
}

function main(): void
{
    while (($message = receive(STDIN)) !== null) {
        if ($message["type"] === "hello") send_message(["type" => "ready", "name" => "simple_php", "version" => "1.0"]);
        elseif ($message["type"] === "act") send_message(["type" => "action", "id" => (int) $message["id"], "action" => choose($message)]);
        elseif ($message["type"] === "bye") break;
    }
}

if (realpath($_SERVER["SCRIPT_FILENAME"]) === __FILE__) main();
