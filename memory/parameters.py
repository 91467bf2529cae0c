"""Parameters by name: the fields of a frozen dataclass, those of dataclasses within it included, as a person sets them.

A field that can be set is a number, a truth value, a `Literal` or a text; its annotation says what it may be. Others,
such as a model that was read, cannot be set."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import Field, TypeAdapter, ValidationError

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

_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A field that can be set: its name (`lambda` of the field `lambda_`), its annotation and its default."""

    name: str
    annotation: Any
    default: Any

    @property
    def free(self) -> bool:
        """Whether it takes any text: the name of a model, a path."""
        return self._kind is str

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        if get_origin(self._kind) is Literal:
            return "one of " + ", ".join(str(one) or "''" for one in get_args(self._kind))
        said = _KINDS[self._kind]
        parts = (part for part in (self.annotation, *get_args(self.annotation)) if get_origin(part) is Annotated)
        bounds = [bound for part in parts for found in part.__metadata__ for bound in found.metadata]
        for name, word in (("ge", "from"), ("le", "to")):
            said += "".join(f" {word} {getattr(bound, name)}" for bound in bounds if hasattr(bound, name))
        return f"{said}, or none" if self._optional else said

    def value_of(self, given: object) -> Any:
        """What was given, as the field has it: words of a command line are read as numbers. Raises `BadInput`."""
        if self._optional and given in ("none", ""):
            return None
        wrong = isinstance(given, bool) and self._kind in (int, float)
        try:
            value = TypeAdapter(self.annotation).validate_python(given)
        except ValidationError:
            wrong = True
        if wrong:
            raise BadInput(f"{self.name} cannot be {given!r}", f"{self.name} is {self.allowed}")
        return value

    @property
    def _optional(self) -> bool:
        return NoneType in get_args(self.annotation)

    @property
    def _kind(self) -> Any:
        return _kind_of(self.annotation)


def parameters_of(made: object) -> Iterator[Parameter]:
    """Those of a dataclass with its defaults, in their order."""
    hints = get_type_hints(type(made), include_extras=True)
    for one in fields(cast(Any, made)):
        value, annotation = getattr(made, one.name), hints[one.name]
        if is_dataclass(value):
            yield from parameters_of(value)
        elif one.name != "name" and (_kind_of(annotation) in _KINDS or get_origin(_kind_of(annotation)) is Literal):
            yield Parameter(one.name.rstrip("_"), annotation, value)


def values_of(made: object) -> dict[str, Any]:
    """By the names of `parameters_of`."""
    return {one.name: one.default for one in parameters_of(made)}


def with_values(made: _Made, values: Mapping[str, Any]) -> _Made:
    """With these values in the place of its own; names that it does not have are left out."""
    changed: dict[str, Any] = {}
    for one in fields(cast(Any, made)):
        value, name = getattr(made, one.name), one.name.rstrip("_")
        if is_dataclass(value):
            if own := {part.name: values[part.name] for part in parameters_of(value) if part.name in values}:
                changed[one.name] = with_values(value, own)
        elif name in values:
            changed[one.name] = values[name]
    return cast(_Made, replace(cast(Any, made), **changed))


def _kind_of(annotation: Any) -> Any:
    """Without its bounds and without None."""
    if get_origin(annotation) is Annotated:
        return _kind_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        kinds = [part for part in get_args(annotation) if part is not NoneType]
        return _kind_of(kinds[0]) if len(kinds) == 1 else None
    return annotation
