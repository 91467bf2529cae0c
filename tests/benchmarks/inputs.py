"""What the benchmarks read: paths named on the command line, which need not be there."""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def paths(usage: str, *names: str) -> list[Path]:
    """The paths that the command line names, one for each name; ends the run with a line where one is missing."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in names:
        parser.add_argument(name, type=Path)
    given = vars(parser.parse_args())
    for name in names:
        if not given[name].exists():
            print(f"skipped: there is no {name} at {given[name]}")
            sys.exit(0)
    return [given[name] for name in names]
