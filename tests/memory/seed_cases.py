"""The seeds' cases, beside the data; absent where the data are."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

DATA = Path(os.environ.get("CLEW_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


def seed_cases(name: str) -> tuple[dict[str, Any], pytest.MarkDecorator]:
    """The cases of a file, and the mark of the tests that need them."""
    path = DATA.parent / "cases" / f"{name}.json"
    found = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found, pytest.mark.skipif(not found, reason=f"{path} is not there (CLEW_DATA)")
