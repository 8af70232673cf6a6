// careful, in Go: the conversation with the arena. The thinking is in strategy.go.
package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"log"
	"os"
)

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		frame, err := readFrame(in)
		if err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		var answer []byte
		switch message := decode(frame); message["type"] {
		case "hello":
			answer = encode("type", "ready", "name", "careful_go", "version", "1.0")
		case "act":
			answer = encode("type", "action", "id", whole(message["id"]), "action", answerTo(message))
		case "bye":
			return
		default:
			continue
		}
		if err := writeFrame(out, answer); err != nil {
			log.Fatal(err)
		}
	}
}

func readFrame(in io.Reader) ([]byte, error) {
	var size uint32
	if err := binary.Read(in, binary.BigEndian, &size); err != nil {
		return nil, err
	}
	frame := make([]byte, size)
	_, err := io.ReadFull(in, frame)
	return frame, err
}

func writeFrame(out *bufio.Writer, frame []byte) error {
	if err := binary.Write(out, binary.BigEndian, uint32(len(frame))); err != nil {
		return err
	}
	if _, err := out.Write(frame); err != nil {
		return err
	}
	return out.Flush()
}

// answerTo is a word out of the request's `legal`.
func answerTo(message map[string]any) string {
	legal := texts(message["legal"])
	if len(legal) > 1 {
		word := choose(message)
		for _, other := range legal {
			if word == other {
				return word
			}
		}
	}
	return legal[0]
}
