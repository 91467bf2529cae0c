"""What is written stays written: files and folders forced onto the disk before they are named."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """A file or a folder, not what is in it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_all(folder: Path) -> None:
    for file in [*folder.rglob("*"), folder]:
        sync(file)
