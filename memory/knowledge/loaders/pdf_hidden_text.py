"""Which words of a page of a PDF are not seen: in the invisible mode, in the colour of what is below them, clear, of no
size, beside the page, clipped or masked away, on a layer that is off, or under what was painted later.

What is below is known where it is a rectangle of one colour, and nothing is: the paper. Over pictures, patterns and
other paths words are seen.
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pypdf import PageObject

Corners = tuple[float, float, float, float]
Matrix = Sequence[float]
Ink = tuple[float, ...] | None
"""Red, green and blue, 0 to 1; None for one that is not known."""

PAPER: Ink = (1.0, 1.0, 1.0)
SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
NEAR, CLEAR, TINY, NARROW = 0.05, 0.05, 0.5, 1.0
"""What two colours that look the same differ by at most, how much of a colour nobody sees, points of a size that nobody
reads, and of a place that nothing shows through."""

MOST = 1_000
"""Of what was painted is looked at for each piece of text."""

LETTER = 0.3
"""Of their size, what letters are wide at least."""

_PAINT, _NO_PAINT = ("f", "F", "f*", "B", "B*", "b", "b*"), ("n", "S", "s")
_SHOW = {"Tj": 0, "'": 0, '"': 2, "TJ": 0}
_SPACES = {
    "/DeviceGray": 1,
    "/CalGray": 1,
    "/G": 1,
    "/DeviceRGB": 3,
    "/CalRGB": 3,
    "/DeviceCMYK": 4,
    "/CMYK": 4,
    "/RGB": 3,
}
_INVISIBLE = (3, 7)


class _State(NamedTuple):
    """Of what is painted and written: what `q` keeps and `Q` brings back."""

    ink: Ink = (0.0, 0.0, 0.0)
    line: Ink = (0.0, 0.0, 0.0)
    space: Any = "/DeviceGray"
    mode: int = 0
    size: float = 1.0
    stretch: float = 100.0
    alpha: float = 1.0
    covers: bool = True
    closed: bool = False
    clip: float = float("inf")
    """Points of the narrower side of what it is clipped to."""

    @property
    def inks(self) -> tuple[Ink, ...]:
        """Of letters that are filled, drawn as lines, or both."""
        return ((self.ink,), (self.line,), (self.ink, self.line))[min(self.mode % 4, 2)]


class _Painted(NamedTuple):
    box: Corners
    ink: Ink
    covers: bool


class _Shown(NamedTuple):
    """Words that are seen when they are written: where they begin and end at least, and what was painted before."""

    box: Corners
    painted: int


class _Around(NamedTuple):
    """What a form is drawn in."""

    base: Matrix
    resources: Mapping[str, Any]
    state: _State
    kept: list[_State]
    form: bool
    marked: list[bool]


class Watched:
    """Follows what a page paints, and empties the operations that show text which is not seen; those that are
    `covered` too, by their numbers."""

    def __init__(self, page: "PageObject", covered: Collection[int] = ()) -> None:
        left, bottom, right, top = map(float, page.cropbox)
        self._page, self._box = page, (min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        self._covered, self._shown = covered, list[_Shown | None]()
        self._state, self._kept, self._around = _State(), list[_State](), list[_Around]()
        self._base: Matrix = SAME
        self._resources: Mapping[str, Any] = entry(page, "/Resources") or {}
        self._path: list[tuple[float, float]] = []
        self._rectangles = self._others = 0
        self._clips = False
        self._layers, self._marked = SwitchedLayers(page), list[bool]()
        self._closed: dict[int, bool] = {}
        self._painted: list[_Painted] = []
        self.pictures = self.dropped = 0

    def text(self) -> str:
        """What is seen, but for what is covered later."""
        return self._page.extract_text(visitor_operand_before=self._before, visitor_operand_after=self._after)

    @property
    def places(self) -> list[Corners | None]:
        """Of each piece of text, in the order in which they were drawn; None for one that is not seen."""
        return [shown and shown.box for shown in self._shown]

    def covered(self) -> set[int]:
        """Numbers of the words that something was painted over."""
        places = [place for place, one in enumerate(self._painted) if one.covers]
        boxes = [self._painted[place].box for place in places]

        def later(shown: _Shown) -> list[Corners]:
            first = bisect_left(places, shown.painted)
            return boxes[first : first + MOST]

        return {
            number
            for number, shown in enumerate(self._shown)
            if shown and any(_holds(box, shown.box) for box in later(shown))
        }

    def _ground(self, x: float, y: float, ink: Ink) -> Ink:
        """What is below a place: of much that was painted the last is looked at, but for what is as white as paper."""
        before = len(self._painted) if _alike(ink, PAPER) else MOST
        for one in islice(reversed(self._painted), before):
            if _is_in(x, y, one.box):
                return one.ink
        return PAPER if len(self._painted) <= before else None

    def _before(self, operator: bytes | str, operands: Any, cm: Matrix, tm: Matrix) -> None:
        name = operator.decode("latin-1") if isinstance(operator, bytes) else operator
        cm = _within(cm, self._base)
        try:
            if name in _SHOW:
                self._show(operands, _SHOW[name], cm, tm)
            elif name == "Do":
                self._draw(str(operands[0]) if operands else "", cm)
            elif name in ("q", "Q"):
                if name == "q":
                    self._kept.append(self._state)
                elif self._kept:
                    self._state = self._kept.pop()
            elif name in ("BMC", "BDC"):
                self._marked = [*self._marked, self._layers.is_hidden(operands, self._resources)]
            elif name == "EMC":
                self._marked = self._marked[:-1]
            elif not self._writes(name, operands) and not self._colours(name, operands):
                self._follow(name, operands, cm)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
            pass  # an operation that is broken changes nothing

    def _after(self, operator: bytes | str, *_: Any) -> None:
        if operator in (b"Do", "Do") and self._around:
            self._base, self._resources, self._state, self._kept, form, self._marked = self._around.pop()
            self._path = [] if form else self._path

    def _draw(self, name: str, cm: Matrix) -> None:
        """A form is followed until `_after`; a picture is painted."""
        self._around.append(_Around(self._base, self._resources, self._state, self._kept, False, self._marked))
        drawn = entry(entry(self._resources, "/XObject"), name)
        self._marked = [*self._marked, self._layers.is_off(reference(drawn, "/OC"))]
        if entry(drawn, "/Subtype") == "/Form":
            self._around[-1] = self._around[-1]._replace(form=True)
            self._base = _within(list(map(float, entry(drawn, "/Matrix") or SAME)), cm)
            self._resources = entry(drawn, "/Resources") or self._resources
            self._kept, self._path = [], []
        else:
            self.pictures += 1
            self._painted.append(_Painted(_box([_placed(0, 0, cm), _placed(1, 1, cm)]), None, covers=False))

    def _writes(self, name: str, operands: Any) -> bool:
        """How letters are, and how much of all that is painted is seen."""
        if name == "Tr":
            self._state = self._state._replace(mode=int(operands[0]))
        elif name == "Tf":
            self._state = self._state._replace(size=float(operands[1]))
        elif name == "Tz":
            self._state = self._state._replace(stretch=float(operands[0]))
        elif name == "gs":
            said = entry(entry(self._resources, "/ExtGState"), str(operands[0])) or {}
            alpha = float(said.get("/ca", self._state.alpha))
            blended = str(said.get("/BM", "/Normal" if self._state.covers else "")) not in ("/Normal", "/Compatible")
            mask = entry(said, "/SMask")
            masked = isinstance(mask, dict)
            closed = self._is_closed(mask) if "/SMask" in said else self._state.closed
            self._state = self._state._replace(alpha=alpha, covers=not (blended or masked), closed=closed)
        else:
            return False
        return True

    def _is_closed(self, mask: Any) -> bool:
        if id(mask) not in self._closed:
            self._closed[id(mask)] = isinstance(mask, dict) and is_closed(mask)
        return self._closed[id(mask)]

    def _colours(self, name: str, operands: Any) -> bool:
        if name in ("g", "rg", "k"):
            space = {"g": "/DeviceGray", "rg": "/DeviceRGB", "k": "/DeviceCMYK"}[name]
            self._state = self._state._replace(space=space, ink=_ink(space, operands))
        elif name == "cs":
            space = str(operands[0])
            space = space if space in _SPACES else entry(entry(self._resources, "/ColorSpace"), space)
            first: Sequence[float] = (0, 0, 0, 1) if _parts(space) == 4 else (0,) * (_parts(space) or 0)
            self._state = self._state._replace(space=space, ink=_ink(space, first) if first else None)
        elif name in ("sc", "scn"):
            self._state = self._state._replace(ink=_ink(self._state.space, operands))
        elif name in ("G", "RG", "K", "CS", "SC", "SCN"):
            space = {"G": "/DeviceGray", "RG": "/DeviceRGB", "K": "/DeviceCMYK"}.get(name, "")
            self._state = self._state._replace(line=_ink(space, operands) if space else None)
        else:
            return False
        return True

    def _follow(self, name: str, operands: Any, cm: Matrix) -> None:
        if name == "re":
            x, y, width, height = map(float, operands)
            self._path += [_placed(x, y, cm), _placed(x + width, y + height, cm)]
            self._rectangles += 1
            self._others += bool(cm[1] or cm[2])  # it is turned
        elif name in ("m", "l", "c", "v", "y"):
            self._path.append(_placed(float(operands[-2]), float(operands[-1]), cm))
            self._others += 1
        elif name in ("W", "W*"):
            self._clips = True
        elif name == "sh":
            self._painted.append(_Painted(self._box, None, covers=False))
        elif name in (*_PAINT, *_NO_PAINT):
            if self._path:
                self._end(_box(self._path), name in _PAINT)
            self._path, self._rectangles, self._others, self._clips = [], 0, 0, False

    def _end(self, box: Corners, painted: bool) -> None:
        state = self._state
        if painted and state.alpha > CLEAR and not (state.closed or any(self._marked)):
            known = self._rectangles == 1 and not self._others and state.covers and state.alpha > 1 - CLEAR
            self._painted.append(_Painted(box, state.ink if known else None, known))
        if self._clips:
            self._state = state._replace(clip=min(state.clip, box[2] - box[0], box[3] - box[1]))

    def _show(self, operands: Any, place: int, cm: Matrix, tm: Matrix) -> None:
        state, (x, y) = self._state, _placed(float(tm[4]), float(tm[5]), cm)
        scale = max(abs(float(tm[0])), abs(float(tm[1]))) * max(abs(cm[0]), abs(cm[1]))
        size, number = abs(state.size) * scale, len(self._shown)
        if (
            number in self._covered
            or state.mode in _INVISIBLE
            or min(state.alpha, abs(state.stretch) / 100) <= CLEAR
            or state.clip <= NARROW
            or size < TINY
            or not _is_in(x, y, self._box)
            or state.closed
            or any(self._marked)
            or all(ink and _alike(ink, self._ground(x, y, ink)) for ink in state.inks)
        ):
            operands[place] = type(operands[place])()
            self.dropped += 1
            self._shown.append(None)
            return
        level = not (cm[1] or cm[2] or float(tm[1]) or float(tm[2]))
        wide = LETTER * size * _letters(operands[place]) if level else float("inf")
        self._shown.append(_Shown((x, y, x + wide, y + LETTER * size), len(self._painted)))


def _alike(one: Ink, other: Ink) -> bool:
    return bool(one and other) and all(abs(a - b) <= NEAR for a, b in zip(one or (), other or (), strict=True))


def _letters(said: Any) -> int:
    parts = said if isinstance(said, list) else [said]
    return sum(len(part) for part in parts if isinstance(part, (str, bytes)))


def _parts(space: Any) -> int | None:
    """How many numbers a colour has, where they are grey, red, green and blue, or four inks; None for another space."""
    if isinstance(space, str):
        return _SPACES.get(space)
    if not isinstance(space, list) or not space:
        return None
    if str(space[0]) == "/ICCBased":
        return int(entry(space[1], "/N")) if len(space) > 1 else None
    return _SPACES.get(str(space[0]))


def _ink(space: Any, operands: Sequence[Any]) -> Ink:
    if not operands or isinstance(operands[-1], str):  # a pattern
        return None
    said = [float(one) for one in operands]
    kind = str(space[0]) if isinstance(space, list) and space else ""
    if kind == "/Lab":
        return (said[0] / 100,) * 3 if max(map(abs, said[1:])) < 100 * NEAR else None
    if kind in ("/Separation", "/DeviceN"):
        return PAPER if not any(said) else _tint(space, said)
    if len(said) != _parts(space):
        return None
    if len(said) == 4:
        return tuple((1 - one) * (1 - said[3]) for one in said[:3])
    return tuple(said) if len(said) == 3 else (said[0],) * 3


def _tint(space: Any, said: Sequence[float]) -> Ink:
    """Of one ink of its own, that is mixed between two colours."""
    made = space[3].get_object() if len(space) > 3 else {}
    if len(said) != 1 or int(made.get("/FunctionType", -1)) != 2:
        return None
    none, full = made.get("/C0", [0]), made.get("/C1", [1])
    share = said[0] ** float(made.get("/N", 1))
    mixed = [float(a) + share * (float(b) - float(a)) for a, b in zip(none, full, strict=True)]
    other = space[2].get_object()
    return _ink(other if isinstance(other, list) else str(other), mixed)


def _within(inner: Matrix, outer: Matrix) -> list[float]:
    """One matrix, then the other."""
    a, b, c, d, e, f = map(float, inner)
    g, h, i, j, k, m = outer
    return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m]


def _placed(x: float, y: float, cm: Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = map(float, cm)
    return a * x + c * y + e, b * x + d * y + f


def _box(points: Sequence[tuple[float, float]]) -> Corners:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _is_in(x: float, y: float, box: Corners) -> bool:
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


def _holds(outer: Corners, inner: Corners) -> bool:
    return outer[0] - 1 <= inner[0] and inner[2] <= outer[2] and outer[1] - 1 <= inner[1] and inner[3] <= outer[3]


# What hides words from outside of what paints them: soft masks that let nothing through (ISO 32000-1, 11.6.5) and
# layers that are switched off (8.11) ---------------------------------------------------------------------------------

MASK = 100_000
"""Bytes of what paints a mask that are looked at; a longer one lets through."""

_PAINTING = (*("f", "F", "f*", "B", "B*", "b", "b*", "S", "s"), *("Tj", "TJ", "'", '"'))
_UNKNOWN = ("Do", "sh", "INLINE IMAGE", "gs", "cs", "CS", "sc", "SC", "scn", "SCN")
_BLACK = {"g": (0.0,), "G": (0.0,), "rg": (0.0,) * 3, "RG": (0.0,) * 3}


def resolved(held: Any) -> Any:
    return held.get_object() if hasattr(held, "get_object") else held


def entry(held: Any, name: str) -> Any:
    """Of what may be an indirect dictionary; None where there is nothing."""
    whole = resolved(held)
    return resolved(whole.get(name)) if isinstance(whole, dict) else None


def reference(held: Any, name: str) -> Any:
    """As it stands there, indirect or not; None where there is nothing."""
    whole = resolved(held)
    return whole.raw_get(name) if isinstance(whole, dict) and name in whole and hasattr(whole, "raw_get") else None


def is_closed(mask: Any) -> bool:
    """Whether a mask lets nothing through: what it is made of paints nothing or, where its light counts, in black."""
    from pypdf.generic import ContentStream

    by_light, painted = str(entry(mask, "/S")) == "/Luminosity", entry(mask, "/G")
    around = [float(one) for one in entry(mask, "/BC") or ()]
    turned = str(entry(mask, "/TR") or "/Identity") != "/Identity"
    if turned or (by_light and any(around)) or painted is None or len(painted.get_data()) > MASK:
        return False
    black = True
    for operands, operator in ContentStream(painted, None).operations:
        name = operator.decode("latin-1") if isinstance(operator, bytes) else str(operator)
        if name in _UNKNOWN or (name in _PAINTING and not (by_light and black)):
            return False
        if name in ("g", "rg", "k", "G", "RG", "K"):
            black = black and tuple(float(one) for one in operands) == _BLACK.get(name)
    return True


class SwitchedLayers:
    """Of a page's document: which are off as it is opened."""

    def __init__(self, page: "PageObject") -> None:
        catalog: Any = page.pdf.root_object if page.pdf is not None and hasattr(page.pdf, "root_object") else {}
        usual = entry(entry(catalog, "/OCProperties"), "/D")
        listed = entry(usual, "/ON" if str(entry(usual, "/BaseState")) == "/OFF" else "/OFF")
        self._all_off = str(entry(usual, "/BaseState")) == "/OFF"
        self._listed = {_number(one) for one in listed or ()} if isinstance(listed, list) else set()

    def is_off(self, layer: Any) -> bool:
        """Of a layer, or of several that are shown where one of them is."""
        if not (self._all_off or self._listed) or layer is None:
            return False
        its = entry(layer, "/OCGs")
        if its is None:
            return (_number(layer) in self._listed) != self._all_off
        policy = str(entry(layer, "/P") or "/AnyOn")
        off = [self.is_off(one) for one in (its if isinstance(its, list) else [reference(layer, "/OCGs")])]
        return bool(off) and {"/AnyOn": all(off), "/AllOn": any(off), "/AnyOff": not any(off)}.get(policy, False)

    def is_hidden(self, operands: Sequence[Any], resources: Mapping[str, Any]) -> bool:
        """Whether what is marked so belongs to one that is off."""
        if len(operands) < 2 or str(operands[0]) != "/OC":
            return False
        return self.is_off(reference(entry(resources, "/Properties"), str(operands[1])))


def _number(held: Any) -> int:
    """Of an indirect object; 0 for one that is none."""
    return int(getattr(held, "idnum", 0) or getattr(getattr(held, "indirect_reference", None), "idnum", 0))
