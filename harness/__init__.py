"""Bot-against-bot competitions in the board game Lines of Action."""
