"""`python -m pellucid`: the command line, where its script is not on the search path."""

from pellucid.surfaces.cli import main

if __name__ == "__main__":
    main()
