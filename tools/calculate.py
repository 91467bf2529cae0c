"""Sums over numbers with units, and over days: the tree of an expression (`ast`) is worked out, and nothing is run."""

import ast
import operator
import re
from calendar import monthrange
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from math import prod

from clew.memory.dates import found_dates
from clew.memory.errors import BadInput
from clew.memory.knowledge.tables import decimal_mark, plain_number
from clew.memory.text import FUNCTION_WORDS, content_words

CALCULATE = "calculate"
"""The name of the tool."""

HINT = "write it as 1,200 EUR - 950 EUR, 19% * 250, 3 km to m, 2024-05-01 + 30 days or 2024-05-01 - 2024-03-15"

LONGEST = 200
"""Characters of an expression."""

COUNTS = frozenset(map(Decimal, (*range(13), 24, 30, 52, 60, 100, 365, 1000)))
"""Numbers that a sum may have although no document says them: of parts, months, days, hundredths."""

LARGEST = 30
"""A power of a number."""

OF_DAYS = "to a day, days, weeks, months or years are added, and two days are subtracted"

_UNITS: dict[str, tuple[str, Decimal]] = {
    name: (base, Decimal(size))
    for base, sizes in {
        "m": "mm=.001 cm=.01 m=1 km=1000 millimetre=.001 centimetre=.01 metre=1 kilometre=1000",
        "g": "mg=.001 g=1 kg=1000 t=1000000 gram=1 kilogram=1000 tonne=1000000",
        "l": "ml=.001 cl=.01 l=1 litre=1",
        "s": "ms=.001 s=1 min=60 h=3600 second=1 minute=60 hour=3600 day=86400 week=604800",
        "month": "month=1 quarter=3 year=12",
    }.items()
    for name, _, size in (one.partition("=") for one in sizes.split())
}
"""Units that another one stands for, and how many of that."""

