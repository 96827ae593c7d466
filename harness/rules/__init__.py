"""The rules of Lines of Action: boards, positions, games and their notations."""
