"""Seed 001's cases, beside the data."""

from typing import Any

from tests.memory.seed_cases import seed_cases

CASES, needs_cases = seed_cases("semrag")


def unit_test(name: str) -> dict[str, Any]:
    return next((case for case in CASES.get("unit_tests", []) if case["test"] == name), {})
