"""What is to be played: specifications, openings, schedules and conditions, all pure."""
