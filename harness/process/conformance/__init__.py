"""Does a bot speak the line protocol? Numbered steps, each tried on its own."""
