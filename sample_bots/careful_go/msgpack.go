package main

import (
	"encoding/binary"
	"fmt"
	"math"
)

// decoder reads one msgpack value: all types but extensions. Numbers become int64 (or float64),
// texts string, lists []any, maps map[string]any. It panics on anything else: the arena's messages
// are well formed.
type decoder struct{ rest []byte }

func decode(frame []byte) map[string]any {
	d := decoder{frame}
	message, ok := d.value().(map[string]any)
	if !ok {
		panic("a frame that is not a map")
	}
	return message
}

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
	dict := make(map[string]any, size)
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
		return float64(math.Float32frombits(uint32(d.uint(4))))
	case 0xcb:
		return math.Float64frombits(d.uint(8))
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
