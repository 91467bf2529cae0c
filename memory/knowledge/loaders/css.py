"""What a page's style sheets say of an element, as far as it can be known without a browser.

A rule for some screens holds where one of 1,200 pixels is meant, none for print does.
"""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from clew.memory.knowledge.loaders.css_selectors import Matched, Steps, parts_of, separate, strength
from clew.memory.knowledge.loaders.css_values import worked_out

if TYPE_CHECKING:
    from lxml.html import HtmlElement

Style = dict[str, str]

WIDTH = 1200.0
"""Pixels of the screen that rules are read for."""

WRITTEN, NESTED = 50, 5
"""Selectors that rules within rules come to at most, and how deep these may lie."""

CLOSING = 2 * (NESTED + 1) * "}"
"""What a sheet ends is closed."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|([^\n0-9a-f]))", re.I)
_PIECE = re.compile(r"([^{};]*+)([{};]|\Z)")
_FEATURE = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d*\.?\d+)\s*(px|em|rem)\s*\)")
_EM = {"em": 16.0, "rem": 16.0}
_VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_SIZE_OF_FONT = re.compile(r"(?:^|\s)((?:\d*\.?\d+)(?:px|pt|em|rem|%|vw|vh|cm|mm|in)|0)(?=[\s/])")
_OTHER_NAMES = {
    "inset-inline-start": "left",
    "inset-block-start": "top",
    "margin-inline-start": "margin-left",
    "margin-block-start": "margin-top",
    "inline-size": "width",
    "block-size": "height",
    "max-inline-size": "max-width",
    "max-block-size": "max-height",
    **{f"-webkit-{name}": name for name in ("clip-path", "mask", "mask-image", "mask-size", "transform", "filter")},
}
_WORD = re.compile(r"[\w-]+")
_KEYFRAMES = "@keyframes "
_THROUGH = ("@layer", "@scope", "@starting-style")


class _Block(NamedTuple):
    """What braces hold that are open: rules for `selectors`, which hold here or do not; None: outside of any."""

    selectors: tuple[str, ...] | None
    holds: bool
    body: list[str]


class Sheet:
    """Of a page: its rules, one style for each selector however often it is said."""

    def __init__(self, css: str) -> None:
        self._steps = Steps()
        self._styles: dict[int, tuple[int, int, Style]] = {}
        self._variables: Style = {}
        self._moments: dict[str, Style] = {}
        css = _QUOTED.sub(_without_marks, _COMMENT.sub("", css))
        for number, (selectors, body) in enumerate(_rules(_unescaped(css))):
            style = declared(body)
            if selectors[0].startswith(_KEYFRAMES):
                self._moments |= {one: over(self._moments.get(one, {}), style) for one in selectors}
                continue
            self._variables |= {name: value for name, value in style.items() if name.startswith("--")}
            for parts in map(parts_of, selectors) if style else ():
                last = self._steps.add(parts)
                if last >= 0:
                    before = self._styles.get(last, (0, 0, Style()))[2]
                    exact = sum(strength(compound) for _, compound in parts)
                    self._styles[last] = (exact, number, over(before, style))

    def place(self, element: "HtmlElement", inside: Matched, before: Matched) -> Matched:
        return self._steps.place(element, inside, before)

    def style(self, place: Matched, own: str) -> Style:
        """What is said of an element, the stronger last (the more exact, then the later one, then its own)."""
        if not own and not place.met:
            return {}
        found = [self._styles[number] for number in place.met if number in self._styles]
        merged = Style()
        for _, _, style in sorted(found, key=lambda one: one[:2]):
            merged = over(merged, style)
        merged = over(merged, declared(_unescaped(_COMMENT.sub("", own)))) if own else merged
        merged = over(merged, self._ended(merged))
        return {name: self._with_variables(value, merged) for name, value in merged.items()} if merged else merged

    def _ended(self, style: Style) -> Style:
        """What an animation leaves an element with, where it is to stay so."""
        said = [word for name, value in style.items() if name.startswith("animation") for word in _WORD.findall(value)]
        if not said or "infinite" in said or not {"forwards", "both"} & set(said):
            return {}
        moments = ("from", "0%") if "reverse" in said else ("to", "100%")
        ended = Style()
        for name in said:
            for moment in moments:
                ended |= self._moments.get(f"{_KEYFRAMES}{name} {moment}", {})
        return ended

    def _with_variables(self, value: str, style: Style) -> str:
        def meant(found: re.Match[str]) -> str:
            return style.get(found[1], self._variables.get(found[1], found[2] or ""))[:100]

        if "var(" not in value:
            return value
        for _ in range(NESTED):
            value = _VARIABLE.sub(meant, value[:1000])
        return worked_out(value.strip())


def sheets_of(root: "HtmlElement") -> str:
    """What is in the page itself, for a screen."""
    found = list[str]()
    for element in root.iter("style", "link"):
        kind, href = element.get("type", "").lower(), element.get("href", "")
        if not _holds("@media", element.get("media", "").lower()) or kind not in ("", "text/css"):
            continue
        if element.tag == "style":
            found.append(element.text or "")
        elif element.get("rel", "").lower().split() == ["stylesheet"] and href[:5].lower() == "data:":
            head, _, data = href.partition(",")
            try:
                packed = head.lower().endswith(";base64")
                found.append(b64decode(unquote(data)).decode("utf-8", "replace") if packed else unquote(data))
            except (Error, ValueError):
                continue
    return "".join(f"{sheet}\n{CLOSING}\n" for sheet in found)


def over(style: Style, later: Style) -> Style:
    return style | {name: value for name, value in later.items() if not style.get(name, "").endswith("!important")}


def declared(body: str) -> Style:
    pairs = (declaration.partition(":") for declaration in body[:10_000].casefold().split(";"))
    style = Style()
    for name, value in ((name.strip(), worked_out(value.strip())) for name, _, value in pairs):
        if name == "font" and (size := _SIZE_OF_FONT.search(value)):
            style["font-size"] = size[1]
        elif name in ("inset", "margin") and (sides := value.split()):
            style |= {f"{name} top": sides[0], f"{name} left": (sides * 4)[3 if len(sides) > 1 else 0]}
        elif value:
            style[_OTHER_NAMES.get(name, name)] = value
    return style


def _without_marks(found: re.Match[str]) -> str:
    """Nothing in quotes is a mark of the language."""
    return found[0] if not set("{};") & set(found[0]) else '""'


def _unescaped(css: str) -> str:
    """What is written by its number is itself, but where it would be a mark of the language."""

    def letter(found: re.Match[str]) -> str:
        one = chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2]
        return one if re.match(r"[\w-]", one) else ""

    return _ESCAPED.sub(letter, css) if "\\" in css else css


def _rules(css: str) -> Iterator[tuple[Sequence[str], str]]:
    """Selectors and what is declared for them, for this screen; of rules in rules too."""
    open_ = [_Block(None, True, [])]
    for found in _PIECE.finditer(css):
        said, mark = found[1].strip(), found[2]
        if mark == "{":
            open_.append(_opened(said, open_[-1], len(open_)))
            continue
        open_[-1].body.append(said)
        if mark == "}" and len(open_) > 1:
            block = open_.pop()
            if block.holds and block.selectors and any(block.body):
                yield block.selectors, ";".join(block.body)
        elif mark == "}":
            open_[-1].body.clear()


def _opened(said: str, around: _Block, depth: int) -> _Block:
    if not around.holds or depth > 2 * NESTED:
        return _Block(None, False, [])
    if said.startswith("@"):
        kind, _, rest = said.casefold().partition(" ")
        if kind.endswith("keyframes"):
            return _Block((f"{_KEYFRAMES}{rest.strip()}",), True, [])
        kind = re.split(r"[\s(]", said.lower(), maxsplit=1)[0]
        holds = kind in _THROUGH or _holds(kind, said[len(kind) :].lower())
        return _Block(around.selectors, holds, [])
    own = separate(said)
    if around.selectors is None:
        return _Block(tuple(own), True, [])
    written = [one.replace("&", outer) if "&" in one else f"{outer} {one}" for outer in around.selectors for one in own]
    return _Block(tuple(one for one in written[:WRITTEN] if len(one) < 500), True, [])


def _holds(kind: str, condition: str) -> bool:
    if kind != "@media":
        return kind == "@supports" and not condition.strip().startswith("not")
    return any(map(_meant, condition.split(",")))


def _meant(query: str) -> bool:
    """Whether a query is for a screen of `WIDTH`; what else it may ask for is not known, and not held to be so."""
    for least, width, unit in _FEATURE.findall(query):
        pixels = float(width) * _EM.get(unit, 1.0)
        if pixels > WIDTH if least == "min" else pixels < WIDTH:
            return False
    return not set(_FEATURE.sub(" ", query).split()) - {"screen", "all", "only", "and"}
