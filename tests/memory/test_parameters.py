"""Parameters by name: what a field may be, and dataclasses with other values."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from clew.memory.errors import BadInput
from clew.memory.parameters import Count, Few, Share, parameters_of, values_of, with_values


@dataclass(frozen=True, slots=True)
class Inner:
    depth: Few = 2


@dataclass(frozen=True, slots=True)
class Outer:
    lambda_: Share = 0.7
    size: Count | None = None
    kind: Literal["a", "b"] = "a"
    exact: bool = False
    model: str = ""
    inner: Inner = field(default_factory=Inner)
    part: tuple[int, ...] | None = None


FIELDS = {one.name: one for one in parameters_of(Outer())}


def test_fields_are_named_with_what_they_may_be() -> None:
    assert {name: one.allowed for name, one in FIELDS.items()} == {
        "lambda": "a number from 0 to 1",
        "size": "a whole number from 1 to 100000, or none",
        "kind": "one of a, b",
        "exact": "true or false",
        "model": "a text",
        "depth": "a whole number from 1 to 100",
    }
    assert [name for name, one in FIELDS.items() if one.free] == ["model"]


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [("lambda", "0.25", 0.25), ("size", "none", None), ("size", "12", 12), ("kind", "b", "b"), ("exact", "true", True)],
)
def test_what_is_written_is_read(name: str, given: object, value: object) -> None:
    assert FIELDS[name].value_of(given) == value


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("lambda", given) for given in ("1.01", -0.1, "nan", "inf", "", "much", True)),
        *(("size", given) for given in (0, "1.5", 100_001)),
        *(("depth", given) for given in ("none", 0, 101, False)),
        *(("kind", "c"), ("exact", "perhaps"), ("model", 3), ("depth", [1])),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(name: str, given: object) -> None:
    with pytest.raises(BadInput) as raised:
        FIELDS[name].value_of(given)
    assert FIELDS[name].allowed in raised.value.hint


def test_values_take_the_place_of_defaults() -> None:
    made = with_values(Outer(), {"depth": 3, "lambda": 0.1, "other": 1})
    assert made == Outer(lambda_=0.1, inner=Inner(3))
    assert values_of(made)["depth"] == 3 and with_values(made, {}) == made
