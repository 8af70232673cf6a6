"""Plays as a sensible club player would: the thinking is in strategy.py."""

from strategy import choose

from protocol import run

if __name__ == "__main__":
    run(choose, name="careful", version="1.0")
