"""CSS of a page: which rules of its style sheets are for an element, and what their values come to.

`tinycss2` reads style sheets and colours, and `cssselect2` tells which rules are for an element. Sheets in other files
are not known, the screen has `WIDTH` pixels, nobody points at anything (`:hover`), and animations have ended.
"""

import ast
import operator
import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from cssselect2 import ElementWrapper, Matcher, compile_selector_list
from tinycss2 import parse_blocks_contents, parse_component_value_list, parse_stylesheet, serialize
from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Declared = dict[tuple[int, str], str]
"""What a rule says: values by property, in small letters, `!important` ones at 2, what animations end with at 1."""


class Style(dict[str, str]):
    """The values that hold for an element; of what is not said, an empty one."""

    def __missing__(self, name: str) -> str:
        return ""


Colour = tuple[float, ...] | None
"""Red, green and blue, 0 to 1; () for one that is not seen, None for one that is not known."""

WIDTH = 1200.0
"""Pixels of the screen."""

CLEAR, NEAR, COLOURLESS = 0.05, 0.095, 2.0
"""How much of a colour nobody sees; what the parts of two colours that look the same differ by at most; and how far
from grey, in `lab`, a colour is that looks grey."""

NESTED, LONGEST = 5, 500
"""How deep rules may lie in rules, and letters of a selector."""

