package main

import (
	"os"
	"testing"
)

// Asks the bot what is recorded in frames.bin, without the arena.
func TestEveryAnswerIsLegal(t *testing.T) {
	frames, err := os.Open("frames.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	asked := 0
	for message := receive(frames); message != nil; message = receive(frames) {
		if message["type"] != "act" {
			continue
		}
		word, legal := choose(message), texts(message["legal"])
		found := false
		for _, other := range legal {
			found = found || other == word
		}
		if !found {
			t.Errorf("%v: %s is not in %v", message["phase"], word, legal)
		}
		asked++
	}
	if asked == 0 {
		t.Error("frames.bin holds no request")
	}
}
