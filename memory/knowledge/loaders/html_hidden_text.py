"""What an HTML page says and does not show: by an attribute, by the style of an element, or by a rule of a style sheet.

`tinycss2` reads style sheets and colours, and `cssselect2` tells which rules are for an element. Sheets in other files
are not known, the screen has `WIDTH` pixels and a white ground, and nobody points at anything (`:hover`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from cssselect2 import ElementWrapper, Matcher, compile_selector_list
from lxml import etree
from lxml.html import HtmlElement
from tinycss2 import parse_blocks_contents, parse_component_value_list, parse_stylesheet, serialize
from tinycss2.color4 import Color, parse_color

# Rules and values -----------------------------------------------------------------------------------------------------

Declared = dict[tuple[bool, str], str]  # what a rule says: values by property; True for `!important` ones

WIDTH, NESTED = 1200.0, 5
"""Pixels of the screen, and how deep rules may lie in rules and variables in variables."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_FEATURE = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d*\.?\d+)\s*(px|em|rem)\s*\)")
_LENGTH = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
_SIZE_OF_FONT = re.compile(r"(?:^|\s)((?:\d*\.?\d+)(?:px|pt|em|rem|%|vw|vh|cm|mm|in)|0)(?=[\s/])")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
PIXELS = {"pt": 1.3, "em": 16.0, "rem": 16.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "%": 10.0}
SHARES = {"%": 0.01}


class Style(dict[str, str]):
    """The values that hold for an element; of what is not said, an empty one."""

    def __missing__(self, name: str) -> str:
        return ""


@lru_cache(maxsize=8)
class _Sheet:
    """The rules of a page's style sheets, read once, as the pages of a site have the same ones."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._matcher, self._variables, rules = Matcher(), Style(), dict[str, Declared]()
        for sheet in sheets:
            for selector, said in _rules(parse_stylesheet(_COMMENT.sub("", sheet), True, True)):
                self._variables |= {name: value for (_, name), value in said.items() if name.startswith("--")}
                rules[selector] = rules.pop(selector, {}) | said  # it counts where it is said last
        for selector, said in rules.items():
            with suppress(ValueError, SyntaxError, RecursionError):  # it is none, or its parts lie too deep
                for one in compile_selector_list(selector):
                    if one.pseudo_element is None:
                        self._matcher.add_selector(one, said)

    def met(self, root: HtmlElement) -> dict[HtmlElement, Declared]:
        """What the rules say of the elements of a page, of those that there are rules for."""
        found: dict[HtmlElement, Declared] = {}
        for element in ElementWrapper.from_html_root(root).iter_subtree() if self._matcher.order else ():
            for *_, said in self._matcher.match(element):
                found[element.etree_element] = found.get(element.etree_element, {}) | said
        return found

    def style(self, said: Declared, own: str) -> Style:
        """The style of an element, given what the rules say of it and its own `style`."""
        style = _style(said | _own(own) if own else said)
        return Style((name, self._with_variables(value, style)) for name, value in style.items())

    def _with_variables(self, value: str, style: Style) -> str:
        def meant(found: re.Match[str]) -> str:
            return (style[found[1]] or self._variables[found[1]] or found[2] or "")[:100]

        for _ in range(NESTED if "var(" in value else 0):
            value = _VARIABLE.sub(meant, value[:1000])
        return value.strip()


def _style(said: Declared) -> Style:
    return Style((name, value) for (_, name), value in sorted(said.items()))


def _rules(nodes: Sequence[Any], depth: int = 0) -> Iterator[tuple[str, Declared]]:
    """Selectors and what is declared for them, also behind `@media` and the like."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield _said(node.prelude), _declared(parse_blocks_contents(node.content, True, True))
        elif node.type != "at-rule" or not node.content or depth == NESTED:
            continue
        elif _holds(node.lower_at_keyword, _said(node.prelude)):
            yield from _rules(parse_blocks_contents(node.content, True, True), depth + 1)


def _said(tokens: Sequence[Any]) -> str:
    return str(serialize(tokens)).strip().casefold()[:10_000]


def _declared(nodes: Iterable[Any]) -> Declared:
    found = Declared()
    for node in (one for one in nodes if one.type == "declaration"):
        order, name, value = node.important, node.lower_name.removeprefix("-webkit-"), _said(node.value)
        if name == "font" and (size := _SIZE_OF_FONT.search(value)):
            found[order, "font-size"] = size[1]
        elif value:
            found[order, name] = value
    return found


