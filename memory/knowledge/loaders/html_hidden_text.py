"""What an HTML page says and does not show: by an attribute, by the style of an element, or by a rule of a style sheet.

`tinycss2` reads style sheets and colours, and `cssselect2` tells which rules are for an element. Sheets in other files
are not known, the screen has `WIDTH` pixels and a white ground, nobody points at anything (`:hover`), and animations
have ended.
"""

import ast
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import Any, NamedTuple
from urllib.request import urlopen

from cssselect2 import ElementWrapper, Matcher, compile_selector_list
from lxml import etree
from lxml.html import HtmlElement
from tinycss2 import parse_blocks_contents, parse_component_value_list, parse_stylesheet, serialize
from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

# Rules and values -----------------------------------------------------------------------------------------------------

Declared = dict[tuple[int, str], str]
"""What a rule says: values by property, in small letters, `!important` ones at 2, what animations end with at 1."""

WIDTH, NESTED, LONGEST = 1200.0, 5, 500
"""Pixels of the screen, how deep rules may lie in rules, and letters of a selector."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_FEATURE = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d*\.?\d+)\s*(px|em|rem)\s*\)")
_LENGTH = re.compile(r"([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*(px|pt|em|rem|%|vw|vh|cm|mm|in)?")
_SIZE_OF_FONT = re.compile(r"(?:^|\s)((?:\d*\.?\d+)(?:px|pt|em|rem|%|vw|vh|cm|mm|in)|0)(?=[\s/])")
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_WORKED_OUT = re.compile(r"\b(calc|min|max|clamp)\(([^()]{1,200})\)")
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
PIXELS = {"pt": 1.3, "em": 16.0, "rem": 16.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "%": 10.0}
SHARES = {"%": 0.01}
_SIDES = {"inset-inline": "inline", "inset-block": "block", "inline-start": "left", "block-start": "top"}
_OTHER_NAMES = _SIDES | {"inline-size": "width", "block-size": "height"}


class Style(dict[str, str]):
    """The values that hold for an element; of what is not said, an empty one."""

    def __missing__(self, name: str) -> str:
        return ""


@lru_cache(maxsize=8)
class _Sheet:
    """The rules of a page's style sheets, read once, as the pages of a site have the same ones."""

    def __init__(self, sheets: Sequence[str]) -> None:
        self._matcher, self._variables, self._moments = Matcher(), Style(), dict[str, Declared]()
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

    def met(self, root: HtmlElement) -> dict[HtmlElement, Declared]:
        """What the rules say of the elements of a page, of those that there are rules for."""
        found: dict[HtmlElement, Declared] = {}
        for element in ElementWrapper.from_html_root(root).iter_subtree() if self._matcher.order else ():
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
            inside, rest = [], iter(node.prelude)
            while part := list(takewhile(lambda one: one != ",", rest)):
                inside.append(_within(_said(part), around))
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


def _said(tokens: Sequence[Any]) -> str:
    return str(serialize(tokens)).strip().casefold()[:10_000]


def _declared(nodes: Iterable[Any]) -> Declared:
    found = Declared()
    for node in (one for one in nodes if one.type == "declaration"):
        order, name, value = (
            2 * node.important,
            node.lower_name.removeprefix("-webkit-"),
            _worked_out(_said(node.value)),
        )
        for other, usual in _OTHER_NAMES.items():
            name = name.replace(other, usual)
        if name == "font" and (size := _SIZE_OF_FONT.search(value)):
            found[order, "font-size"] = size[1]
        elif name in ("inset", "margin") and value:
            top, _, _, left = sides(value.split())
            found |= {(order, f"{name} top"): top, (order, f"{name} left"): left}
        elif value:
            found[order, name] = value
    return found


@lru_cache(maxsize=1_000)
def _own(style: str) -> Declared:
    return _declared(parse_blocks_contents(_COMMENT.sub("", style), True, True))


def _sheets_of(root: HtmlElement) -> tuple[str, ...]:
    """The style sheets in a page itself that are for a screen."""
    found = list[str]()
    for element in root.iter("style", "link"):
        kind, href = element.get("type", "").lower(), element.get("href", "")
        if not _holds("media", element.get("media", "").lower()) or kind not in ("", "text/css"):
            continue
        if element.tag == "style":
            found.append(element.text or "")
        elif element.get("rel", "").lower().split() == ["stylesheet"] and href[:5].lower() == "data:":
            with suppress(ValueError), urlopen(href) as sheet:  # noqa: S310 it is in the address itself
                found.append(sheet.read().decode("utf-8", "replace"))
    return tuple(found)


def _holds(kind: str, condition: str) -> bool:
    """Whether rules behind `@kind condition` are for the screen."""
    if kind == "media":
        return any(map(_meant, condition.split(",")))
    return not (kind == "supports" and condition.startswith("not"))


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
        with suppress(SyntaxError, ValueError, LookupError, TypeError, ArithmeticError):
            if len(units) < 2:
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