STEPS, STEPS_EACH = 1_000_000, 1_000
"""From element to element, that the rules of a page may take, and with each element of it more. Where they take more,
the elements behind are read without rules, so that no page takes for ever."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_FEATURE = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d*\.?\d+)\s*(px|em|rem)\s*\)")
_LENGTH = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
_SIZE_OF_FONT = re.compile(r"(?:^|\s)((?:\d*\.?\d+)(?:px|pt|em|rem|%|vw|vh|cm|mm|in)|0)(?=[\s/])")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_WORKED_OUT = re.compile(r"\b(calc|min|max|clamp)\(([^()]{1,200})\)")
_NAME = re.compile(r'"[^"]*"|[.#][\w-]+')
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
PIXELS = {"pt": 1.3, "em": 16.0, "rem": 16.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "%": 10.0}
SHARES = {"%": 0.01}
_SYSTEM: Mapping[str, Colour] = {"canvas": (1.0,) * 3, "field": (1.0,) * 3, "canvastext": (0.0,) * 3}
AS_AROUND = ("", "inherit", "currentcolor", "unset", "revert")
_OTHER_NAMES = {
    **{f"inset-{axis}-start": side for axis, side in (("inline", "left"), ("block", "top"))},
    **{f"margin-{axis}-start": f"margin-{side}" for axis, side in (("inline", "left"), ("block", "top"))},
    **{
        f"{most}{axis}-size": most + side
        for axis, side in (("inline", "width"), ("block", "height"))
        for most in ("", "max-")
    },
    **{f"-webkit-{name}": name for name in ("clip-path", "mask", "mask-image", "mask-size", "transform", "filter")},
}
_HIDING = frozenset(
    "position left top right bottom overflow overflow-x overflow-y width height max-width max-height text-indent clip "
    "clip-path mask mask-image mask-size opacity filter zoom scale rotate translate transform margin-left margin-top "
    "display visibility content-visibility font-size letter-spacing word-spacing color background background-color "
    "background-image -webkit-text-fill-color -webkit-text-security".split()
)
"""Properties that may hide words, or show them."""


class _TooLong(Exception):
    """The rules of a page take too many steps."""


class _Element(ElementWrapper):  # type: ignore[misc]
    """An element as `cssselect2` asks for it, its names in small letters. Steps to others are counted for the page."""

    def __init__(self, etree_element: "HtmlElement", parent: "_Element | None", *place: Any, **more: Any) -> None:
        self.left: list[int] = parent.left if parent else [STEPS + STEPS_EACH * sum(1 for _ in etree_element.iter())]
        super().__init__(etree_element, parent, *place, **more)
        self.id = etree_element.get("id", "").lower()
        self.classes = set(etree_element.get("class", "").lower().split())

    def step(self, count: int = 1) -> None:
        self.left[0] -= count
        if self.left[0] < 0:
            raise _TooLong

    def _others(self, way: str) -> "Iterator[_Element]":
        one = getattr(self, way)
        while one is not None:
            self.step()
            yield one
            one = getattr(one, way)

    def iter_children(self) -> "Iterator[_Element]":
        for one in super().iter_children():
            self.step(10)
            yield one

    def _siblings(self) -> "list[HtmlElement]":
        self.step(1 + len(self._beside) // 10)
        return self._beside

    def _set_siblings(self, beside: "list[HtmlElement]") -> None:
        self._beside = beside

    ancestors = property(lambda self: self._others("parent"))
    previous_siblings = property(lambda self: self._others("previous"))
    etree_siblings = property(_siblings, _set_siblings)


class _Matcher(Matcher):  # type: ignore[misc]
    @staticmethod
    def add_relevant_selectors(element: _Element, selectors: list[Any], relevant_selectors: list[Any]) -> None:
        element.step(len(selectors))
        Matcher.add_relevant_selectors(element, selectors, relevant_selectors)


def sheet_of(root: "HtmlElement") -> "Sheet":
    """The rules of the style sheets that are in a page."""
    return _read(_sheets_of(root))


@lru_cache(maxsize=8)
def _read(sheets: Sequence[str]) -> "Sheet":
    """Read once, as the pages of a site have the same ones."""
    return Sheet(sheets)


class Sheet:
    """The rules of a page's style sheets."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._matcher, self._variables, self._moments = _Matcher(), Style(), dict[str, Declared]()
        rules: dict[str, Declared] = {}
        for sheet in sheets:
            for selector, said in _rules(parse_stylesheet(_COMMENT.sub("", sheet), True, True)):
                if selector.startswith("@"):
                    self._moments[selector] = self._moments.get(selector, {}) | said
                else:
                    self._variables |= {name: value for (_, name), value in said.items() if name.startswith("--")}
                    rules[selector] = rules.pop(selector, {}) | said  # it counts where it is said last
        for selector, said in rules.items():
            with suppress(ValueError, SyntaxError, RecursionError):  # it is none, or its parts lie too deep
                for one in compile_selector_list(selector):
                    if one.pseudo_element is None:
                        self._matcher.add_selector(one, said)

    def met(self, root: "HtmlElement") -> "dict[HtmlElement, Declared]":
        """What the rules say of the elements of a page, of those that there are rules for."""
        found: dict[HtmlElement, Declared] = {}
        with suppress(_TooLong, RecursionError):
            for element in _Element.from_html_root(root).iter_subtree() if self._matcher.order else ():
                for *_, said in self._matcher.match(element):
                    found[element.etree_element] = found.get(element.etree_element, {}) | said
        return found

    def style(self, said: Declared, own: str) -> Style:
        """Of an element that the rules say this of, and its own `style`."""
        said = said | _own(own) if own else said
        said = said | self._ended(said)
        style = Style((name, value) for (_, name), value in sorted(said.items()))
        return Style((name, self._with_variables(value, style)) for name, value in style.items())

    def _ended(self, said: Declared) -> Declared:
        """What an animation leaves an element with, where it is to stay so."""
        words = [word for (_, name), value in said.items() if name.startswith("animation") for word in value.split()]
        if not words or "infinite" in words or not {"forwards", "both"} & set(words):
            return {}
        moments = ("from", "0%") if "reverse" in words else ("to", "100%")
        ended = [self._moments.get(f"@{word} {moment}", {}) for word in words for moment in moments]
        return {(1, name): value for one in ended for (_, name), value in one.items()}

    def _with_variables(self, value: str, style: Style) -> str:
        def meant(found: re.Match[str]) -> str:
            return (style[found[1]] or self._variables[found[1]] or found[2] or "")[:100]

        if "var(" not in value:
            return value
        for _ in range(NESTED):
            value = _VARIABLE.sub(meant, value[:1000])
        return _worked_out(value.strip())


