"""Selectors of style sheets, met step by step while a page is walked, each step once for an element.

A page is at rest: nobody points at it (`:hover`), and nothing was chosen (`:focus`). Of boxes (`::before`) nothing is
known: a selector that asks for one is none.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lxml.html import HtmlElement


class Trait(NamedTuple):
    """Of an element beside its names: its place among those beside it (`nth`), a part of an attribute, or that it meets
    none, one, or has one near it, of several compounds."""

    kind: str
    what: Any


class Compound(NamedTuple):
    """What one element has to have: names as `p`, `.note`, `#end`, `[data-x]`, `[data-x=1]`, `*`, in small letters but
    for values."""

    names: frozenset[str]
    asked: tuple[Trait, ...] = ()


class SelectorStep(NamedTuple):
    """`relation`: how one that meets the step `before` is beside it (`+`, `~`) or around it (`>`, blank); empty for the
    first."""

    compound: Compound
    relation: str = ""
    before: int = -1


class Matched(NamedTuple):
    """Numbers of steps that an element meets, that those meet that it lies within, and those before it there."""

    met: Set[int] = frozenset()
    around: Set[int] = frozenset()
    earlier: Set[int] = frozenset()


NOTHING = Matched()

MOST, ASKING, HAVING = 300, 5, 20
"""Steps for one name that are looked at, each for each element that has it; as how many of them one counts that is
asked; and kinds of elements that one may have in it, as a page is walked for each."""

_IN = r"\((?:[^()\"']|\"[^\"]*\"|'[^']*'|\((?:[^()]|\([^()]*\))*+\))*+\)"
_TOKEN = re.compile(
    rf"\s*+(?P<relation>[>+~])\s*+|(?P<blank>\s++)|(?P<asked>:[\w-]+(?:{_IN})?)|(?P<name>[.#][\w-]+|(?:\*\|)?(?:[\w-]+|\*))"
    r"|(?P<attribute>\[\s*([\w-]+)\s*(?:([~|^$*]?)=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'\]]+))\s*([is]?)\s*)?\])"
)
_SEPARATE = re.compile(rf"(?:[^,()\[\]]|{_IN}|\[[^\[\]]*\])++")
_NTH = re.compile(r"\s*(?:([-+]?\d{0,6})n\s*(?:([-+])\s*(\d{1,6}))?|([-+]?\d{1,6})|(odd|even))\s*")
_ONE = {"first-child": "nth-child", "last-child": "nth-last-child",
        "first-of-type": "nth-of-type", "last-of-type": "nth-last-of-type"}  # fmt: skip
_ONLY = {"only-child": ("first-child", "last-child"), "only-of-type": ("first-of-type", "last-of-type")}
_AT_REST = "hover active focus focus-within focus-visible target visited fullscreen -webkit-full-screen".split()
_ANY = ("is", "where", "matches", "any", "-webkit-any", "-moz-any")


def separate(selectors: str) -> list[str]:
    return [one.strip() for one in _SEPARATE.findall(selectors)]


def parts_of(selector: str) -> list[tuple[str, Compound]]:
    """Each compound behind its relation to the one before; nothing where one is not known."""
    parts, names, asked, relation, place = list[tuple[str, Compound]](), set[str](), list[Trait](), "", 0
    while place < len(selector):
        found = _TOKEN.match(selector, place)
        if not found:
            return []
        place = found.end()
        if found["relation"] or found["blank"]:
            if names or asked:
                parts.append((relation, Compound(frozenset(names), tuple(asked))))
                names, asked = set(), []
            elif found["relation"] and (parts or relation):
                return []
            relation = found["relation"] or " "
        elif found["name"]:
            names.add(found["name"].removeprefix("*|").lower())
        else:
            known = _of_attribute(found) if found["attribute"] else _of_place(found["asked"][1:])
            if known is None:
                return []
            names |= {one for one in known if isinstance(one, str)}
            asked += [one for one in known if isinstance(one, Trait)]
    return [*parts, (relation, Compound(frozenset(names), tuple(asked)))] if names or asked else []


def _of_attribute(found: re.Match[str]) -> "list[str | Trait]":
    name, operator, *values, flag = found.groups()[-6:]
    value = next((one for one in values if one is not None), None)
    if value is None or not (operator or flag == "i"):
        return [f"[{name.lower()}]" if value is None else f"[{name.lower()}={value}]"]
    return [f"[{name.lower()}]", Trait("attribute", (name.lower(), operator, value, flag == "i"))]


def _of_place(said: str) -> "list[str | Trait] | None":
    name, inside = said.partition("(")[0].lower(), said.partition("(")[2][:-1]
    if name in _AT_REST:
        return [NEVER]
    if name in ("root", "empty"):
        return ["html"] if name == "root" else [Trait(name, None)]
    if name in ("link", "any-link"):
        return ["a", "[href]"]
    if name in _ONLY:
        return [Trait("nth", (0, 1, "last" in one, "type" in one)) for one in _ONLY[name]]
    if name in _ONE:
        return [Trait("nth", (0, 1, "last" in name, "type" in name))]
    if name in _ONE.values():
        nth = _nth(inside.lower())
        return [Trait("nth", (*nth, "last" in name, "type" in name))] if nth else None
    if name == "has":
        near = [parts_of(one) for one in separate(inside)]
        return [Trait(name, tuple((one[0][0].strip(), one[0][1]) for one in near))] if _single(near) else None
    if name in ("not", *_ANY):
        some = [parts_of(one) for one in separate(inside)]
        kind = "where" if name == "where" else "not" if name == "not" else "is"
        return [Trait(kind, tuple(one[0][1] for one in some))] if _single(some) else None
    return None


NEVER = Trait("is", ())
"""What no element has."""


def _single(found: "Sequence[Sequence[object]]") -> bool:
    return bool(found) and all(len(one) == 1 for one in found)


def _nth(said: str) -> tuple[int, int] | None:
    """Of `an+b`."""
    found = _NTH.fullmatch(said)
    if not found:
        return None
    step, sign, more, alone, word = found.groups()
    if word:
        return 2, int(word == "odd")
    if alone:
        return 0, int(alone)
    return int(step + "1" if step in ("", "+", "-") else step), int((sign or "") + (more or "0"))


def strength(compound: Compound) -> int:
    """How exact it is: by ids, then classes and places, then tags."""
    of_names = sum({"#": 10_000, ".": 100, "[": 100, "*": 0}.get(one[0], 1) for one in compound.names)
    return of_names + sum(_strength(one) for one in compound.asked)


def _strength(asked: Trait) -> int:
    if asked.kind in ("is", "not"):
        return max(map(strength, asked.what), default=100)
    if asked.kind == "has":
        return max(strength(one) for _, one in asked.what)
    return {"where": 0, "attribute": 0}.get(asked.kind, 100)


class Steps:
    """Of all selectors of a page's sheets, each once."""

    def __init__(self) -> None:
        self._numbers: dict[SelectorStep, int] = {}
        self._looked_at: dict[str, list[tuple[int, SelectorStep]]] = {}
        self._costs: dict[str, int] = {}
        self._having: dict[tuple[str, Compound], Set[HtmlElement]] = {}
        self._places: dict[HtmlElement, Mapping[HtmlElement, tuple[int, int, int, int]]] = {}

    def add(self, parts: Sequence[tuple[str, Compound]]) -> int:
        """The number of the last step; -1 where there are too many, the first stands behind nothing, or nothing meets
        one."""
        before = -1
        if (parts[:1] and parts[0][0]) or any(NEVER in compound.asked for _, compound in parts):
            return before
        for relation, compound in parts:
            step = SelectorStep(compound, relation if before >= 0 else "", before)
            number = self._numbers.get(step, -1)
            if number < 0:
                key = _key(compound.names)
                cost = self._costs.get(key, 0) + 1 + ASKING * len(compound.asked)
                if cost > MOST:
                    return -1
                self._costs[key] = cost
                number = self._numbers[step] = len(self._numbers)
                self._looked_at.setdefault(key, []).append((number, step))
            before = number
        return before

    def place(self, element: "HtmlElement", inside: Matched, before: Matched) -> Matched:
        """Of an element, in that of the one that it is in, behind that of the one before it there."""
        if not self._numbers:
            return NOTHING
        names, met = names_of(element), set[int]()
        around = inside.around if inside.met <= inside.around else inside.around | inside.met
        earlier = before.earlier if before.met <= before.earlier else before.earlier | before.met
        near: Mapping[str, Set[int]] = {" ": around, ">": inside.met, "+": before.met, "~": earlier}
        for name in names & self._looked_at.keys():
            for number, (compound, relation, first) in self._looked_at[name]:
                if (first < 0 or first in near[relation]) and self._meets(compound, element, names):
                    met.add(number)
        return Matched(met, around, earlier)

    def _meets(self, compound: Compound, element: "HtmlElement", names: Set[str]) -> bool:
        return compound.names <= names and all(self._holds(one, element, names) for one in compound.asked)

    def _holds(self, asked: Trait, element: "HtmlElement", names: Set[str]) -> bool:
        match asked.kind:
            case "nth":
                return self._is_nth(element, *asked.what)
            case "attribute":
                return _has_part(element, *asked.what)
            case "empty":
                return not len(element) and not element.text
            case "has":
                return any(element in self._with(element, *one) for one in asked.what)
        return any(self._meets(one, element, names) for one in asked.what) != (asked.kind == "not")

    def _is_nth(self, element: "HtmlElement", step: int, first: int, last: bool, typed: bool) -> bool:
        parent = element.getparent()
        if parent is None:
            return False
        if parent not in self._places:
            self._places[parent] = _places(parent)
        at = self._places[parent][element][2 * typed + last] - first
        return at == 0 if step == 0 else at % step == 0 and at // step >= 0

    def _with(self, element: "HtmlElement", relation: str, wanted: Compound) -> "Set[HtmlElement]":
        """All elements of its page that have such a one within them, or behind them."""
        if (relation, wanted) not in self._having:
            root, found = element.getroottree().getroot(), set["HtmlElement"]()
            if len(self._having) < HAVING:
                for other in root.iter():
                    if self._meets(wanted, other, names_of(other)):
                        found |= set(_before(other, relation, found))
            self._having[relation, wanted] = found
        return self._having[relation, wanted]


