// A euchre bot in Go (1.19 or newer, no package). choose is the place for your own thinking; it may
// return any word of "legal". Print with log or to os.Stderr: stdout is for frames.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strings"
)

const trumpsToCall = 3

// choose answers one request: a word out of "legal".
func choose(act map[string]any) string {
	legal := texts(act["legal"])
	trump, _ := act["trump"].(string) // "" while trumps are open
	phase := act["phase"]
	best := legal[0]
	for _, word := range legal {
		if phase == "play" || phase == "discard" {
			more := strength(word[len(word)-2:], trump) - strength(best[len(best)-2:], trump)
			if phase == "play" && more > 0 || phase == "discard" && more < 0 {
				best = word
			}
		} else if suit := suitCalled(word, act["upcard"]); suit != "" {
			trumps := 0
			for _, card := range texts(act["hand"]) {
				if strength(card, suit) > 100 {
					trumps++
				}
			}
			if trumps >= trumpsToCall {
				return word
			}
		}
	}
	return best
}

// suitCalled is the suit that a call makes trumps, "" for other words.
func suitCalled(word string, upcard any) string {
	switch word {
	case "order_up":
		return upcard.(string)[1:]
	case "name:C", "name:D", "name:H", "name:S":
		return word[5:]
	}
	return ""
}

// strength is how high a card stands: trumps above 100, the joker and the two bowers on top.
func strength(card, trump string) int {
	if card == "JK" {
		return 110
	}
	suit := card[1:]
	sister := string("CDHS"[3-strings.Index("CDHS", suit)])
	switch {
	case card[0] == 'J' && suit == trump:
		return 109
	case card[0] == 'J' && sister == trump:
		return 108
	case suit == trump:
		return 101 + strings.IndexByte("9TJQKA", card[0])
	}
	return 1 + strings.IndexByte("9TJQKA", card[0])
}

// texts is a list of strings as Go has it.
func texts(value any) []string {
	var result []string
	items, _ := value.([]any)
	for _, item := range items {
		result = append(result, item.(string))
	}
	return result
}

// The wire: 4 bytes of length, then one msgpack map. Nothing from here on needs a change.

// decoder reads msgpack values: all types but extensions. Whole numbers become int64, lists []any,
// maps map[string]any. It panics on anything else: the arena's messages are well formed.
type decoder struct{ rest []byte }

func (d *decoder) take(size int) []byte {
	bytes := d.rest[:size]
	d.rest = d.rest[size:]
	return bytes
}

func (d *decoder) uint(size int) uint64 {
	var wide [8]byte
	copy(wide[8-size:], d.take(size))
	return binary.BigEndian.Uint64(wide[:])
}

func (d *decoder) text(size int) string { return string(d.take(size)) }

func (d *decoder) list(size int) []any {
	list := make([]any, size)
	for i := range list {
		list[i] = d.value()
	}
	return list
}

func (d *decoder) dict(size int) map[string]any {
	dict := make(map[string]any)
	for i := 0; i < size; i++ {
		key := d.value().(string)
		dict[key] = d.value()
	}
	return dict
}

func (d *decoder) value() any {
	kind := int(d.uint(1))
	switch {
	case kind < 0x80:
		return int64(kind)
	case kind < 0x90:
		return d.dict(kind & 15)
	case kind < 0xa0:
		return d.list(kind & 15)
	case kind < 0xc0:
		return d.text(kind & 31)
	case kind >= 0xe0:
		return int64(kind - 256)
	}
	switch kind {
	case 0xc0:
		return nil
	case 0xc2, 0xc3:
		return kind == 0xc3
	case 0xc4, 0xd9:
		return d.text(int(d.uint(1)))
	case 0xc5, 0xda:
		return d.text(int(d.uint(2)))
	case 0xc6, 0xdb:
		return d.text(int(d.uint(4)))
	case 0xca:
		return int64(math.Float32frombits(uint32(d.uint(4))))
	case 0xcb:
		return int64(math.Float64frombits(d.uint(8)))
	case 0xcc, 0xcd, 0xce, 0xcf:
		return int64(d.uint(1 << (kind - 0xcc)))
	case 0xd0:
		return int64(int8(d.uint(1)))
	case 0xd1:
		return int64(int16(d.uint(2)))
	case 0xd2:
		return int64(int32(d.uint(4)))
	case 0xd3:
		return int64(d.uint(8))
	case 0xdc, 0xdd:
		return d.list(int(d.uint(2 << (kind - 0xdc))))
	case 0xde, 0xdf:
		return d.dict(int(d.uint(2 << (kind - 0xde))))
	}
	panic(fmt.Sprintf("msgpack type 0x%x is not read here", kind))
}

// encode writes a map of at most 15 pairs, given as key, value, key, value...: strings and int64.
func encode(pairs ...any) []byte {
	out := []byte{0x80 | byte(len(pairs)/2)}
	for _, item := range pairs {
		switch item := item.(type) {
		case string:
			out = append(out, 0xda, byte(len(item)>>8), byte(len(item)))
			out = append(out, item...)
		case int64:
			out = append(out, 0xd3)
			out = binary.BigEndian.AppendUint64(out, uint64(item))
		}
	}
	return out
}

// receive is the next message, nil at the end of the stream.
func receive(in io.Reader) map[string]any {
	header := make([]byte, 4)
	if _, err := io.ReadFull(in, header); err != nil {
		return nil
	}
	frame := make([]byte, binary.BigEndian.Uint32(header))
	if _, err := io.ReadFull(in, frame); err != nil {
		return nil
	}
	d := decoder{frame}
	return d.value().(map[string]any)
}

func send(out *bufio.Writer, payload []byte) {
	binary.Write(out, binary.BigEndian, uint32(len(payload)))
	out.Write(payload)
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		message := receive(in)
		if message == nil {
			return
		}
		switch message["type"] {
		case "hello":
			send(out, encode("type", "ready"))
		case "act":
			send(out, encode("type", "action", "id", message["id"], "action", choose(message)))
		case "bye":
			return
		}
	}
}
