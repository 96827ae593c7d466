"""The store: one SQLite file a tournament, and what is written out of it."""
