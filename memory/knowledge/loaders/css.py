"""What a page's style sheets say of an element, as far as it can be known without a browser.

Selectors are those of tags, classes, ids and attributes, and of what these are within; of other ones (`:hover`,
`a + b`) nothing is known. A rule for some screens holds where one of 1,200 pixels is meant, none for print does.
"""

import colorsys
import re
from collections.abc import Iterator, Sequence, Set
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clew.memory.text import word_lists

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Style = dict[str, str]
Colour = tuple[float, ...] | None
"""Red, green and blue, 0 to 255; () for one that is not seen, None for one that is not known."""

Compound = frozenset[str]
"""What one element has to have: `p`, `.note`, `#end`, `[data-x]`, `[data-x=1]`, `*`."""

WIDTH = 1200.0
"""Pixels of the screen that rules are read for."""

NEAR = 24.0
"""Two colours of which no part, of 255, differs more look the same."""

MOST = 300
"""Rules for one name that are looked at, each for each element that has it."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|([^\n0-9a-f]))", re.I)
_AT = re.compile(r"@(media|supports|container)\b([^{}@]*+)\{((?:[^{}]*\{[^{}]*\})*+[^{}]*)\}", re.I)
_NESTED = 3
"""How deep rules for some screens may lie in one another."""

_FEATURE = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d*\.?\d+)\s*(px|em|rem)\s*\)")
_RULE = re.compile(r"(?<![^{};])([^{};]++)\{([^{}]*)\}")
_SIMPLE = r"[.#][\w-]+|\[[\w-]+(?:=(?:\"[^\"\]]*\"|'[^'\]]*'|[\w-]+))?\]"
_COMPOUND = re.compile(rf"(?:[\w-]+|\*)?(?:{_SIMPLE})*")
_PART = re.compile(rf"{_SIMPLE}|[\w-]+|\*")
_WITHIN = re.compile(r"\s*>\s*|\s+")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_ONE_TERM = re.compile(r"\b(?:calc|max|min)\(\s*([-+]?[\w.%+-]+)\s*\)")
_SIZE_OF_FONT = re.compile(r"(?:^|\s)((?:\d*\.?\d+)(?:px|pt|em|rem|%|vw|vh|cm|mm|in)|0)(?=[\s/])")
_LENGTH = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
_PIXELS = {"pt": 1.3, "em": 16.0, "rem": 16.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "%": 10.0}


class _Rule(NamedTuple):
    """`parent` and `around`: what the element that it is in has to have, and some that it lies within."""

    own: Compound
    parent: Compound | None
    around: tuple[Compound, ...]


class Matched(NamedTuple):
    """Of an element: what is known of it, and what of the compounds is met by it and by one that it lies within."""

    names: Set[str]
    met: Set[Compound]
    around: Set[Compound]


OUTSIDE = Matched(frozenset(), frozenset(), frozenset())


class Sheet:
    """Of a page: its rules, one style for each selector however often it is said."""

    def __init__(self, css: str) -> None:
        self._rules: dict[str, dict[_Rule, tuple[int, Style]]] = {}
        self._wanted: dict[str, set[Compound]] = {}
        self._variables: Style = {}
        css = _unescaped(_for_this_screen(_COMMENT.sub("", css)))
        for number, (selectors, body) in enumerate(_RULE.findall(css)):
            style = declared(body)
            self._variables |= {name: value for name, value in style.items() if name.startswith("--")}
            for rule in _rules_of(selectors) if style else ():
                rules = self._rules.setdefault(_key(rule.own), {})
                if rule not in rules and len(rules) == MOST:
                    continue
                before = rules.get(rule, (0, Style()))[1]
                rules[rule] = (number, over(before, style))
                for needed in filter(None, (rule.parent, *rule.around)):
                    self._wanted.setdefault(_key(needed), set()).add(needed)

    def place(self, element: "HtmlElement", inside: Matched) -> Matched:
        """Of an element, in that of the one that it is in."""
        if not self._rules:
            return OUTSIDE
        names = {str(element.tag), "*"}
        for name, value in element.items():
            names |= {f"[{name}]", f"[{name}={value}]"}
            names |= (
                {f".{one}" for one in value.split()} if name == "class" else {f"#{value}"} if name == "id" else set()
            )
        met = {needed for name in names & self._wanted.keys() for needed in self._wanted[name] if needed <= names}
        return Matched(names, met, inside.around | inside.met if inside.met - inside.around else inside.around)

    def style(self, place: Matched, inside: Matched, own: str) -> Style:
        """What is said of it, the stronger last (the more exact, then the later one, then its own)."""
        if not own and not place.names:
            return {}
        found = list[tuple[int, int, Style]]()
        for name in place.names & self._rules.keys():
            for rule, (number, style) in self._rules[name].items():
                if (
                    rule.own <= place.names
                    and (rule.parent is None or rule.parent in inside.met)
                    and all(one in inside.met or one in inside.around for one in rule.around)
                ):
                    found.append((_strength(rule), number, style))
        merged = Style()
        for _, _, style in sorted(found, key=lambda one: one[:2]):
            merged = over(merged, style)
        merged = over(merged, declared(_unescaped(_COMMENT.sub("", own)))) if own else merged
        return {name: self._with_variables(value, merged) for name, value in merged.items()} if merged else merged

    def _with_variables(self, value: str, style: Style) -> str:
        def meant(found: re.Match[str]) -> str:
            return style.get(found[1], self._variables.get(found[1], found[2] or ""))[:100]

        for _ in range(_NESTED if "var(" in value else 0):
            value = _VARIABLE.sub(meant, value[:1000])
        return value.strip()


def over(style: Style, later: Style) -> Style:
    return style | {name: value for name, value in later.items() if not style.get(name, "").endswith("!important")}


def declared(body: str) -> Style:
    pairs = (declaration.partition(":") for declaration in body[:10_000].casefold().split(";"))
    style = Style()
    for name, value in ((name.strip(), _ONE_TERM.sub(r"\1", value.strip())) for name, _, value in pairs):
        if name == "font" and (size := _SIZE_OF_FONT.search(value)):
            style["font-size"] = size[1]
        elif name in ("inset", "margin") and (sides := value.split()):
            style |= {f"{name} top": sides[0], f"{name} left": (sides * 4)[3 if len(sides) > 1 else 0]}
        elif value:
            style[name] = value
    return style


def _unescaped(css: str) -> str:
    """What is written by its number is itself, but where it would be a mark of the language."""

    def letter(found: re.Match[str]) -> str:
        one = chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2]
        return one if re.match(r"[\w-]", one) else ""

    return _ESCAPED.sub(letter, css) if "\\" in css else css


def _for_this_screen(css: str) -> str:
    for _ in range(_NESTED if "@" in css else 0):
        css = _AT.sub(lambda found: found[3] if _holds(found[1].lower(), found[2].lower()) else "", css)
    return css


def _holds(kind: str, condition: str) -> bool:
    if kind != "media":
        return kind == "supports" and not condition.strip().startswith("not")
    return any(map(_meant, condition.split(",")))


def _meant(query: str) -> bool:
    """Whether a query is for a screen of `WIDTH`; what else it may ask for is not known, and not held to be so."""
    for least, width, unit in _FEATURE.findall(query):
        pixels = float(width) * _PIXELS.get(unit, 1.0)
        if pixels > WIDTH if least == "min" else pixels < WIDTH:
            return False
    return not set(_FEATURE.sub(" ", query).split()) - {"screen", "all", "only", "and"}


def _rules_of(selectors: str) -> Iterator[_Rule]:
    for selector in selectors.split(","):
        parts = [part for part in _WITHIN.split(selector.strip()) if part]
        if not parts or not all(map(_COMPOUND.fullmatch, parts)):
            continue
        compounds = [frozenset(_plain(one) for one in _PART.findall(part)) for part in parts]
        close = len(parts) > 1 and ">" in selector.rpartition(parts[-1])[0].rpartition(parts[-2])[2]
        yield _Rule(compounds[-1], compounds[-2] if close else None, tuple(compounds[: -2 if close else -1]))


def _plain(simple: str) -> str:
    if simple.startswith("["):
        return simple.replace('"', "").replace("'", "")
    return simple if simple[0] in ".#" else simple.lower()


def _key(compound: Compound) -> str:
    """Under which it is looked for: what fewest elements have."""
    return max(compound, key=lambda one: ("*.[#".find(one[0]), one))


def _strength(rule: _Rule) -> int:
    parts = [part for compound in (rule.own, rule.parent or frozenset(), *rule.around) for part in compound]
    return sum({"#": 10_000, ".": 100, "[": 100, "*": 0}.get(part[0], 1) for part in parts)


# Values ---------------------------------------------------------------------------------------------------------------


def pixels(value: str) -> float:
    """Of a length; not a number where it is none."""
    found = _LENGTH.match(value)
    return float(found[1]) * _PIXELS.get(found[2] or "", 1.0) if found else float("nan")


def lengths(value: str) -> list[float]:
    """Of all lengths in it, in pixels."""
    return [float(number) * _PIXELS.get(unit, 1.0) for number, unit in _LENGTH.findall(value[:200])]


def share(value: str) -> float:
    """Of a number, or of a hundred."""
    found = _LENGTH.match(value)
    return float(found[1]) / (100 if found[2] == "%" else 1) if found else float("nan")


def letters(value: str, around: float) -> float:
    """The size in pixels of letters in ones that have `around`."""
    found = _LENGTH.match(value)
    if found and found[2] in ("em", "%"):
        return float(found[1]) * around / (100 if found[2] == "%" else 1)
    return pixels(value) if found else around


def colour(said: str) -> Colour:
    said = said.removesuffix("!important").strip()
    if found := re.match(r"#([0-9a-f]{3,8})\b", said):
        digits = found[1] if len(found[1]) > 4 else "".join(2 * digit for digit in found[1])
        parts = [float(int(digits[place : place + 2], 16)) for place in range(0, len(digits) - 1, 2)]
        parts[3:] = [part / 255 for part in parts[3:]]
    elif said.startswith(("rgb", "hsl")):
        numbers = _LENGTH.findall(said[3:60].lstrip("a"))
        whole = 1.0 if said.startswith("hsl") else 255.0
        parts = [float(one) * (whole / 100 if unit == "%" else 1.0) for one, unit in numbers[:3]]
        parts += [float(one) / (100 if unit == "%" else 1) for one, unit in numbers[3:]]
        if said.startswith("hsl") and len(parts) > 2:
            parts[:3] = _of_hue(parts[:3])
    else:
        named = _named().get(said.split(" ")[0])
        return () if said.startswith("transparent") else colour(f"#{named}") if named else None
    if len(parts) < 3:
        return None
    return () if len(parts) > 3 and parts[3] < 0.05 else tuple(parts[:3])


def alike(one: Colour, other: Colour) -> bool:
    """Whether two colours look the same."""
    return all(abs(a - b) <= NEAR for a, b in zip(one or (), other or (), strict=True))


def _of_hue(parts: Sequence[float]) -> list[float]:
    hue, saturation, light = parts
    return [255.0 * one for one in colorsys.hls_to_rgb(hue / 360 % 1.0, light, saturation)]


@cache
def _named() -> dict[str, str]:
    words = word_lists(Path(__file__).with_name("css.txt"))["colours"]
    return dict(word.split("=") for word in words)
