"""Where games are played: in this process, or in worker processes side by side."""
