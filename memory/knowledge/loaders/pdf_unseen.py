"""What a page of a PDF says and does not show: text in the invisible mode, in white on nothing, of no size, or beside
the page.

A page that shows no other text on a picture is a scan, whose invisible text is what was read of it: that stays.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PageObject

_Box = tuple[float, float, float, float]
_PAINT, _NO_PAINT = ("f", "F", "f*", "B", "B*", "b", "b*"), ("n", "S", "s")
_SHOW = {"Tj": 0, "'": 0, '"': 2, "TJ": 0}
_INVISIBLE = (3, 7)
WHITE, TINY = 0.96, 0.5
"""From how much of each colour it is white, and points of a size that nobody reads."""


def seen_and_unseen(page: "PageObject") -> tuple[str, str]:
    """The text that is seen, and the rest."""
    watched = _Watched(page)
    seen = page.extract_text(visitor_operand_before=watched.operation)
    if not watched.dropped:
        return seen, ""
    whole = page.extract_text()
    if watched.pictures and not seen.strip():
        return whole, ""
    shown = {line.strip() for line in seen.splitlines()}
    return seen, "\n".join(line for line in whole.splitlines() if line.strip() not in shown)


class _Watched:
    """Follows what a page paints, and empties the operations that show text which is not seen."""

    def __init__(self, page: "PageObject") -> None:
        left, bottom, right, top = map(float, page.cropbox)
        self._page: _Box = (min(left, right), min(bottom, top), max(left, right), max(bottom, top))
        self._white, self._mode, self._size = False, 0, 1.0
        self._kept: list[tuple[bool, int, float]] = []
        self._path: list[tuple[float, float]] = []
        self._painted: list[_Box] = []
        self.pictures = self.dropped = 0

    def operation(self, operator: bytes | str, operands: Any, cm: Sequence[float], tm: Sequence[float]) -> None:
        """Before it is done (pypdf's `visitor_operand_before`)."""
        name = operator.decode("latin-1") if isinstance(operator, bytes) else operator
        try:
            if name in _SHOW:
                if self._is_unseen(cm, tm):
                    operands[_SHOW[name]] = type(operands[_SHOW[name]])()
                    self.dropped += 1
            else:
                self._follow(name, operands, cm)
        except (TypeError, ValueError, IndexError, ArithmeticError):
            pass  # an operation that is broken changes nothing

    def _follow(self, name: str, operands: Any, cm: Sequence[float]) -> None:
        if name == "q":
            self._kept.append((self._white, self._mode, self._size))
        elif name == "Q" and self._kept:
            self._white, self._mode, self._size = self._kept.pop()
        elif name == "Tr":
            self._mode = int(operands[0])
        elif name == "Tf":
            self._size = float(operands[1])
        elif name in ("g", "rg", "sc", "scn"):
            self._white = bool(operands) and all(float(one) >= WHITE for one in operands)
        elif name == "k":
            self._white = all(float(one) <= 1 - WHITE for one in operands)
        elif name == "re":
            x, y, width, height = map(float, operands)
            self._path += [_placed(x, y, cm), _placed(x + width, y + height, cm)]
        elif name in ("m", "l", "c"):
            self._path.append(_placed(float(operands[-2]), float(operands[-1]), cm))
        elif name == "Do":
            self.pictures += 1
            self._painted.append(_box([_placed(0, 0, cm), _placed(1, 1, cm)]))
        elif name in _PAINT and self._path:
            self._painted += [] if self._white else [_box(self._path)]
            self._path = []
        elif name in _NO_PAINT:
            self._path = []

    def _is_unseen(self, cm: Sequence[float], tm: Sequence[float]) -> bool:
        x, y = _placed(float(tm[4]), float(tm[5]), cm)
        size = abs(self._size) * max(abs(float(tm[0])), abs(float(tm[1]))) * max(abs(float(cm[0])), abs(float(cm[1])))
        if self._mode in _INVISIBLE or size < TINY or not _within(x, y, self._page):
            return True
        return self._white and not any(_within(x, y, box) for box in self._painted)


def _placed(x: float, y: float, cm: Sequence[float]) -> tuple[float, float]:
    a, b, c, d, e, f = map(float, cm)
    return a * x + c * y + e, b * x + d * y + f


def _box(points: Sequence[tuple[float, float]]) -> _Box:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _within(x: float, y: float, box: _Box) -> bool:
    return box[0] - 1 <= x <= box[2] + 1 and box[1] - 1 <= y <= box[3] + 1
