"""Seed 001's cases, beside the data."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

_DATA = Path(os.environ.get("CLEW_DATA", Path(__file__).parents[3] / ".." / "shared" / "data"))
_PATH = _DATA.parent / "cases" / "semrag.json"
CASES: dict[str, Any] = json.loads(_PATH.read_text(encoding="utf-8")) if _PATH.exists() else {}

needs_cases = pytest.mark.skipif(not CASES, reason="the cases of seed 001 are not beside the data (CLEW_DATA)")


def unit_test(name: str) -> dict[str, Any]:
    return next((case for case in CASES.get("unit_tests", []) if case["test"] == name), {})
