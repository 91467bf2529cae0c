"""What an answer names."""

import re
from collections.abc import Iterator
from itertools import pairwise

from clew.memory.dialogue.phrases import Referent
from clew.memory.dialogue.word_classes import LISTS

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_LINK = r"(?:of|the|of the|in the|to the|on the|de|von|van|der|la|le|du|da|di|al|bin)"
_NAME = re.compile(
    rf"\b(?:Dr|Mr|Mrs|Ms|St|Prof)\.?\s{_CAPITAL}(?:\s{_CAPITAL})*|\b{_CAPITAL}(?:(?:\s{_LINK})?\s{_CAPITAL})*"
)
_OF_A_PERSON = frozenset({"de", "von", "van", "der", "la", "le", "du", "da", "di", "al", "bin"})
TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof|Sir|Lady|Miss|Professor|Doctor)\b\.?")
SHE_TITLED = re.compile(r"(?:Mrs|Ms|Lady|Miss|Queen|Madam)\b")
HE_TITLED = re.compile(r"(?:Mr|Sir|Lord|King|Father)\b")
_OPENS = re.compile(r"[.?!:]['\"”’)]?\s+$")
_I = re.compile(r"I(?:['’]\w+)?$")
WHO = re.compile(r"(?:\w+,? )?who(?:['’]s| is| was) ", re.IGNORECASE)
_PLACED = re.compile(r"\b(in|at|near|from|to|on|outside|into)\s+(?:[a-z]+\s+){0,3}$", re.IGNORECASE)
_ITEM = r"(?:[\w()/'’.-]+ ){0,3}[\w()/'’.-]+"
_ENUMERATION = re.compile(rf"({_ITEM})((?:, {_ITEM})+),? (?:and|or) ({_ITEM})")


def looks_like_a_person(name: str, placed: str) -> bool:
    words = name.split()
    return (
        2 <= len(words) <= 4
        and not placed
        and all(w[0].isupper() or w in _OF_A_PERSON for w in words)
        and not any(character.isdigit() for character in name)
    )


def names(text: str) -> Iterator[Referent]:
    """Names of an answer in their order; two joined by `and` are one as well, behind both."""
    pairs: list[tuple[Referent, int, int]] = []
    for match in _NAME.finditer(text):
        name = re.sub(r"[’']s?$", "", match.group())
        start, article = match.start(), text[: match.start()].endswith(" the ")
        while name.split(" ")[0] in LISTS["openers"] and (start == 0 or " " not in name):
            first, _, name = name.partition(" ")
            start, article = start + len(first) + 1, first == "The"
        paired = re.match(r"\sand\s[A-Z]", text[match.end() : match.end() + 6])
        opens = (
            (start == 0 or _OPENS.search(text[max(0, start - 4) : start]) is not None)
            and " " not in name
            and not paired
            and not _repeated(name, text)
        )  # a lone word may have its capital from the sentence
        if name and not opens and not _I.fullmatch(match.group()):
            placed = _PLACED.search(text[max(0, start - 60) : start])
            full = f"the {name}" if article else name
            about = WHO.fullmatch(text[:start]) is not None
            preposition = placed.group(1).casefold() if placed else ""
            person = about or looks_like_a_person(full, preposition) or bool(TITLED.match(name))
            gender = "she" if SHE_TITLED.match(name) else "he" if HE_TITLED.match(name) else ""
            maybe = person or (not article and preposition not in ("in", "at", "near") and all_capitals(full))
            pairs.append(
                (Referent(full, len(pairs), True, person, maybe, False, preposition, gender), start, match.end())
            )
    yield from (mention for mention, _, _ in pairs)
    for (one, begin, end), (other, start, _) in pairwise(pairs):
        if text[end:start] == " and " and text[max(0, begin - 2) : begin] != ", ":  # no two of three
            yield Referent(f"{one.text} and {other.text}", len(pairs), True, plural=True)


def all_capitals(name: str) -> bool:
    words = name.split()
    if words[0] == "The" or words[-1].casefold() in LISTS["no_person"]:
        return False
    return all(word[0].isupper() or word in _OF_A_PERSON for word in name.split())


def _repeated(name: str, text: str) -> bool:
    """Written with its capital inside a sentence too."""
    return re.search(rf"[\w,] {re.escape(name)}\b", text) is not None


def enumerated(text: str) -> tuple[str, ...]:
    """'connect, read, write, and pool' of a sentence that lists them."""
    match = _ENUMERATION.search(text)
    if not match:
        return ()
    first, middle, last = match.groups()
    items = [first.split()[-1], *(part.strip() for part in middle.split(",") if part.strip()), last.strip().rstrip(".")]
    tail = items[-1].split()
    if len(tail) > 1 and tail[-1].endswith("s"):  # 'connect, read and pool timeouts'
        items = [*items[:-1], tail[0]]
        return tuple(f"{item} {tail[-1].removesuffix('s')}" for item in items)
    return (*items[:-1], tail[0]) if len(tail) > 2 else tuple(items)
