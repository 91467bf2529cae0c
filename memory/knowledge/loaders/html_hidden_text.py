"""What an HTML page says and does not show: by an attribute, by the style of an element, or by a rule of a style sheet.

No browser is asked, and a background that is none of the page's own is taken for white.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from clew.memory.knowledge.loaders.css import (
    AS_AROUND,
    CLEAR,
    PIXELS,
    SHARES,
    WIDTH,
    Colour,
    Style,
    alike,
    colour,
    length,
    lengths,
    same,
    sheet_of,
    sides,
    stops,
)

if TYPE_CHECKING:
    from lxml.html import HtmlElement

FAR, TOO_FAR = -500.0, 5_000.0
"""Pixels from where something is left of the screen or above it, and from where it is too far to the right to go."""

TINY, BLURRED, TIGHT = 1.5, 10.0, -0.5
"""Pixels of letters that nobody reads, and that they are blurred by; of their size, what they stand apart where each
covers the one before."""

_NOT_SHOWN: Mapping[str, str | tuple[str, ...]] = {
    "display": "none",
    "content-visibility": "hidden",
    "-webkit-text-security": ("disc", "circle", "square"),
}
_FLAT = re.compile(
    r"scale(?:[xy]|3d)?\(\s*(?:[^(),]*,\s*)?[-+]?0*(?:\.0\d*)?\s*[,)]|matrix(?:3d)?\(\s*0\s*,\s*0\s*,"
    r"|(?:rotate[xy]|skew[xy]?)\(\s*-?(?:90|270)deg|rotate3d\([^()]*,\s*-?(?:90|270)deg"
    r"|translate(?:[xy]|3d)?\(\s*(?:[^(),]*,\s*)?-\d{3,}|translate(?:x|3d)?\(\s*\d{4,}"
)
"""Transformed to nothing, or away."""

_EDGE_ON = re.compile(r"[xy].*?-?\b(?:90|270)deg|-?\b(?:90|270)deg\s+[xy]")


class _Look(NamedTuple):
    """What the letters of an element have, by itself or by those that it lies within."""

    ground: Colour = (1.0,) * 3
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


def hidden_elements(root: "HtmlElement") -> "list[tuple[HtmlElement, bool]]":
    """The elements of which nothing is seen (True), the outermost ones; and of others, those whose own words are not
    (False): something within is."""
    from lxml import etree

    sheet = sheet_of(root)
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
        look = _look(style, element, looks[-1])
        looks.append(look._replace(visible=False) if hidden else look)
        begun.append(len(found))
        shown.append(looks[-1].is_seen)
        if hidden:
            walk.skip_subtree()
        elif not shown[-1] and any(one and one.strip() for one in own_words(element)):
            found.append((element, False))
    return found


def own_words(element: "HtmlElement") -> list[str | None]:
    return [element.text, *(child.tail for child in element)]


def _look(style: Style, element: "HtmlElement", around: _Look) -> _Look:
    own = element.get({"font": "color", "body": "text"}.get(element.tag, "none"), "").lower()
    given = element.get("bgcolor", "").lower()
    if not (style or own or given):
        return around
    own, given = (f"#{one}" if re.fullmatch("(?:[0-9a-f]{3}){1,2}", one) else one for one in (own, given))
    words = style["-webkit-text-fill-color"] or style["color"] or own
    size = length(style["font-size"], PIXELS | {"em": around.size, "%": around.size / 100}, around.size)
    apart = (
        around.apart
        if style["letter-spacing"] in AS_AROUND
        else length(style["letter-spacing"], PIXELS | {"em": size}, 0.0)
    )
    visible = style["visibility"]
    return _Look(
        _ground(style, given, around.ground),
        around.colour if words in AS_AROUND else colour(words),
        size,
        length(style["text-indent"]) if "text-indent" in style else around.indent,
        FAR if length(style["word-spacing"]) <= FAR else apart,
        around.visible if visible in AS_AROUND else not visible.startswith(("hidden", "collapse")),
    )


def _hides(style: Style) -> bool:
    """Whether nothing of an element is seen, whatever those within it say."""
    margins = (style[name] for name in ("margin-left", "margin-top", "margin left", "margin top"))
    faint = (style["opacity"], style["filter"].partition("opacity(")[2], style["zoom"], *style["scale"].split())
    return bool(
        any(style[name].startswith(beginnings) for name, beginnings in _NOT_SHOWN.items())
        or any(abs(length(one, SHARES)) <= CLEAR for one in faint)
        or any(length(one) <= FAR and "%" not in one for one in margins)
        or any(one <= FAR or one >= TOO_FAR for one in lengths(style["translate"]))
        or length(style["filter"].partition("blur(")[2]) >= BLURRED
        or _EDGE_ON.search(style["rotate"])
        or _FLAT.search(style["transform"])
        or _is_clipped(style["clip-path"])
        or _is_clipped(style["clip"])
        or any(hides(style) for hides in (_is_away, _is_cut, _is_masked))
    )


def _is_away(style: Style) -> bool:
    """Whether it is placed off the screen."""
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


def _is_clipped(shape: str) -> bool:
    kind, _, inside = shape.partition("(")
    inside = inside.partition(" at ")[0].partition(" round ")[0]
    numbers, parts = lengths(inside), inside[:100].strip(" )").replace(",", " ").split()
    match kind:
        case "inset" if parts:
            top, right, bottom, left = (length(one, SHARES) if "%" in one else 0.0 for one in sides(parts))
            return top + bottom >= 1 or left + right >= 1
        case "rect" if len(parts) == 4:
            top, right, bottom, left = map(length, parts)
            return bottom - top <= 1 or right - left <= 1
        case "xywh":
            return 0 in numbers[2:4]
        case "polygon" | "path":
            points = list(zip(numbers[::2], numbers[1::2], strict=False))
            area = sum(
                x * after - y * behind for (x, y), (behind, after) in zip(points, points[1:] + points[:1], strict=True)
            )
            return bool(points) and len(numbers) % 2 == 0 and area == 0
        case "circle" | "ellipse":
            return 0 in numbers
    return False


def _is_masked(style: Style) -> bool:
    """Whether a mask lets nothing through."""
    mask = style["mask-image"] or style["mask"]
    if not mask or mask.startswith("none"):
        return False
    its = stops(mask)
    return 0 in lengths(style["mask-size"]) or (bool(its) and not any(its))


def _ground(style: Style, given: str, before: Colour) -> Colour:
    """What is behind its words; None where it is not known: a picture."""
    flat = style["background-color"] or style["background"] or given
    said = flat if style["background-image"] in ("", "none") else style["background-image"]
    if said in ("none", "transparent", *AS_AROUND):
        return before
    if same(its := stops(said)):
        return its[0] or before
    known = None if "url(" in said or "gradient" in said else colour(said)
    return known if known is None else known or before