def _rules(nodes: Sequence[Any], around: Sequence[str] = (), depth: int = 0) -> Iterator[tuple[str, Declared]]:
    """Selectors and what is declared for them, those of rules within rules too; `@name to` and the like for the moments
    of an animation. `around` are the selectors of the rule that the nodes are in."""
    own = _declared(nodes)
    yield from ((selector, own) for selector in around if own)
    for node in nodes if depth < NESTED else ():
        if node.type == "qualified-rule":
            inside = [_within(one, around) for one in _split(node.prelude)]
        elif node.type != "at-rule" or not node.content:
            continue
        elif node.lower_at_keyword.endswith("keyframes"):
            inside = [f"@{_said(node.prelude)}"]
        elif _holds(node.lower_at_keyword, _said(node.prelude)):
            inside = list(around)
        else:
            continue
        inside = [one for one in inside if 0 < len(one) < LONGEST]
        yield from _rules(parse_blocks_contents(node.content, True, True), inside, depth + 1)


def _within(selector: str, around: Sequence[str]) -> str:
    """The selector of a rule that is within a rule, or the name of a moment of an animation."""
    if not around or around[0].startswith("@"):
        return f"{around[0]} {selector}" if around else selector
    outer = f":is({', '.join(around)})"
    return selector.replace("&", outer) if "&" in selector else f"{outer} {selector}"


def _split(tokens: Iterable[Any]) -> Iterator[str]:
    """What commas part; names of classes and ids in small letters, as `_Element` has them."""
    rest = iter(tokens)
    while one := list(takewhile(lambda one: one != ",", rest)):
        with suppress(RecursionError):
            said = str(serialize(one)).strip()
            yield _NAME.sub(lambda found: found[0] if found[0][0] == '"' else found[0].lower(), said)


def _said(tokens: Sequence[Any]) -> str:
    with suppress(RecursionError):  # brackets lie too deep in one another
        return str(serialize(tokens)).strip().casefold()[:10_000]
    return ""


def _declared(nodes: Iterable[Any]) -> Declared:
    found = Declared()
    for node in (one for one in nodes if one.type == "declaration"):
        order, name, value = 2 * node.important, _OTHER_NAMES.get(node.lower_name, node.lower_name), _said(node.value)
        value = _worked_out(value)
        if name == "font" and (size := _SIZE_OF_FONT.search(value)):
            found[order, "font-size"] = size[1]
        elif name in ("inset", "margin") and value:
            top, _, _, left = sides(value.split())
            found |= {(order, f"{name} top"): top, (order, f"{name} left"): left}
        elif value and (name in _HIDING or name.startswith(("--", "animation"))):
            found[order, name] = value
    return found


@lru_cache(maxsize=1_000)
def _own(style: str) -> Declared:
    return _declared(parse_blocks_contents(_COMMENT.sub("", style), True, True))


def _sheets_of(root: "HtmlElement") -> tuple[str, ...]:
    """The style sheets in a page itself that are for a screen."""
    found = list[str]()
    for element in root.iter("style", "link"):
        kind, href = element.get("type", "").lower(), element.get("href", "")
        if not _holds("media", element.get("media", "").lower()) or kind not in ("", "text/css"):
            continue
        if element.tag == "style":
            found.append(element.text or "")
        elif element.get("rel", "").lower().split() == ["stylesheet"] and href[:5].lower() == "data:":
            head, _, data = href.partition(",")
            with suppress(Error, ValueError):
                packed = head.lower().endswith(";base64")
                found.append(b64decode(unquote(data)).decode("utf-8", "replace") if packed else unquote(data))
    return tuple(found)


def _holds(kind: str, condition: str) -> bool:
    """Whether rules behind `@kind condition` are for the screen."""
    if kind == "media":
        return any(map(_meant, condition.split(",")))
    return kind in ("layer", "scope", "starting-style") or (kind == "supports" and not condition.startswith("not"))


def _meant(query: str) -> bool:
    """Whatever a query asks for but the width is not known, and held not to be so."""
    for least, width, unit in _FEATURE.findall(query):
        pixels = float(width) * PIXELS.get(unit, 1.0)
        if pixels > WIDTH if least == "min" else pixels < WIDTH:
            return False
    return not set(_FEATURE.sub(" ", query).split()) - {"screen", "all", "only", "and"}


