"""Parameters by name: the fields of a frozen dataclass, those of dataclasses within it included, as a person sets them.

A field that can be set is a number, a truth value, a `Literal` or a text; its annotation says what it may be. Others,
such as a model that was read, cannot be set."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_type_hints

from pydantic import Field, PydanticUserError, TypeAdapter, ValidationError

from clew.memory.errors import BadInput

Share = Annotated[float, Field(ge=0, le=1)]
Cosine = Annotated[float, Field(ge=-1, le=1)]
Weight = Annotated[float, Field(ge=0, le=100)]
Logit = Annotated[float, Field(ge=-100, le=100)]
Few = Annotated[int, Field(ge=1, le=100)]
Count = Annotated[int, Field(ge=1, le=100_000)]
Natural = Annotated[int, Field(ge=0, le=100_000)]
Depth = Annotated[int, Field(ge=0, le=10)]
Level = Annotated[int, Field(ge=-10, le=10)]
Distance = Annotated[float, Field(ge=0, le=2)]

_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "a text"}
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field that can be set: its name (`lambda` of the field `lambda_`), its annotation and its default. `schema` is
    that of its values in JSON, None apart; `optional`: it may be None."""

    name: str
    annotation: Any
    default: Any
    schema: Mapping[str, Any]
    optional: bool

    @property
    def free(self) -> bool:
        """Whether it takes any text: the name of a model, a path."""
        return self.schema["type"] == "string" and "enum" not in self.schema

    @property
    def allowed(self) -> str:
        """What values are allowed, in words."""
        if "enum" in self.schema:
            return "one of " + ", ".join(str(one) or "''" for one in self.schema["enum"])
        bounds = (("minimum", "from"), ("maximum", "to"))
        said = [
            _KINDS[self.schema["type"]],
            *(f"{word} {self.schema[at]}" for at, word in bounds if at in self.schema),
        ]
        return " ".join(said) + (", or none" if self.optional else "")

    def value_of(self, given: object) -> Any:
        """The given value as the field needs it: text from a command line is read as a number. Raises `BadInput`."""
        if self.optional and given in ("none", ""):
            return None
        wrong = isinstance(given, bool) and self.schema["type"] != "boolean"
        try:
            value = TypeAdapter(self.annotation).validate_python(given)
        except ValidationError:
            wrong = True
        if wrong:
            raise BadInput(f"{self.name} cannot be {given!r}", f"{self.name} is {self.allowed}")
        return value


def parameters_of(made: object) -> Iterator[Parameter]:
    """The parameters of a dataclass with its defaults, in order."""
    hints = get_type_hints(type(made), include_extras=True)
    for one in fields(cast(Any, made)):
        value, annotation = getattr(made, one.name), hints[one.name]
        if is_dataclass(value):
            yield from parameters_of(value)
        elif one.name != "name":
            kinds = _schemas(annotation)
            others = [kind for kind in kinds if kind.get("type") != "null"]
            if len(others) == 1 and others[0].get("type") in _KINDS:
                yield Parameter(one.name.rstrip("_"), annotation, value, others[0], len(others) < len(kinds))


@cache
def _schemas(annotation: Any) -> list[dict[str, Any]]:
    """The JSON schema of each kind of value that it allows; values that JSON does not have are left out."""
    try:
        schema = TypeAdapter(annotation).json_schema()
    except PydanticUserError:
        return []
    return list(schema.get("anyOf", [schema]))


def values_of(made: object) -> dict[str, Any]:
    """The values by the names of `parameters_of`."""
    return {one.name: one.default for one in parameters_of(made)}


def with_values(made: _Made, values: Mapping[str, Any]) -> _Made:
    """The dataclass with these values; unknown names are ignored."""
    if not values:
        return made
    changed: dict[str, Any] = {}
    for one in fields(cast(Any, made)):
        value, name = getattr(made, one.name), one.name.rstrip("_")
        if is_dataclass(value):
            if own := {part.name: values[part.name] for part in parameters_of(value) if part.name in values}:
                changed[one.name] = with_values(value, own)
        elif name in values:
            changed[one.name] = values[name]
    return cast(_Made, replace(cast(Any, made), **changed))
