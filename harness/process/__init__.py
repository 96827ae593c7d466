"""Bots as processes: start, greet, ask, end; and the slot that plays with them."""
