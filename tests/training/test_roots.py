"""The shipped roots are those that the texts give."""

from pathlib import Path

from tests.training.roots import FILE, page


def test_the_roots_are_those_of_the_texts(data: Path) -> None:
    assert page(data) == FILE.read_text("utf-8")
