"""The line protocol (UGI): messages as values, and their texts."""