def sides(said: Sequence[Any]) -> Sequence[Any]:
    """Top, right, bottom and left, as CSS means one to four values."""
    return [*said, said[1]] if len(said) == 3 else [*said, *said, *said, *said][:4]


# Colours --------------------------------------------------------------------------------------------------------------

Colour = tuple[float, ...] | None
"""Red, green and blue, 0 to 1; () for one that is not seen, None for one that is not known."""

CLEAR, NEAR, COLOURLESS = 0.05, 0.095, 2.0
"""How much of a colour nobody sees; what the parts of two colours that look the same differ by at most; and how far
from grey, in `lab`, a colour is that looks grey."""

_SYSTEM: Mapping[str, Colour] = {"canvas": (1.0,) * 3, "field": (1.0,) * 3, "canvastext": (0.0,) * 3}


@lru_cache(maxsize=1_000)
def colour(said: str) -> Colour:
    """Of a value: the one in it, also where it mixes several that look the same."""
    its = colours(parse_component_value_list(said))
    return its[0] if its and all(alike(its[0], other) for other in its) else None


def colours(tokens: Iterable[Any]) -> list[tuple[float, ...]]:
    """All that are known, also in gradients."""
    found = list[tuple[float, ...]]()
    for token in tokens:
        if (made := _colour(token)) is not None:
            found.append(made)
        elif token.type == "function":
            found += colours(token.arguments)
    return found


def _colour(token: Any) -> Colour:
    if token.type == "ident" and token.lower_value in _SYSTEM:
        return _SYSTEM[token.lower_value]
    made = None
    with suppress(ValueError, LookupError):  # it has too few parts
        made = parse_color(token)
    if not isinstance(made, Color):
        return None
    if made.alpha < CLEAR:
        return ()
    if made.space in ("lab", "lch", "oklab", "oklch"):
        light, *others = made.to("lab").coordinates
        linear = ((light + 16) / 116) ** 3
        grey = 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
        return (grey,) * 3 if max(map(abs, others)) <= COLOURLESS else None
    parts = (made.to("srgb") if made.space in ("hsl", "hwb") else made).coordinates
    return tuple(min(one or 0.0, 1.0) for one in parts) if made.space[:3] not in ("xyz", "dev") else None


