"""The shipped bots, one a module."""
