"""What hides words of a PDF from outside of what paints them: soft masks that let nothing through (ISO 32000-1, 11.6.5)
and layers that are switched off (8.11)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PageObject

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
