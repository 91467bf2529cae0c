"""What a page says and does not show: by an attribute, by the style of an element, by a rule for its class, id or tag.

A browser is not asked, so rules with a selector of several parts and those of files beside the page are not known,
and a background that is none of the page's own is taken for white.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Style = dict[str, str]
Colour = tuple[float, ...] | None

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_OTHER_MEDIA = re.compile(
    r"@(?:media|supports|container)(?!\s*(?:screen|all)\s*\{)[^{}@]*+\{(?:[^{}]*\{[^{}]*\})*+[^{}]*\}", re.I
)
_RULE = re.compile(r"(?<![^{};])([^{};]++)\{([^{}]*)\}")
_SELECTOR = re.compile(r"(?:[\w-]+|\*)?([.#][\w-]+)*", re.ASCII)
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|em|rem|%|vw|vh|cm|mm|in)?", re.I)
_NUMBERS = re.compile(r"\d*\.?\d+")
_NAMED = {"white": (255.0,) * 3, "black": (0.0,) * 3, "transparent": ()}
_PIXELS = {"pt": 1.3, "em": 16.0, "rem": 16.0, "vw": 10.0, "vh": 8.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "%": 10.0}

FAR = -500.0
"""Pixels from where something is on no screen."""

TINY = 1.5
"""Pixels of letters that nobody reads."""

NEAR = 24.0
"""Two colours of which no part, of 255, differs more look the same."""


def unseen(root: "HtmlElement") -> "Iterator[HtmlElement]":
    """The outermost elements that are not seen."""
    from lxml import etree

    rules = _rules("\n".join(style.text or "" for style in root.iter("style")))
    grounds: list[Colour] = [_NAMED["white"]]
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "end":
            grounds.pop()
            continue
        style = _style(element, rules)
        ground = _ground(style, element.get("bgcolor"), grounds[-1])
        grounds.append(ground)
        if (style and _hides(style, ground)) or element.get("hidden") is not None:
            yield element
            walk.skip_subtree()


def _style(element: "HtmlElement", rules: Mapping[str, Mapping[frozenset[str], Style]]) -> Style:
    """What is said of it, the stronger last; empty for most elements."""
    own, found = element.get("style"), list[Style]()
    if rules:
        classes = {f".{name}" for name in (element.get("class") or "").split()}
        names = {str(element.tag), "*", f"#{element.get('id')}", *classes}
        found = [style for name in names for wanted, style in rules.get(name, {}).items() if wanted <= names]
    if own:
        found.append(_declared(own))
    colour = element.get("color") if element.tag == "font" else None
    merged = {"color": colour} if colour else {}
    for style in found:
        _put_over(merged, style)
    return merged


def _put_over(style: Style, later: Style) -> None:
    style |= {name: value for name, value in later.items() if not style.get(name, "").endswith("!important")}


def _rules(css: str) -> dict[str, dict[frozenset[str], Style]]:
    """By the last part of a selector that has one place: `.note`, `p.note`, `#end`. One style for each, however often
    it is said."""
    found: dict[str, dict[frozenset[str], Style]] = {}
    for selectors, body in _RULE.findall(_OTHER_MEDIA.sub("", _COMMENT.sub("", css))):
        style = _declared(body)
        for selector in map(str.strip, selectors.split(",")) if style else ():
            if selector and _SELECTOR.fullmatch(selector):
                parts = re.findall(r"[.#]?[\w*-]+", selector)
                _put_over(found.setdefault(parts[-1], {}).setdefault(frozenset(parts), {}), style)
    return found


def _declared(body: str) -> Style:
    pairs = (declaration.partition(":") for declaration in body[:10_000].casefold().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if value.strip()}


def _hides(style: Style, ground: Colour) -> bool:
    def pixels(name: str) -> float:
        found = _LENGTH.match(style.get(name, ""))
        return float(found[1]) * _PIXELS.get(found[2] or "", 1.0) if found else float("nan")

    def says(name: str, *beginnings: str) -> bool:
        return style.get(name, "").startswith(beginnings)

    away = says("position", "absolute", "fixed") and any(pixels(x) <= FAR for x in ("left", "top", "right", "bottom"))
    cut = "hidden" in style.get("overflow", "") and any(pixels(x) <= 1 for x in ("height", "width", "max-height"))
    if (
        away
        or cut
        or says("display", "none")
        or says("visibility", "hidden", "collapse")
        or says("clip", "rect(0", "rect(1px,1px", "rect(1px, 1px")
        or says("clip-path", "inset(100%", "inset(50%")
        or pixels("opacity") <= 0.05
        or pixels("font-size") <= TINY
        or any(pixels(side) <= FAR for side in ("text-indent", "margin-left", "margin-top"))
        or re.search(r"scale\(\s*0?\.?0*\s*[,)]|translate[xy]?\(\s*-\d{3,}", style.get("transform", ""))
    ):
        return True
    colour = _colour(style.get("color", ""))
    return colour == () or (bool(colour) and bool(ground) and _alike(colour, ground))


def _alike(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) <= NEAR for a, b in zip(one or (), other or (), strict=True))


def _ground(style: Style, given: str | None, before: Colour) -> Colour:
    """What is behind its words; None where it is not known: a picture."""
    said = style.get("background-color") or style.get("background") or (given or "")
    if not said or said in ("none", "inherit", "transparent"):
        return before
    if "url(" in said or "gradient" in said:
        return None
    return _colour(said) or before if _colour(said) is not None else None


def _colour(said: str) -> Colour:
    """Red, green and blue, 0 to 255; () for one that is not seen, None for one that is not known."""
    said = said.removesuffix("!important").strip()
    if found := re.match(r"#([0-9a-f]{3,8})\b", said):
        digits = found[1] if len(found[1]) > 4 else "".join(2 * digit for digit in found[1])
        parts = [float(int(digits[place : place + 2], 16)) for place in range(0, len(digits) - 1, 2)]
        parts[3:] = [part / 255 for part in parts[3:]]
    elif said.startswith("rgb"):
        parts = [float(one) for one in _NUMBERS.findall(said[:60])]
        parts[:3] = [(2.55 if "%" in said.partition("/")[0] else 1.0) * one for one in parts[:3]]
    else:
        return _NAMED.get(said.split(" ")[0])
    if len(parts) < 3:
        return None
    return () if len(parts) > 3 and parts[3] < 0.05 else tuple(parts[:3])
