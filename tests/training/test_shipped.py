"""What is shipped is what its trainer makes of the data, where they are there: here what takes a minute at most,
all of it by `python -m tests.training.shipped`."""

from pathlib import Path

import pytest

from tests.training.shipped import TRAINERS, behaves


@pytest.mark.parametrize("name", ["roots", pytest.param("talk", marks=pytest.mark.soak)])
def test_it_is_made_again(name: str, data: Path) -> None:
    for made in TRAINERS[name](data, data):
        alike, said = behaves(made.shipped, made.made)
        assert alike and (name != "roots" or made.shipped == made.made), said