def _worked_out(value: str) -> str:
    """With what `calc`, `min`, `max` and `clamp` come to, where all lengths in them have the same unit."""

    def result(found: re.Match[str]) -> str:
        units = {unit for _, unit in _LENGTH.findall(found[2])} - {""}
        terms = _LENGTH.sub(lambda one: f" {float(one[1])}", found[2])
        known = len(units) < 2 and not set(_LENGTH.sub("", found[2])) - set("+-*/, ")
        with suppress(SyntaxError, ValueError, LookupError, TypeError, ArithmeticError):
            if known:
                return f"{_number(ast.parse(f'{found[1]}({terms})', mode='eval').body):g}{''.join(units)}"
        return found[0]

    for _ in range(NESTED if "(" in value else 0):
        value = _WORKED_OUT.sub(result, value)
    return value


def _number(said: ast.AST) -> float:
    match said:
        case ast.Constant(value=float(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            return float(_SIGNS[type(sign)](_number(left), _number(right)))
        case ast.Call(func=ast.Name(id=name), args=parts):
            numbers = sorted(map(_number, parts))
            return numbers[{"min": 0, "max": -1}.get(name, len(numbers) // 2)]
    raise ValueError


def length(value: str, units: Mapping[str, float] = PIXELS, otherwise: float = float("nan")) -> float:
    """Of what a value begins with; `otherwise` where that is no length."""
    found = _LENGTH.match(value)
    return float(found[1]) * units.get(found[2] or "", 1.0) if found else otherwise


def lengths(value: str) -> list[float]:
    return [length("".join(one)) for one in _LENGTH.findall(value[:200])]


def sides(said: Sequence[str]) -> Sequence[str]:
    """Top, right, bottom and left, as CSS means one to four values."""
    return [*said, said[1]] if len(said) == 3 else [*said, *said, *said, *said][:4]


@lru_cache(maxsize=1_000)
def colour(said: str) -> Colour:
    """The first one in a value."""
    return next((made for made in map(_colour, parse_component_value_list(said)) if made is not None), None)


def _colour(token: Any) -> Colour:
    if token.type == "ident" and token.lower_value in _SYSTEM:
        return _SYSTEM[token.lower_value]
    if token.type == "function" and token.lower_name == "color-mix":
        mixed = [colour(one) for one in _split(token.arguments)][1:]
        return mixed[0] if same(mixed) else None
    with suppress(ValueError, LookupError):  # it has too few parts
        if isinstance(made := parse_color(token), Color):
            return () if made.alpha < CLEAR else _rgb(made)
    return None


def _rgb(made: Color) -> Colour:
    if made.space in ("lab", "lch", "oklab", "oklch"):
        light, *others = made.to("lab").coordinates
        linear = ((light + 16) / 116) ** 3
        grey = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
        return (grey,) * 3 if max(map(abs, others)) <= COLOURLESS else None
    parts = (made.to("srgb") if made.space in ("hsl", "hwb") else made).coordinates
    return tuple(min(one or 0.0, 1.0) for one in parts) if made.space[:3] not in ("xyz", "dev") else None


def alike(one: Colour, other: Colour) -> bool:
    """Whether two colours look the same."""
    return all(abs(a - b) <= NEAR for a, b in zip(one or (), other or (), strict=True))


def same(colours: Sequence[Colour]) -> bool:
    """Whether all are known and look the same, or are not seen."""
    first = colours[0] if colours else None
    return first is not None and all(
        one is not None and (not one) == (not first) and (not one or alike(one, first)) for one in colours
    )


def stops(said: str) -> list[Colour]:
    """The colours of gradients; none where there is a picture too."""
    tokens = parse_component_value_list(said) if "gradient" in said and "url(" not in said else []
    parts = [part for token in tokens if token.type == "function" for part in token.arguments]
    return [made for made in map(_colour, parts) if made is not None]
