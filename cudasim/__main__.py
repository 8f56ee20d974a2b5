"""`python -m cudasim`, or `cudasim`: the command is in cli/command.py."""

from .cli.command import run

if __name__ == "__main__":
    run()