@lru_cache(maxsize=1_000)
def _own(style: str) -> Declared:
    return _declared(parse_blocks_contents(_COMMENT.sub("", style), True, True))


def _sheets_of(root: HtmlElement) -> tuple[str, ...]:
    """The style sheets in a page itself that are for a screen."""
    sheets = (one for one in root.iter("style") if one.get("type", "").lower() in ("", "text/css"))
    return tuple(one.text or "" for one in sheets if _holds("media", one.get("media", "").lower()))


def _holds(kind: str, condition: str) -> bool:
    """Whether rules behind `@kind condition` are for the screen."""
    return any(map(_meant, condition.split(","))) if kind == "media" else not kind.endswith("keyframes")


def _meant(query: str) -> bool:
    """Whatever a query asks for but the width is not known, and held not to be so."""
    for least, width, unit in _FEATURE.findall(query):
        pixels = float(width) * PIXELS.get(unit, 1.0)
        if pixels > WIDTH if least == "min" else pixels < WIDTH:
            return False
    return not set(_FEATURE.sub(" ", query).split()) - {"screen", "all", "only", "and"}


def length(value: str, units: Mapping[str, float] = PIXELS, otherwise: float = float("nan")) -> float:
    """The length that a value begins with, in these units; `otherwise` where it begins with none."""
    found = _LENGTH.match(value)
    return float(found[1]) * units.get(found[2] or "", 1.0) if found else otherwise


Colour = tuple[float, ...] | None
"""Red, green and blue, 0 to 1; () for one that is not seen, None for one that is not known."""

CLEAR, NEAR = 0.05, 0.095
"""How much of a colour nobody sees; and what the parts of two colours that look the same differ by at most."""


@lru_cache(maxsize=1_000)
def colour(said: str) -> Colour:
    """The first of a value; a picture and a gradient are not known."""
    for token in parse_component_value_list(said):
        made = None
        with suppress(ValueError, LookupError):  # it has too few parts
            made = parse_color(token)
        if isinstance(made, Color) and made.alpha < CLEAR:
            return ()
        if isinstance(made, Color) and made.space in ("srgb", "hsl", "hwb"):
            return tuple(min(part or 0.0, 1.0) for part in made.to("srgb").coordinates)
        if token.type in ("url", "function"):
            return None
    return None


