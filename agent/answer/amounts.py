"""Amounts in a text: numbers with the unit that they are counted in, so that two of one unit can be compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from clew.memory.text import FUNCTION_WORDS, NUMBER_WORDS, stemmed_words

_UNITS = """
second 1 second seconds sec secs s
second 60 minute minutes min mins minuten
second 3600 hour hours h hr hrs stunde stunden heure heures hora horas ora ore
second 86400 day days tag tage tagen jour jours día días giorno giorni
second 604800 week weeks woche wochen semaine semaines semana semanas settimana settimane
month 1 month months monat monate monaten mois mes meses mese mesi
month 12 year years yr yrs jahr jahre jahren an ans année années año años anno anni
metre .001 mm millimetre millimetres
metre .01 cm centimetre centimetres centimeter centimeters
metre 1 m metre metres meter meters
metre 1000 km kilometre kilometres kilometer kilometers
foot 1 ft foot feet
foot .0833333 inch inches
mile 1 mile miles
gram 1 g gram grams gramme grammes
gram 1000 kg kilo kilos kilogram kilograms
gram 1000000 t tonne tonnes ton tons
pound 1 lb lbs
litre .001 ml
litre .01 cl
litre .1 dl
litre 1 l litre litres liter liters
percent 1 % percent prozent
€ 1 € eur euro euros
$ 1 $ usd dollar dollars
£ 1 £ gbp
byte 1000 kb
byte 1000000 mb
byte 1000000000 gb
degree 1 ° °c degree degrees
"""
_WORDS = {word: value for value, word in enumerate(NUMBER_WORDS)} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
    "hundred": 100,
}
_TIMES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12, "hundred": 1e2, "k": 1e3}
_DIGITS = r"\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_AMOUNT = re.compile(
    rf"(?<![\w.,:/-])(?P<before>[€$£]|eur\b|usd\b|gbp\b)?\s?(?P<number>{_DIGITS}|\b(?:{'|'.join(_WORDS)})\b)(?![\d:]|[.,/-]\d)"
    rf"(?:[ -]?(?P<times>{'|'.join(_TIMES)})\b)?[ \u00a0-]?(?P<after>[€$£%°]C?|[^\W\d_]+)?(?P<next>[ -][^\W\d_]+)?",
    re.IGNORECASE,
)
_SINGULAR = re.compile(
    r"\b(?:second|minute|hour|day|week|month|year|euro|dollar|litre|liter|metre|meter|mile|pound|gram)$"
)
_PER = re.compile(
    r"[^\w.;]{0,3}(?:(?:per|a|an|each|every|pro|par|por|al|all')\s+|/\s?)(?P<what>[^\W\d_]+)"
    r"|\s(?P<each>each|apiece)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """`text[start:end]`: `value` in `unit`, a base unit or the stem of what is counted, empty where it has none. `per`
    is the stem of what it is for each one of (`45 euros a night`), empty where it says none. `factor` is how many of
    the unit the written one is, and `number` where the number stands without it."""

    start: int
    end: int
    value: float
    unit: str
    per: str = ""
    factor: float = 1.0
    number: tuple[int, int] = (0, 0)

    def written(self, text: str, value: float) -> str:
        """Another value as this one is written in its text: `€45`, `45 euros`."""
        first, last = self.number
        shown = plain_number(value / self.factor)
        if self.unit in ("€", "$", "£") and "." in shown:
            shown = f"{value / self.factor:,.2f}"
        unit = text[last : self.end]
        many = "s" if self.value == self.factor and value != self.value and _SINGULAR.search(unit) else ""
        return f"{text[self.start : first]}{shown}{unit}{many}"

    @property
    def measured(self) -> bool:
        """Whether it is in a unit of measure or money, and counts no things."""
        return self.unit in _bases()

    def agrees(self, other: "Amount") -> bool:
        """Whether both are of one unit, for one of the same."""
        return self.unit == other.unit != "" and self.per == other.per


def amounts(text: str) -> list[Amount]:
    """In the order of the text. A number that reads in two ways (`1.200`) is none."""
    return list(_found(text))


def _found(text: str) -> Iterator[Amount]:
    for match in _AMOUNT.finditer(text):
        number = match["number"].casefold()
        if re.fullmatch(r"\d{1,3}\.\d{3}", number):
            continue
        value = _value(number) * _TIMES.get((match["times"] or "").casefold(), 1)
        unit, factor, end = _unit(match)
        if number == "one" and unit not in _bases():
            continue  # "the one that", "no one"
        per = _PER.match(text, end)
        what = (per["what"] or "each") if per else ""
        number_end = match.end("times") if match["times"] else match.end("number")
        start = match.start("before") if match["before"] else match.start("number")
        place = (match.start("number"), number_end)
        yield Amount(start, end, value * factor, unit, stem(what), factor, place)


def plain_number(value: float) -> str:
    """`1,200`, `45.5`."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def _value(number: str) -> float:
    if number in _WORDS:
        return _WORDS[number]
    if re.fullmatch(r"\d+,\d{1,2}", number):
        return float(number.replace(",", "."))
    return float(re.sub(r"[,  ]", "", number))


def _unit(match: re.Match[str]) -> tuple[str, float, int]:
    """The base unit, how many of it the unit is, and where the amount ends."""
    known, before, after = _known(), (match["before"] or "").casefold(), (match["after"] or "").casefold()
    number_end = match.end("times") if match["times"] else match.end("number")
    if before:
        return *known[before], number_end
    if after in known:
        return *known[after], match.end("after")
    if not after or after in FUNCTION_WORDS:
        return "", 1.0, number_end
    behind = (match["next"] or "").strip(" -").casefold()
    if behind and behind not in FUNCTION_WORDS and behind.endswith("s") and not after.endswith("s"):  # "two large eggs"
        return stem(behind), 1.0, match.end("next")
    return stem(after), 1.0, match.end("after")


def stem(word: str) -> str:
    return stemmed_words(word)[0] if stemmed_words(word) else ""


@cache
def _known() -> dict[str, tuple[str, float]]:
    """Form -> its base unit and how many of that it is."""
    lines = (line.split() for line in _UNITS.strip().splitlines())
    return {form: (base, float(factor)) for base, factor, *forms in lines for form in forms}


@cache
def _bases() -> frozenset[str]:
    return frozenset(base for base, _ in _known().values())
