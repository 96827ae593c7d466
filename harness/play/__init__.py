"""One game, pure: the referee, the clock, and the values that go in and out."""
