"""`python -m minigrad`, or `minigrad`: the commands are in cli/commands.py."""

import sys


def main():
    if sys.argv[1:] == ["doctor"]:  # must work where little else is installed
        from .cli.doctor import doctor

        sys.exit(doctor())
    try:
        from .cli.commands import run
    except ModuleNotFoundError as error:
        sys.exit(
            f"minigrad: {error.name} is not installed, and the commands need it."
            " In the course's folder:\n"
            "  pip install -e ./cudasim -e '.[lab,torch]' -c constraints.txt"
        )
    run()


if __name__ == "__main__":
    main()
