"""Fonts of a PDF that have no space: what is written in them shows where words end by gaps alone, and pypdf takes a gap
for a space where it is half as wide as the font's. Such fonts, of TeX for the most part, are measured by a glyph that
merely has the space's number, and lose the spaces of every narrow line ("thewordsofaline").
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PageObject

SPACE, WIDEST, USUAL = 32, 450, 250
"""The number of the space, and thousandths of the font's size: no letters of different widths have a space of `WIDEST`,
most have one of `USUAL`."""

DEEPEST = 5
"""Forms within forms that are looked into."""

_NO_GLYPH = b"1 beginbfchar\n<FFFF> <0020>\nendbfchar\n"


def give_spaces(page: "PageObject", done: set[int]) -> None:
    """Changes the fonts of a page, as read, that have no space to fonts that have a usual one. `done` has the `id`s of
    those that were looked at before. Raises what pypdf raises where the page is broken."""
    for font in _fonts(_of(page, "/Resources") or {}, 0):
        if id(font) not in done:
            done.add(id(font))
            if _of(font, "/Subtype") == "/Type0":
                _give_number(font)
            else:
                _give_width(font)


def _fonts(resources: Any, depth: int) -> Iterator[Any]:
    yield from _values(resources, "/Font")
    for form in _values(resources, "/XObject") if depth < DEEPEST else ():
        if "/Resources" in form:
            yield from _fonts(form["/Resources"], depth + 1)


def _values(resources: Any, name: str) -> Iterator[Any]:
    held = _of(resources, name) or {}
    return (value for one in held.values() if isinstance(value := one.get_object(), Mapping))


def _of(one: Any, key: str) -> Any:
    """Also where it stands elsewhere in the file, which `get` does not read."""
    return one[key] if key in one else None  # noqa: SIM401


def _give_width(font: Any) -> None:
    """Of a font with a width for each number."""
    from pypdf.generic import NumberObject

    widths: Any = _of(font, "/Widths") or []
    place = SPACE - int(_of(font, "/FirstChar") or 0)
    if not 0 <= place < len(widths) or float(widths[place]) < WIDEST:
        return
    if len({float(width) for width in widths if width}) > 1:
        widths[place] = NumberObject(USUAL)


def _give_number(font: Any) -> None:
    """Of a font of many glyphs, whose numbers are no letters: where none is a space, one that nothing shows is."""
    from pypdf.generic import DecodedStreamObject, NameObject, StreamObject

    written = _of(font, "/ToUnicode")
    data = written.get_data() if isinstance(written, StreamObject) else b""
    if b"<0020>" in data or b"endcmap" not in data:
        return
    before, end, behind = data.rpartition(b"endcmap")
    made = DecodedStreamObject()
    made.set_data(before + _NO_GLYPH + end + behind)
    font[NameObject("/ToUnicode")] = made
