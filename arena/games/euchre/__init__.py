"""Euchre: the North American and the British game (rules.md sections 1 to 3)."""
