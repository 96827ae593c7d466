"""Who meets whom: one module a format, each a pure function of the spec and earlier results."""
