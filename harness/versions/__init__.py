"""Bots as versions in git: found, checked out into a cache, built once."""
