"""What a page says and does not show: by an attribute, by the style of an element, or by a rule for it.

A browser is not asked, so rules of files beside the page are not known, and a background that is none of the page's own
is taken for white.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from clew.memory.knowledge.loaders.css import WIDTH, Sheet, Style, sheets_of
from clew.memory.knowledge.loaders.css_selectors import NOTHING, Matched
from clew.memory.knowledge.loaders.css_values import (
    Colour,
    alike,
    colour,
    colours,
    lengths,
    letters,
    pixels,
    same,
    share,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

FAR = -500.0
"""Pixels from where something is on no screen."""

TOO_FAR = 5_000.0
"""Pixels to the right that nobody goes to."""

TINY = 1.5
"""Pixels of letters that nobody reads."""

BLURRED = 10.0
"""Pixels that letters are blurred by and cannot be read."""

TIGHT = -0.5
"""Of the size of letters, what they stand apart where each covers the one before."""

_NO_SCALE = re.compile(
    r"scale(?:[xy]|3d)?\(\s*(?:[^(),]*,\s*)?[-+]?0*(?:\.0\d*)?\s*[,)]|matrix\(\s*0\s*,\s*0\s*,"
    r"|matrix3d\(\s*0\s*,\s*0\s*,|(?:rotate[xy]|skew[xy]?)\(\s*-?(?:90|270)deg|rotate3d\([^()]*,\s*-?(?:90|270)deg"
)
_MOVED_AWAY = re.compile(r"translate(?:[xy]|3d)?\(\s*(?:[^(),]*,\s*)?-\d{3,}|translate(?:x|3d)?\(\s*\d{4,}")


class _Look(NamedTuple):
    """What the letters of an element have, by itself or by those that it lies within."""

    place: Matched = NOTHING
    ground: Colour = (255.0,) * 3
    colour: Colour = None
    size: float = 16.0
    indent: float = 0.0
    apart: float = 0.0
    visible: bool = True

    @property
    def is_seen(self) -> bool:
        if not self.visible or self.size <= TINY or self.indent <= FAR or self.colour == ():
            return False
        if self.apart <= TIGHT * self.size:
            return False
        return not (self.colour and self.ground) or not alike(self.colour, self.ground)


def unseen(root: "HtmlElement") -> "list[tuple[HtmlElement, bool]]":
    """The elements of which nothing is seen (True), the outermost ones; and of others, those whose own words are not
    (False): something within is."""
    from lxml import etree

    sheet = Sheet(sheets_of(root))
    found: list[tuple[HtmlElement, bool]] = []
    looks, begun, shown, beside = [_Look()], list[int](), [True], [NOTHING]
    for event, element in (walk := etree.iterwalk(root, events=("start", "end"))):
        if event == "end":
            look, start = looks.pop(), begun.pop()
            beside.pop()
            if shown.pop():
                shown[-1] = True
            elif not look.is_seen:
                found[start:] = [(element, True)]
            continue
        around, own = looks[-1], element.get("style", "")
        place = beside[-1] = sheet.place(element, around.place, beside[-1])
        beside.append(NOTHING)
        style = sheet.style(place, own)
        look = _look(style, element, around, place)
        hidden = any(element.get(name) is not None for name in ("hidden", "popover")) or bool(style and _hides(style))
        look = look._replace(visible=False) if hidden else look
        looks.append(look)
        begun.append(len(found))
        shown.append(look.is_seen)
        if hidden:
            walk.skip_subtree()
        elif not shown[-1] and any(one and one.strip() for one in own_words(element)):
            found.append((element, False))
    return found


def own_words(element: "HtmlElement") -> list[str | None]:
    return [element.text, *(child.tail for child in element)]


def _look(style: Style, element: "HtmlElement", around: _Look, place: Matched) -> _Look:
    bgcolor, tag = element.get("bgcolor", "").lower(), element.tag
    if not style and not bgcolor and tag not in ("font", "body"):
        return around if place is around.place else around._replace(place=place)
    words = style.get("-webkit-text-fill-color") or style.get("color") or ""
    if tag in ("font", "body") and not words:
        words = _of_attribute(element.get("color" if tag == "font" else "text", "").lower())
    visible, size = style.get("visibility", ""), letters(style.get("font-size", ""), around.size)
    return _Look(
        place,
        _ground(style, _of_attribute(bgcolor), around.ground),
        around.colour if not words or words.startswith(_AS_AROUND) else colour(words),
        size,
        pixels(style["text-indent"]) if "text-indent" in style else around.indent,
        _apart(style, size, around.apart),
        not visible.startswith(("hidden", "collapse")) if visible and visible not in _AS_AROUND else around.visible,
    )


def _apart(style: Style, size: float, around: float) -> float:
    """Pixels between letters, or between words where these are far away."""
    said = style.get("letter-spacing", "")
    spacing = around if not said or said in _AS_AROUND else letters(said, size) if said[0] in "-.0123456789" else 0.0
    return FAR if pixels(style.get("word-spacing", "")) <= FAR else spacing


_AS_AROUND = ("inherit", "currentcolor", "unset", "revert")


def _of_attribute(said: str) -> str:
    return f"#{said}" if re.fullmatch("(?:[0-9a-f]{3}){1,2}", said) else said


def _hides(style: Style) -> bool:
    """Whether nothing of an element is seen, whatever those within it say."""

    def says(name: str, *beginnings: str) -> bool:
        return style.get(name, "").startswith(beginnings)

    placed = says("position", "absolute", "fixed", "relative", "sticky")
    sides = ("left", "top", "right", "bottom", "inset top", "inset left")
    away = placed and (
        any(pixels(style.get(side, "")) <= FAR for side in sides)
        or pixels(style.get("left", "")) >= TOO_FAR
        or (pixels(style.get("right", "")) >= WIDTH and not style["right"].endswith("%"))
    )
    return bool(
        away
        or _is_cut(style)
        or says("display", "none")
        or says("content-visibility", "hidden")
        or says("-webkit-text-security", "disc", "circle", "square")
        or _is_clipped(style)
        or _is_masked(style)
        or share(style.get("opacity", "")) <= 0.05
        or share(style.get("filter", "").partition("opacity(")[2]) <= 0.05
        or pixels(style.get("filter", "").partition("blur(")[2]) >= BLURRED
        or share(style.get("zoom", "")) <= 0.05
        or (style.get("scale") and any(abs(one) <= 0.05 for one in map(share, style["scale"].split())))
        or any(pixels(style.get(side, "")) <= FAR and "%" not in style[side] for side in _MARGINS)
        or any(one <= FAR or one >= TOO_FAR for one in lengths(style.get("translate", "")))
        or _EDGE_ON.search(style.get("rotate", ""))
        or _NO_SCALE.search(style.get("transform", ""))
        or _MOVED_AWAY.search(style.get("transform", ""))
    )


_OVERFLOW = ("overflow", "overflow-x", "overflow-y")
_MARGINS = ("margin-left", "margin-top", "margin left", "margin top")
_EDGE_ON = re.compile(r"[xy].*?-?\b(?:90|270)deg|-?\b(?:90|270)deg\s+[xy]")


def _is_cut(style: Style) -> bool:
    """Whether it has no place, and what goes beyond that is not shown, or its words begin behind it."""
    said = " ".join(style.get(name, "") for name in _OVERFLOW).split()
    if not {"hidden", "clip", "auto", "scroll"} & set(said):
        return False
    whole = {"hidden", "clip"} & set(said)
    narrow = ("height", "width", "max-height", "max-width") if whole else ("height", "max-height")
    indent = style.get("text-indent", "")
    behind = whole and (share(indent) >= 1 if indent.endswith("%") else pixels(indent) >= WIDTH)
    return bool(behind or any(pixels(style.get(name, "")) <= 1 for name in narrow))


def _is_clipped(style: Style) -> bool:
    clip, path = style.get("clip", ""), style.get("clip-path", "")
    if clip.startswith("rect("):
        edges = [pixels(one) for one in clip[5:100].partition(")")[0].replace(",", " ").split()]
        return len(edges) == 4 and (edges[2] - edges[0] <= 1 or edges[1] - edges[3] <= 1)
    kind, _, inside = path.partition("(")
    numbers = lengths(inside.partition(" at ")[0].partition(" round ")[0])
    if kind == "inset":
        top, right, bottom, left = _sides([share(one) if "%" in one else 0.0 for one in inside[:100].split()])
        return top + bottom >= 1 or left + right >= 1
    if kind == "rect":
        top, right, bottom, left = _sides(numbers)
        return bottom <= top or right <= left
    if kind == "xywh":
        return len(numbers) > 3 and 0 in numbers[2:4]
    if kind in ("polygon", "path"):
        return bool(numbers) and _area(numbers) == 0
    return kind in ("circle", "ellipse") and bool(inside) and bool(numbers) and 0 in numbers


def _sides(said: Sequence[float]) -> Sequence[float]:
    """All four, as CSS means one, two or three."""
    top, right, bottom, left = (*said, *[None] * 4)[:4]
    right = (top or 0.0) if right is None else right
    return top or 0.0, right, (top or 0.0) if bottom is None else bottom, right if left is None else left


def _area(corners: Sequence[float]) -> float:
    """Of a polygon, x and y in turn; of an odd number of them nothing is known."""
    if len(corners) % 2:
        return float("nan")
    points = list(zip(corners[::2], corners[1::2], strict=True))
    return sum(x * after - y * behind for (x, y), (behind, after) in zip(points, points[1:] + points[:1], strict=True))


def _is_masked(style: Style) -> bool:
    """Whether a mask lets nothing through."""
    said = style.get("mask-image") or style.get("mask") or ""
    if not said or said.startswith("none"):
        return False
    size = lengths(style.get("mask-size", ""))
    stops = colours(said) if "gradient" in said and "url(" not in said else []
    return (bool(size) and 0 in size) or (bool(stops) and not any(stops))


def _ground(style: Style, given: str, before: Colour) -> Colour:
    """What is behind its words; None where it is not known: a picture."""
    said = style.get("background-image") or style.get("background-color") or style.get("background") or given
    if said == "none":
        said = style.get("background-color") or style.get("background") or given
    if not said or said in ("none", "inherit", "transparent"):
        return before
    if "gradient" in said and "url(" not in said and same(stops := colours(said)):
        return stops[0] or before
    if "url(" in said or "gradient" in said:
        return None
    return colour(said) or before if colour(said) is not None else None
