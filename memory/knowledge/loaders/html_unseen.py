"""What a page says and does not show: by an attribute, by the style of an element, or by a rule for it.

A browser is not asked, so rules of files beside the page are not known, and a background that is none of the page's own
is taken for white.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

from clew.memory.knowledge.loaders.css import (
    OUTSIDE,
    Colour,
    Matched,
    Sheet,
    Style,
    alike,
    colour,
    lengths,
    letters,
    pixels,
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

_NO_SCALE = re.compile(r"scale[xy]?\(\s*(?:[^(),]*,\s*)?[-+]?0*\.?0*\s*[,)]|matrix\(\s*0\s*,\s*0\s*,")
_MOVED_AWAY = re.compile(r"translate(?:[xy]|3d)?\(\s*(?:[^(),]*,\s*)?-\d{3,}|translate(?:x|3d)?\(\s*\d{4,}")


class _Look(NamedTuple):
    """What the letters of an element have, by itself or by those that it lies within."""

    place: Matched = OUTSIDE
    ground: Colour = (255.0,) * 3
    colour: Colour = None
    size: float = 16.0
    indent: float = 0.0
    visible: bool = True

    @property
    def is_seen(self) -> bool:
        if not self.visible or self.size <= TINY or self.indent <= FAR or self.colour == ():
            return False
        return not (self.colour and self.ground) or not alike(self.colour, self.ground)


def unseen(root: "HtmlElement") -> "list[tuple[HtmlElement, bool]]":
    """The elements of which nothing is seen (True), the outermost ones; and of others, those whose own words are not
    (False): something within is."""
    from lxml import etree

    sheet = Sheet("\n".join(style.text or "" for style in root.iter("style")))
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
        around, own = looks[-1], element.get("style", "")
        place = sheet.place(element, around.place)
        style = sheet.style(place, around.place, own)
        look = _look(style, element, around, place)
        hidden = element.get("hidden") is not None or bool(style and _hides(style))
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
    if not style and not bgcolor and tag != "font":
        return around if place is around.place else around._replace(place=place)
    words = style.get("-webkit-text-fill-color") or style.get("color") or ""
    if tag == "font" and not words:
        words = element.get("color", "").lower()
    visible = style.get("visibility", "")
    return _Look(
        place,
        _ground(style, bgcolor, around.ground),
        around.colour if not words or words.startswith(("inherit", "currentcolor")) else colour(words),
        letters(style.get("font-size", ""), around.size),
        pixels(style["text-indent"]) if "text-indent" in style else around.indent,
        not visible.startswith(("hidden", "collapse")) if visible else around.visible,
    )


def _hides(style: Style) -> bool:
    """Whether nothing of an element is seen, whatever those within it say."""

    def says(name: str, *beginnings: str) -> bool:
        return style.get(name, "").startswith(beginnings)

    placed = says("position", "absolute", "fixed", "relative", "sticky")
    sides = ("left", "top", "right", "bottom", "inset top", "inset left")
    away = placed and (
        any(pixels(style.get(side, "")) <= FAR for side in sides) or pixels(style.get("left", "")) >= TOO_FAR
    )
    cut = any(says(name, "hidden", "clip") or style.get(name, "").endswith("hidden") for name in _OVERFLOW)
    cut = cut and any(pixels(style.get(name, "")) <= 1 for name in ("height", "width", "max-height", "max-width"))
    moved = style.get("transform", "")
    return bool(
        away
        or cut
        or says("display", "none")
        or says("content-visibility", "hidden")
        or _is_clipped(style)
        or share(style.get("opacity", "")) <= 0.05
        or share(style.get("filter", "").partition("opacity(")[2]) <= 0.05
        or share(style.get("zoom", "")) <= 0.05
        or (style.get("scale") and any(one == 0 for one in lengths(style["scale"])))
        or any(pixels(style.get(side, "")) <= FAR for side in _MARGINS)
        or any(one <= FAR or one >= TOO_FAR for one in lengths(style.get("translate", "")))
        or _NO_SCALE.search(moved)
        or _MOVED_AWAY.search(moved)
    )


_OVERFLOW = ("overflow", "overflow-x", "overflow-y")
_MARGINS = ("margin-left", "margin-top", "margin left", "margin top")


def _is_clipped(style: Style) -> bool:
    clip, path = style.get("clip", ""), style.get("clip-path", "")
    if clip.startswith("rect("):
        edges = lengths(clip)
        return len(edges) == 4 and (edges[2] - edges[0] <= 1 or edges[1] - edges[3] <= 1)
    kind, _, inside = path.partition("(")
    if kind == "inset":
        return share(inside) >= 0.5 and "%" in inside
    return kind in ("circle", "ellipse", "polygon") and not any(lengths(inside.partition(" at ")[0])) and bool(inside)


def _ground(style: Style, given: str, before: Colour) -> Colour:
    """What is behind its words; None where it is not known: a picture."""
    said = style.get("background-color") or style.get("background") or given
    if not said or said in ("none", "inherit", "transparent"):
        return before
    if "url(" in said or "gradient" in said:
        return None
    return colour(said) or before if colour(said) is not None else None