_INTO = re.compile(r"(.*\d.*)\s(?:to|in)\s([^\W\d_]+(?:/[^\W\d_]+)?)")
_OPERAND = re.compile(r"[€$£]?\s?\d(?:[\d,.]*\d)?(?:\s?(?:[^\W\d_]+|[€$£%]|°[^\W\d_]?))?(?:/[^\W\d_]+)?")
_SIGNED = re.compile(r"(?<!\w)[-\u2212\u2013]$")
_THOUSANDS = re.compile(r"(?<=\d[ \u00a0\u202f])\d{3}(?![\d.,]\d)")
_SECOND_UNIT = re.compile(r"\s?(?:[A-Z]{3}\b|[€$£])")
_CODE = re.compile(r"\b([A-Z]{3})[ \u00a0]?$")
YEAR = re.compile(r"1\d{3}|20\d{2}")
_DIGITS = re.compile(r"\d(?:[\d,.]*\d)?")
_SIGNS = str.maketrans("×÷−–", "*/--")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, and what it counts; empty: it is a bare number."""

    value: Decimal
    unit: str = ""

    def __str__(self) -> str:
        """With four places at most. Raises `ArithmeticError` where that is more than 28 digits."""
        number = f"{round(self.value, 4):,f}"
        number = number.rstrip("0").rstrip(".") if "." in number else number
        return number + (f" {self.unit}" if self.unit not in ("", "%") else self.unit)


Operand = Quantity | date


def calculate(expression: str) -> str:
    """The expression with its result: of numbers, percents, units and days, with + - * / ** and brackets; `to` a unit
    behind it. Raises `BadInput` for what is no such sum."""
    shown = " ".join(expression.partition("=")[0].split())
    if len(shown) > LONGEST:
        raise BadInput(f"the expression has {len(shown)} characters, and may have {LONGEST}", HINT)
    into = _INTO.fullmatch(shown)
    text = into[1] if into else shown
    found = _operands(text)
    for n, (start, end, _) in reversed([*enumerate(found)]):
        text = f"{text[:start]} _{n} {text[end:]}"
    try:
        tree = ast.parse(text.strip().translate(_SIGNS), mode="eval")
        result = _value(tree.body, [operand for _, _, operand in found])
        result = _as(result, into[2]) if into and isinstance(result, Quantity) else result
        return f"{shown} = {result}"
    except (SyntaxError, ArithmeticError, ValueError, RecursionError, LookupError) as error:
        raise BadInput(f"'{shown}' cannot be worked out{_why(error)}", HINT) from error


def number(text: str) -> Decimal:
    """The value of 1,200.50, 1.200,50 or 12,5. Raises `ArithmeticError` for what is no number."""
    return Decimal(plain_number(text, decimal_mark([text])))


def in_text(text: str) -> list[Decimal | date]:
    """The numbers and days of a text, without their units; of 1.200, which can be read both ways, both."""
    text += "\n" + re.sub(r"(?<=\d)\.(?=\d{3}(?!\d))", "", text)
    return [value.value if isinstance(value, Quantity) else value for _, _, value in _operands(text)]


def measured(text: str) -> Iterator[tuple[str, str]]:
    """The unit of each number that has one, stemmed, and the number as it is written; that of a day is days, of a year
    that stands alone years. What has a sign, thousands apart (1 250 EUR) or two units (2 million EUR) is left out."""
    for start, end, value in _operands(text):
        parts = value.unit.split() if isinstance(value, Quantity) else ["days"]
        units, written = [one for one in parts if one.casefold() not in FUNCTION_WORDS], text[start:end].strip()
        start = text.index(written, start)
        if _SIGNED.search(text, 0, start) or _THOUSANDS.match(text, start) or (units and _SECOND_UNIT.match(text, end)):
            continue
        for word in parts:  # '1987 in Kiel'
            written = written if word in units else written.removesuffix(word).strip()
        if not units and YEAR.fullmatch(written):
            units = ["years"]
        elif not units and (code := _CODE.search(text, 0, start)):
            units, written = [code[1]], f"{written} {code[1]}"
        if units:
            yield next(iter(content_words(units[0])), units[0]), written


def _operands(text: str) -> list[tuple[int, int, Operand]]:
    """The days and numbers of an expression, with where they stand."""
    days = [one for one in found_dates(text) if one.date.day and one.date.year and not one.last]
    found: list[tuple[int, int, Operand]] = [(one.start, one.end, date.fromisoformat(one.date.iso)) for one in days]
    for match in _OPERAND.finditer(text):
        if all(match.end() <= start or end <= match.start() for start, end, _ in found):
            (digits,) = _DIGITS.findall(match[0])
            with suppress(ArithmeticError):
                value = Quantity(number(digits), match[0].replace(digits, "").strip())
                found.append((match.start(), match.end(), value))
    return sorted(found, key=lambda one: one[0])


def _value(node: ast.expr, operands: list[Operand]) -> Operand:
    match node:
        case ast.Name(id=name) if name[1:].isdigit():
            return operands[int(name[1:])]
        case ast.UnaryOp(op=ast.USub(), operand=inner) if isinstance(value := _value(inner, operands), Quantity):
            return replace(value, value=-value.value)
        case ast.BinOp(left=left, op=sign, right=right):
            return _combined(type(sign), _value(left, operands), _value(right, operands))
    raise ValueError("only + - * / ** and brackets stand between numbers")


def _combined(sign: type[ast.operator], one: Operand, two: Operand) -> Operand:
    if isinstance(one, Quantity) and isinstance(two, Quantity):
        return _of_quantities(sign, one, two)
    if isinstance(one, date) and isinstance(two, date) and sign is ast.Sub:
        return Quantity(Decimal((one - two).days), "days")
    if isinstance(one, date) and isinstance(two, Quantity) and sign in (ast.Add, ast.Sub):
        return _moved(one, two, -1 if sign is ast.Sub else 1)
    if isinstance(one, Quantity) and isinstance(two, date) and sign is ast.Add:
        return _moved(two, one, 1)
    raise ValueError(OF_DAYS)


def _of_quantities(sign: type[ast.operator], one: Quantity, two: Quantity) -> Quantity:
    """A percent is of what it is added to, and in a product a hundredth."""
    work, joins = _OPERATORS[sign], sign in (ast.Add, ast.Sub)
    if joins and two.unit == "%" != one.unit:
        return replace(one, value=one.value * work(Decimal(1), two.value / 100))
    if not joins:
        one, two = (Quantity(each.value / 100) if each.unit == "%" else each for each in (one, two))
    if sign is ast.Pow and (two.unit or one.unit or abs(two.value) > LARGEST):
        raise ValueError(f"a power is of bare numbers, {LARGEST} at most")
    if joins and one.unit and two.unit:
        two = _as(two, one.unit)
    if sign is ast.Mult and one.unit and two.unit:
        return _of_each(one, two)
    if sign is ast.Div and two.unit:
        same = _measure(one.unit)[0] == _measure(two.unit)[0]
        by = _as(two, one.unit) if same else two
        return Quantity(work(one.value, by.value), "" if same else f"{one.unit}/{_bare(two.unit)}")
    return Quantity(work(one.value, two.value), one.unit or two.unit)


def _of_each(one: Quantity, two: Quantity) -> Quantity:
    """`950 EUR/month` times `12 months`, in either order. Raises `ValueError` for other units."""
    for each, count in ((one, two), (two, one)):
        whole, _, part = each.unit.rpartition("/")
        if whole and _measure(part)[0] == _measure(count.unit)[0]:
            return Quantity(each.value * _as(count, part).value, whole)
    raise ValueError(f"{one.unit} times {two.unit} is no unit that is known")


def _as(quantity: Quantity, unit: str) -> Quantity:
    """The same in another unit. Raises `ValueError` where that measures another thing."""
    (base, size), (own, was) = _measure(unit), _measure(quantity.unit)
    if base != own:
        raise ValueError(f"{quantity.unit or 'a bare number'} and {unit} are not the same")
    return Quantity(quantity.value * was / size, unit)


def _measure(unit: str) -> tuple[str, Decimal]:
    """What a unit stands for, and how many of that: `m/s` of `km/h`, and 1 / 3.6."""
    parts = [_UNITS.get(one) or _UNITS.get(_bare(one)) or (_bare(one), Decimal(1)) for one in unit.split("/")]
    bases, (size, *under) = [base for base, _ in parts], [size for _, size in parts]
    return "/".join(bases), size / prod(under, start=Decimal(1))


def _moved(day: date, by: Quantity, sign: int) -> date:
    """Months keep the day of the month, or its last one. Raises `ValueError` for what is no time."""
    unit, count = _bare(by.unit).casefold() or "day", sign * int(by.value)
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    if unit not in ("month", "year"):
        raise ValueError(OF_DAYS)
    year, month = divmod(day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1), 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _bare(unit: str) -> str:
    """`day` of `days`."""
    return unit.removesuffix("s") if len(unit) > 2 else unit


def _why(error: Exception) -> str:
    return f": {error}" if type(error) is ValueError else ": it divides by 0" if "Division" in repr(error) else ""