def alike(one: Colour, other: Colour) -> bool:
    """Whether two colours are known and look the same, or neither is seen."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(abs(a - b) <= NEAR for a, b in zip(one, other, strict=True))


# What is hidden ------------------------------------------------------------------------------------------------------

FAR, TOO_FAR = -500.0, 5_000.0
"""Pixels from where something is left of the screen or above it, and from where it is too far to the right to go."""

TINY = 1.5
"""Pixels of letters that nobody reads."""

_AS_AROUND = ("", "inherit", "currentcolor", "unset", "revert")
_CALLED = ("transform", "filter", "clip-path", "clip")
_CALL = re.compile(r"([\w-]+)\(([^()]{0,200})")
_ARGUMENT = re.compile(rf"{_LENGTH.pattern}|auto")


class _Look(NamedTuple):
    """What the letters of an element have, by itself or by those that it lies within."""

    ground: Colour = (1.0,) * 3
    colour: Colour = None
    size: float = 16.0
    indent: float = 0.0
    visible: bool = True

    @property
    def is_seen(self) -> bool:
        has_place = self.size > TINY and self.indent > FAR
        return self.visible and has_place and self.colour != () and not alike(self.colour, self.ground)


def hidden_elements(root: HtmlElement) -> list[tuple[HtmlElement, bool]]:
    """The elements of which nothing is seen (True), the outermost ones; and of others, those whose own words are not
    (False): something within is. Attributes are in small letters then, as selectors are."""
    sheet = _Sheet(_sheets_of(root))
    for element in root.iter():
        for name, value in element.items():
            with suppress(ValueError):  # lxml reads more than it takes back
                element.set(name, value.lower())
    rules = sheet.met(root)
    found: list[tuple[HtmlElement, bool]] = []
    looks, begun, shown = [_Look()], list[int](), [True]
    for event, element in (walk := etree.iterwalk(root, events=("start", "end"))):
        if event == "end":
            look, start = looks.pop(), begun.pop()
            if shown.pop():
                shown[-1] = True
            elif not look.is_seen:
                found[start:] = [(element, True)]
            continue
        style = sheet.style(rules.get(element, {}), element.get("style", ""))
        hidden = {"hidden", "popover"} & set(element.keys()) or (style and _hides(style))
        own = element.get({"font": "color", "body": "text"}.get(element.tag, "none"), "")
        look = _look(style, looks[-1], own, element.get("bgcolor", ""))
        looks.append(look._replace(visible=False) if hidden else look)
        begun.append(len(found))
        shown.append(looks[-1].is_seen)
        if hidden:
            walk.skip_subtree()
        elif not shown[-1] and any(one and one.strip() for one in own_words(element)):
            found.append((element, False))
    return found


def own_words(element: HtmlElement) -> list[str | None]:
    return [element.text, *(child.tail for child in element)]


def is_unseen(styles: Iterable[str]) -> bool:
    """Whether nothing is seen of letters within elements of these styles, the outermost first."""
    look = _Look()
    for style in map(_style, map(_own, styles)):
        if _hides(style):
            return True
        look = _look(style, look)
    return not look.is_seen


def _look(style: Style, around: _Look, own: str = "", given: str = "") -> _Look:
    """`own` and `given` are the colours of letters and ground that attributes say."""
    if not (style or own or given):
        return around
    own, given = (f"#{one}" if re.fullmatch("(?:[0-9a-f]{3}){1,2}", one) else one for one in (own, given))
    words, visible = style["color"] or own, style["visibility"]
    words = "inherit" if style["background-clip"] == "text" else words  # they are cut out of what is behind them
    flat = style["background-color"] or style["background"] or given
    ground = style["background-image"] if style["background-image"] not in ("", "none") else flat
    below = around.ground if ground in ("none", *_AS_AROUND) else colour(ground)
    return _Look(
        around.ground if below == () else below,
        around.colour if words in _AS_AROUND else colour(words),
        length(style["font-size"], PIXELS | {"em": around.size, "%": around.size / 100}, around.size),
        length(style["text-indent"], otherwise=around.indent),
        around.visible if visible in _AS_AROUND else not visible.startswith(("hidden", "collapse")),
    )


def _hides(style: Style) -> bool:
    """Whether nothing of an element is seen, whatever those within it say."""
    if style["display"] == "none" or _is_away(style) or _is_cut(style):
        return True
    if {style["animation"], style["animation-name"]} - {"", "none"}:  # it fades or flies in, as a rule
        return False
    calls = " ".join([f"opacity({style['opacity']})", *map(style.__getitem__, _CALLED)])
    return any(_leaves_nothing(name, said) for name, said in _CALL.findall(calls))


def _leaves_nothing(function: str, said: str) -> bool:
    its = _ARGUMENT.findall(said)
    shares = [float(number or "nan") * SHARES.get(unit, 1.0) for number, unit in its]
    match function:
        case "opacity" | "scale" | "scalex" | "scaley":
            return any(abs(one) <= CLEAR for one in shares)
        case "translate" | "translatex" | "translatey":
            return any(float(number or 0) <= FAR for number, unit in its if unit != "%")
        case "circle":
            return 0 in shares[:1]
        case "inset":
            return [unit for _, unit in its[:1]] == ["%"] and shares[0] >= 0.5
        case "rect" if len(its) == 4:
            top, right, bottom, left = shares
            return bottom - top <= 1 or right - left <= 1
    return False


def _is_away(style: Style) -> bool:
    """Whether it is placed off the screen."""
    if any(length(style[name]) <= FAR and "%" not in style[name] for name in ("margin-left", "margin-top")):
        return True
    placed = style["position"].startswith(("absolute", "fixed", "relative", "sticky"))
    is_far = any(length(style[side]) <= FAR for side in ("left", "right", "top", "bottom"))
    return placed and (is_far or length(style["left"]) >= TOO_FAR)


def _is_cut(style: Style) -> bool:
    """Whether it has no place, and what goes beyond that is not shown."""
    overflow = " ".join(style[name] for name in ("overflow", "overflow-x", "overflow-y")).split()
    sizes = (style[name] for name in ("height", "max-height", "width", "max-width"))
    return bool({"hidden", "clip"} & set(overflow)) and any(length(one) <= 1 for one in sizes)
