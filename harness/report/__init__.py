"""From numbers to tables and plots."""