def alike(one: Colour, other: Colour) -> bool:
    """Whether two colours are known and look the same, or neither is seen."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(abs(a - b) <= NEAR for a, b in zip(one, other, strict=True))


# What is hidden ------------------------------------------------------------------------------------------------------

FAR, TOO_FAR = -500.0, 5_000.0
"""Pixels from where something is left of the screen or above it, and from where it is too far to the right to go."""

TINY, BLURRED, TIGHT = 1.5, 10.0, -0.5
"""Pixels of letters that nobody reads, and that they are blurred by; of their size, what they stand apart where each
covers the one before."""

_AS_AROUND = ("", "inherit", "currentcolor", "unset", "revert")
_NOT_SHOWN = {"display": "none", "content-visibility": "hidden", "text-security": ("disc", "circle", "square")}
_CALL = re.compile(r"([\w-]+)\(([^()]{0,200})")
_ARGUMENT = re.compile(rf"{_LENGTH.pattern}|auto")


class _Look(NamedTuple):
    """What the letters of an element have, by itself or by those that it lies within. `apart`: of their size."""

    ground: Colour = (1.0,) * 3
    colour: Colour = None
    size: float = 16.0
    indent: float = 0.0
    apart: float = 0.0
    visible: bool = True

    @property
    def is_seen(self) -> bool:
        has_place = self.size > TINY and self.indent > FAR and self.apart > TIGHT
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
    for one in styles:
        style = Style((name, value) for (_, name), value in sorted(_own(one).items()))
        if _hides(style):
            return True
        look = _look(style, look)
    return not look.is_seen


def _look(style: Style, around: _Look, own: str = "", given: str = "") -> _Look:
    """`own` and `given` are the colours of letters and ground that attributes say."""
    if not (style or own or given):
        return around
    own, given = (f"#{one}" if re.fullmatch("(?:[0-9a-f]{3}){1,2}", one) else one for one in (own, given))
    words, visible = style["text-fill-color"] or style["color"] or own, style["visibility"]
    size = length(style["font-size"], PIXELS | {"em": around.size, "%": around.size / 100}, around.size)
    apart = length(style["letter-spacing"], PIXELS | {"em": size}, around.apart * size) / (size or 1)
    return _Look(
        _ground(style, given, around.ground),
        around.colour if words in _AS_AROUND else colour(words),
        size,
        length(style["text-indent"], otherwise=around.indent),
        FAR if length(style["word-spacing"]) <= FAR else apart,
        around.visible if visible in _AS_AROUND else not visible.startswith(("hidden", "collapse")),
    )


def _ground(style: Style, given: str, before: Colour) -> Colour:
    """What is behind its words; None where it is not known: a picture."""
    flat = style["background-color"] or style["background"] or given
    said = flat if style["background-image"] in ("", "none") else style["background-image"]
    if said in ("none", "transparent", *_AS_AROUND):
        return before
    known = None if "url(" in said else colour(said)
    return before if known == () else known


def _hides(style: Style) -> bool:
    """Whether nothing of an element is seen, whatever those within it say."""
    if any(style[name].startswith(beginnings) for name, beginnings in _NOT_SHOWN.items()):  # type: ignore[arg-type]
        return True
    calls = " ".join(style[name] for name in ("transform", "filter", "clip-path", "clip"))
    calls += "".join(f" {name}({style[name]})" for name in ("opacity", "zoom", "scale", "translate", "rotate"))
    leaves_nothing = any(_leaves_nothing(name, said) for name, said in _CALL.findall(calls))
    return leaves_nothing or any(hides(style) for hides in (_is_away, _is_cut, _is_masked))


def _leaves_nothing(function: str, said: str) -> bool:
    """Whether one of `transform`, `filter` or `clip-path` makes nothing of an element, or moves it away."""
    its = [one.groups("") for one in _ARGUMENT.finditer(re.split(" at | round ", said)[0])]
    pixels = [float(number or "nan") * PIXELS.get(unit, 1.0) for number, unit in its if unit != "%"]
    shares = [float(number or "nan") * SHARES.get(unit, 1.0) for number, unit in its]
    match function:
        case "opacity" | "zoom" | "scale" | "scalex" | "scaley" | "scale3d":
            return any(abs(one) <= CLEAR for one in shares)
        case "matrix" | "matrix3d":
            return shares[:2] == [0, 0]
        case "rotate" | "rotatex" | "rotatey" | "rotate3d" | "skew" | "skewx" | "skewy" if shares:
            tilted = re.search("rotate[xy3]|rotate.*[xy]|skew", f"{function} {said}")
            return bool(tilted) and abs(shares[-1]) in (90, 270)
        case "translate" | "translatex" | "translatey" | "translate3d":
            return any(one <= FAR or one >= TOO_FAR for one in pixels)
        case "blur":
            return any(one >= BLURRED for one in pixels)
        case "circle" | "ellipse" | "xywh":
            return 0 in shares[-2:]
        case "inset" if its:
            top, right, bottom, left = sides([float(number or 0) / 100 if unit == "%" else 0.0 for number, unit in its])
            return bool(top + bottom >= 1 or left + right >= 1)
        case "rect" if len(its) == 4:
            top, right, bottom, left = shares
            return bottom - top <= 1 or right - left <= 1
        case "polygon" | "path" if shares and len(shares) % 2 == 0:
            corners = list(zip(shares[::2], shares[1::2], strict=True))
            return sum(x * to_y - to_x * y for (x, y), (to_x, to_y) in pairwise([*corners, corners[0]])) == 0
    return False


def _is_away(style: Style) -> bool:
    """Whether it is placed off the screen."""
    margins = (style[name] for name in ("margin-left", "margin-top", "margin left", "margin top"))
    if any(length(one) <= FAR and "%" not in one for one in margins):
        return True
    left, *others = (length(style[side]) for side in ("left", "top", "bottom", "inset top", "inset left"))
    right = length(style["right"])
    far = right <= FAR or (right >= WIDTH and not style["right"].endswith("%"))
    placed = style["position"].startswith(("absolute", "fixed", "relative", "sticky"))
    return placed and (far or left >= TOO_FAR or any(one <= FAR for one in (left, *others)))


def _is_cut(style: Style) -> bool:
    """Whether it has no place, and what goes beyond that is not shown, or its words begin behind it."""
    overflow = {word for name in ("overflow", "overflow-x", "overflow-y") for word in style[name].split()}
    if not overflow & {"hidden", "clip", "auto", "scroll"}:
        return False
    whole, indent = overflow & {"hidden", "clip"}, style["text-indent"]
    behind = length(indent, SHARES) >= 1 if indent.endswith("%") else length(indent) >= WIDTH
    narrow = ("height", "max-height", "width", "max-width")[: 4 if whole else 2]
    return bool(whole and behind) or any(length(style[name]) <= 1 for name in narrow)


def _is_masked(style: Style) -> bool:
    """Whether a mask lets nothing through."""
    mask = style["mask-image"] or style["mask"]
    if not mask or mask.startswith("none"):
        return False
    its = colours(parse_component_value_list(mask))
    return length(style["mask-size"]) == 0 or (bool(its) and not any(its) and "url(" not in mask)