def names_of(element: "HtmlElement") -> Set[str]:
    names = {str(element.tag), "*"}
    for name, value in element.items():
        names |= {f"[{name}]", f"[{name}={value}]"}
        if name == "class":
            names |= {f".{one}" for one in value.lower().split()}
        elif name == "id":
            names.add(f"#{value.lower()}")
    return names


def _key(names: Set[str]) -> str:
    """Under which a step is looked for: what fewest elements have."""
    return max(names, key=lambda one: ("*.[#".find(one[0]), one), default="*")


def _places(parent: "HtmlElement") -> "dict[HtmlElement, tuple[int, int, int, int]]":
    """Of each child, from 1: from the beginning, from the end, and both among those with its tag."""
    children, counts = list(parent), dict[str, int]()
    firsts = [counts.setdefault(str(child.tag), 0) for child in children]
    for at, child in enumerate(children):
        counts[str(child.tag)] = firsts[at] = counts[str(child.tag)] + 1
    return {
        child: (at + 1, len(children) - at, firsts[at], counts[str(child.tag)] - firsts[at] + 1)
        for at, child in enumerate(children)
    }


def _has_part(element: "HtmlElement", name: str, operator: str, wanted: str, any_case: bool) -> bool:
    value = str(element.get(name, ""))
    if any_case:
        value, wanted = value.lower(), wanted.lower()
    match operator:
        case "~":
            return wanted in value.split()
        case "|":
            return value == wanted or value.startswith(f"{wanted}-")
        case "^":
            return bool(wanted) and value.startswith(wanted)
        case "$":
            return bool(wanted) and value.endswith(wanted)
        case "*":
            return bool(wanted) and wanted in value
    return value == wanted


def _before(element: "HtmlElement", relation: str, known: "Set[HtmlElement]") -> "Iterator[HtmlElement]":
    """Those that have it within them, or behind them, up to one that is `known` to have such a one."""
    if relation in (">", "+"):
        found = element.getparent() if relation == ">" else element.getprevious()
        if found is not None:
            yield found
        return
    for one in element.itersiblings(preceding=True) if relation == "~" else element.iterancestors():
        if one in known:
            return
        yield one
