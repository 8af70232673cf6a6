"""`python -m arena`."""

from arena.cli.main import main

main()
