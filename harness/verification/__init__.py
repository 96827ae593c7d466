"""Stored games before the referee again: whether the store says what was played."""
