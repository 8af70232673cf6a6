"""A bot-battle arena for the euchre card family."""

__version__ = "0.1.0"
