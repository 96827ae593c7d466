"""From results to numbers: cross tables and Elo."""
