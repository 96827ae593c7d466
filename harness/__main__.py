"""``python -m harness`` is ``loa``."""

from harness.cli.main import main

if __name__ == "__main__":
    main()
