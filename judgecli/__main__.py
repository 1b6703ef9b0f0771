"""`python -m judgecli` is the command line."""

from judgecli.cli import main

if __name__ == "__main__":
    main()
