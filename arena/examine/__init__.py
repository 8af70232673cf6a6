"""Examining one bot: a conversation with it, every trick that the arena may try, and what to change."""
