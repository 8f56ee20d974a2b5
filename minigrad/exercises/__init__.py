"""Exercises, and the answers that take their place; where these come from."""
