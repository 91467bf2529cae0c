"""Which words of a page of a PDF are not seen: in the invisible mode, in the colour of what is below them, clear, of no
size, beside the page, clipped or masked away, on a layer that is off, or under what was painted later.

What is below is known where it is a rectangle of one colour, and nothing is: the paper. Over pictures, patterns and
other paths words are seen.
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pypdf import PageObject

Corners = tuple[float, float, float, float]
Matrix = Sequence[float]
Ink = tuple[float, ...] | None
"""Red, green and blue, 0 to 1; None for one that is not known."""

PAPER: Ink = (1.0, 1.0, 1.0)
BLACK: Ink = (0.0, 0.0, 0.0)
SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
NEAR, CLEAR, TINY, NARROW = 0.05, 0.05, 0.5, 1.0
"""What two colours that look the same differ by at most, how much of a colour nobody sees, points of a size that nobody
reads, and of a place that nothing shows through."""

MOST = 1_000
"""Of what was painted is looked at for each piece of text."""

LETTER = 0.3
"""Of their size, what letters are wide at least."""

_FILL, _NO_FILL = ("f", "F", "f*", "B", "B*", "b", "b*"), ("n", "S", "s")
_SHOW = {"Tj": 0, "'": 0, '"': 2, "TJ": 0}
_SPACES = {"g": "/DeviceGray", "rg": "/DeviceRGB", "k": "/DeviceCMYK"}
_NO_COMPONENTS = ("/Separation", "/DeviceN", "/Lab", "/Indexed", "/Pattern")
"""Spaces whose numbers are not those of grey, of red, green and blue, or of four inks."""
_INVISIBLE = (3, 7)


class _State(NamedTuple):
    """Of what is painted and written: what `q` keeps and `Q` brings back. `ink` fills, `line` draws; each has its space
    of colours."""

    ink: Ink = BLACK
    line: Ink = BLACK
    ink_space: Any = "/DeviceGray"
    line_space: Any = "/DeviceGray"
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


def text_without(page: "PageObject", left_out: Collection[int]) -> str:
    """The text of a page without some of its pieces, which are counted as they are drawn."""
    numbers = count()

    def empty(operator: bytes | str, operands: Any, *_: Any) -> None:
        place = _SHOW.get(_name(operator))
        if place is not None and next(numbers) in left_out and place < len(operands):
            operands[place] = type(operands[place])()

    return page.extract_text(visitor_operand_before=empty)


class Watched:
    """What a page paints, in its order: its `text`, the `places` of each piece (where it begins and ends at least, in
    points, if that is known), the numbers of the pieces that are `hidden`, and how many `pictures` there are."""

    def __init__(self, page: "PageObject") -> None:
        left, bottom, right, top = map(float, page.cropbox)
        self._box = min(left, right), min(bottom, top), max(left, right), max(bottom, top)
        self._state, self._kept, self._around = _State(), list[_State](), list[tuple[Any, ...]]()
        self._base: Matrix = SAME
        self._resources: Mapping[str, Any] = entry(page, "/Resources") or {}
        self._path: list[tuple[float, float]] = []
        self._is_rectangle = self._clips = False
        self._layers, self._marked = _SwitchedLayers(page), list[bool]()
        self._closed: dict[int, bool] = {}
        self._painted: list[_Painted] = []
        self._painted_before: list[int] = []
        self.places, self.hidden, self.pictures = list[Corners | None](), set[int](), 0
        self.text = page.extract_text(visitor_operand_before=self._before, visitor_operand_after=self._after)
        self._cover()

    def _cover(self) -> None:
        """Hide the pieces that something was painted over."""
        covering = [place for place, one in enumerate(self._painted) if one.covers]
        for number, (box, before) in enumerate(zip(self.places, self._painted_before, strict=True)):
            first = bisect_left(covering, before)
            if box and any(_holds(self._painted[place].box, box) for place in covering[first : first + MOST]):
                self.hidden.add(number)

    def _ground(self, x: float, y: float, ink: Ink) -> Ink:
        """What is below a place: of much that was painted the last is looked at, but for what is as white as paper."""
        before = len(self._painted) if _alike(ink, PAPER) else MOST
        for one in islice(reversed(self._painted), before):
            if _is_in(x, y, one.box):
                return one.ink
        return PAPER if len(self._painted) <= before else None

    def _before(self, operator: bytes | str, operands: Any, cm: Matrix, tm: Matrix) -> None:
        name, cm = _name(operator), _within(cm, self._base)
        try:
            if name in _SHOW:
                self.places.append(None)
                self._painted_before.append(len(self._painted))
                self._show(operands, _SHOW[name], cm, tm)
            elif name == "Do":
                self._draw(str(operands[0]) if operands else "", cm)
            elif name == "q":
                self._kept.append(self._state)
            elif name == "Q":
                self._state = self._kept.pop()
            elif name in ("BMC", "BDC"):
                self._marked = [*self._marked, self._layers.is_hidden(operands, self._resources)]
            elif name == "EMC":
                self._marked = self._marked[:-1]
            elif name.lower() in ("g", "rg", "k", "cs", "sc", "scn"):
                self._colour(name.lower(), operands, "line" if name.isupper() else "ink")
            else:
                self._write(name, operands)
                self._follow(name, operands, cm)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
            pass  # an operation that is broken changes nothing

    def _after(self, operator: bytes | str, *_: Any) -> None:
        if _name(operator) == "Do" and self._around:
            self._base, self._resources, self._state, self._kept, self._path, self._marked = self._around.pop()

    def _draw(self, name: str, cm: Matrix) -> None:
        """A form is followed until `_after`; a picture is painted."""
        self._around.append((self._base, self._resources, self._state, self._kept, self._path, self._marked))
        drawn = entry(entry(self._resources, "/XObject"), name)
        self._marked = [*self._marked, self._layers.is_off(reference(drawn, "/OC"))]
        if entry(drawn, "/Subtype") == "/Form":
            self._base = _within(list(map(float, entry(drawn, "/Matrix") or SAME)), cm)
            self._resources = entry(drawn, "/Resources") or self._resources
            self._kept, self._path = [], []
        else:
            self.pictures += 1
            self._painted.append(_Painted(_box([_placed(0, 0, cm), _placed(1, 1, cm)]), None, covers=False))

    def _write(self, name: str, operands: Any) -> None:
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
            mask, closed = entry(said, "/SMask"), self._state.closed
            if mask is not None:
                if id(mask) not in self._closed:
                    self._closed[id(mask)] = isinstance(mask, dict) and _lets_nothing_through(mask)
                closed = self._closed[id(mask)]
            covers = not (blended or isinstance(mask, dict))
            self._state = self._state._replace(alpha=alpha, covers=covers, closed=closed)

    def _colour(self, name: str, operands: Any, what: str) -> None:
        space = _SPACES.get(name, getattr(self._state, f"{what}_space"))
        if name == "cs":
            space = entry(entry(self._resources, "/ColorSpace"), str(operands[0])) or str(operands[0])
            ink = None if _kind(space) in _NO_COMPONENTS else BLACK
        else:
            ink = _ink(space, operands)
        self._state = self._state._replace(**{what: ink, f"{what}_space": space})

    def _follow(self, name: str, operands: Any, cm: Matrix) -> None:
        if name == "re":
            x, y, width, height = map(float, operands)
            self._is_rectangle = not (self._path or cm[1] or cm[2])  # nor is it turned
            self._path += [_placed(x, y, cm), _placed(x + width, y + height, cm)]
        elif name in ("m", "l", "c", "v", "y"):
            self._path.append(_placed(float(operands[-2]), float(operands[-1]), cm))
            self._is_rectangle = False
        elif name in ("W", "W*"):
            self._clips = True
        elif name == "sh":
            self._painted.append(_Painted(self._box, None, covers=False))
        elif name in (*_FILL, *_NO_FILL):
            if self._path:
                self._end(_box(self._path), name in _FILL)
            self._path, self._is_rectangle, self._clips = [], False, False

    def _end(self, box: Corners, filled: bool) -> None:
        state = self._state
        if filled and state.alpha > CLEAR and not (state.closed or any(self._marked)):
            known = self._is_rectangle and state.covers and state.alpha > 1 - CLEAR
            self._painted.append(_Painted(box, state.ink if known else None, known))
        if self._clips:
            self._state = state._replace(clip=min(state.clip, box[2] - box[0], box[3] - box[1]))

    def _show(self, operands: Any, place: int, cm: Matrix, tm: Matrix) -> None:
        state, (x, y) = self._state, _placed(float(tm[4]), float(tm[5]), cm)
        size = abs(state.size) * max(abs(float(tm[0])), abs(float(tm[1]))) * max(abs(cm[0]), abs(cm[1]))
        if (
            state.mode in _INVISIBLE
            or min(state.alpha, abs(state.stretch) / 100) <= CLEAR
            or state.clip <= NARROW
            or size < TINY
            or not _is_in(x, y, self._box)
            or state.closed
            or any(self._marked)
            or all(ink and _alike(ink, self._ground(x, y, ink)) for ink in state.inks)
        ):
            self.hidden.add(len(self.places) - 1)
        said = operands[place] if isinstance(operands[place], list) else [operands[place]]
        letters = sum(len(part) for part in said if isinstance(part, (str, bytes)))
        level = not (cm[1] or cm[2] or float(tm[1]) or float(tm[2]))
        wide = LETTER * size * letters if level else float("inf")
        self.places[-1] = x, y, x + wide, y + LETTER * size


def _name(operator: bytes | str) -> str:
    return operator.decode("latin-1") if isinstance(operator, bytes) else operator


def _alike(one: Ink, other: Ink) -> bool:
    return bool(one and other) and all(abs(a - b) <= NEAR for a, b in zip(one or (), other or (), strict=True))


def _kind(space: Any) -> str:
    return str(space[0] if isinstance(space, list) and space else space)


def _ink(space: Any, operands: Sequence[Any]) -> Ink:
    kind = _kind(space)
    if not operands or isinstance(operands[-1], str):  # a pattern
        return None
    said = [float(one) for one in operands]
    if kind == "/Lab":
        return (said[0] / 100,) * 3 if max(map(abs, said[1:])) < 100 * NEAR else None
    if kind in ("/Separation", "/DeviceN"):
        return PAPER if not any(said) else _tint(space, said)
    if kind in _NO_COMPONENTS or len(said) not in (1, 3, 4):
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
    return _ink(space[2].get_object(), mixed)


def _within(inner: Matrix, outer: Matrix) -> list[float]:
    """One matrix, then the other."""
    a, b, c, d, e, f = map(float, inner)
    g, h, i, j, k, m = outer
    return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m]


def _placed(x: float, y: float, cm: Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = map(float, cm)
    return a * x + c * y + e, b * x + d * y + f


def _box(points: Sequence[tuple[float, float]]) -> Corners:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _is_in(x: float, y: float, box: Corners) -> bool:
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1


def _holds(outer: Corners, inner: Corners) -> bool:
    return outer[0] - 1 <= inner[0] and inner[2] <= outer[2] and outer[1] - 1 <= inner[1] and inner[3] <= outer[3]


# What hides words from outside of what paints them: soft masks that let nothing through (ISO 32000-1, 11.6.5) and
# layers that are switched off (8.11) ---------------------------------------------------------------------------------

MASK = 100_000
"""Bytes of what paints a mask that are looked at; a longer one lets through."""

_PAINTING = (*_FILL, "S", "s", *_SHOW)
_UNKNOWN = ("Do", "sh", "INLINE IMAGE", "gs", "cs", "CS", "sc", "SC", "scn", "SCN")


def entry(held: Any, name: str) -> Any:
    """Of what may be an indirect dictionary; None where there is nothing."""
    whole = held.get_object() if hasattr(held, "get_object") else held
    found: Any = whole.get(name) if isinstance(whole, dict) else None
    return found.get_object() if hasattr(found, "get_object") else found


def reference(held: Any, name: str) -> Any:
    """As it stands there, indirect or not; None where there is nothing."""
    whole = held.get_object() if hasattr(held, "get_object") else held
    return whole.raw_get(name) if isinstance(whole, dict) and name in whole and hasattr(whole, "raw_get") else None


def _lets_nothing_through(mask: Any) -> bool:
    """What a mask is made of paints nothing or, where its light counts, in black."""
    from pypdf.generic import ContentStream

    by_light, painted = str(entry(mask, "/S")) == "/Luminosity", entry(mask, "/G")
    around = any(map(float, entry(mask, "/BC") or ()))
    turned = str(entry(mask, "/TR") or "/Identity") != "/Identity"
    if turned or (by_light and around) or painted is None or len(painted.get_data()) > MASK:
        return False
    black = True
    for operands, operator in ContentStream(painted, None).operations:
        name = _name(operator)
        if name in _UNKNOWN or (name in _PAINTING and not (by_light and black)):
            return False
        if name.lower() in _SPACES:
            black = black and _ink(_SPACES[name.lower()], operands) == BLACK
    return True


class _SwitchedLayers:
    """Of a page's document: which are off as it is opened."""

    def __init__(self, page: "PageObject") -> None:
        layers = entry(getattr(page.pdf, "root_object", None), "/OCProperties")
        usual = entry(layers, "/D")
        self._off = _numbers(usual, "/OFF")
        if str(entry(usual, "/BaseState")) == "/OFF":
            self._off |= _numbers(layers, "/OCGs") - _numbers(usual, "/ON")

    def is_off(self, layer: Any) -> bool:
        """Of a layer, or of several that are shown where one of them is."""
        if not self._off or layer is None:
            return False
        its = entry(layer, "/OCGs")
        if its is None:
            return _number(layer) in self._off
        off = [self.is_off(one) for one in (its if isinstance(its, list) else [reference(layer, "/OCGs")])]
        policies = {"/AnyOn": all(off), "/AllOn": any(off), "/AnyOff": not any(off)}
        return bool(off) and policies.get(str(entry(layer, "/P") or "/AnyOn"), False)

    def is_hidden(self, operands: Sequence[Any], resources: Mapping[str, Any]) -> bool:
        """Whether what is marked so belongs to one that is off."""
        if len(operands) < 2 or str(operands[0]) != "/OC":
            return False
        return self.is_off(reference(entry(resources, "/Properties"), str(operands[1])))


def _numbers(held: Any, name: str) -> set[int]:
    listed = entry(held, name)
    return {_number(one) for one in listed} if isinstance(listed, list) else set()


def _number(held: Any) -> int:
    """Of an indirect object; 0 for one that is none."""
    return int(getattr(held, "idnum", 0) or getattr(getattr(held, "indirect_reference", None), "idnum", 0))
