"""What is shipped is what its trainer makes of the data, where they are there: here what takes a minute at most,
all of it by `python -m tests.training.shipped`."""

from pathlib import Path

import pytest

from tests.training.roots import made as roots
from tests.training.shipped import WANTED, Value, compared, read, values_of
from tests.training.talk import made as talk

MADE = {"roots": roots, "talk": talk}


@pytest.mark.parametrize("name", ["roots", pytest.param("talk", marks=pytest.mark.soak)])
def test_it_is_made_again(name: str, data: Path) -> None:
    for path, text in MADE[name](data, data).items():
        share, furthest = compared(read(path, path.read_text("utf-8")), read(path, text))
        assert share >= (1.0 if name == "roots" else WANTED), furthest


def test_values_have_their_places() -> None:
    found = dict(values_of({"a": {"x": 1, "y": [0.5, "b"]}, "c": None}))
    assert found == {"a.x": 1.0, "a.y[0]": 0.5, "a.y[1]": "b", "c": "None"}


def test_a_number_is_alike_within_a_twentieth_of_its_size() -> None:
    shipped: dict[str, Value] = {"a": 2.0, "b": -1.0, "c": 0.01, "d": "graph"}
    assert compared(shipped, dict(shipped)) == (1.0, "no difference")
    assert compared(shipped, shipped | {"a": 1.91, "c": 0.014}) == (1.0, "a: 2.0 shipped, 1.91 made")
    assert compared(shipped, shipped | {"a": 1.89}) == (0.75, "a: 2.0 shipped, 1.89 made")
    assert compared(shipped, shipped | {"b": 1.0, "c": 0.02})[0] == 0.5  # the other sign; a tenth of SMALL
    assert compared(shipped, shipped | {"d": "walk", "e": 0.0}) == (0.6, "d: graph shipped, walk made")
