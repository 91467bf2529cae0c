"""A folder that the system does not open, whoever asks: root may open everything."""

from collections.abc import Iterator
from pathlib import Path

import pytest


def close(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.iterdir

    def refused(path: Path) -> Iterator[Path]:
        if path == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path)

    monkeypatch.setattr(Path, "iterdir", refused)
