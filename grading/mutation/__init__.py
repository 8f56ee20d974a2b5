"""Wrong answers that nobody chose: the course's solutions, changed by machine."""
