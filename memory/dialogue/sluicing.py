"""Follow-ups of a question word: 'why?', 'in which year?', 'how many visitors?'."""

import re
from collections.abc import Sequence

from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.word_classes import replaced


def tail(before: Parts) -> int:
    """Where something can be added: before an 'if', else at the end."""
    if before.clause > 0 and before.verb and before.clause > before.verb[0]:
        return len(before.text[: before.clause].rstrip())
    return before.end


_QUANTITY = ("number", "amount", "count")


def sluiced(fragment: Parts, before: Parts) -> tuple[str, str]:
    """'why?', 'against whom?', 'which papers?', 'how many visitors?': the question before asks for this."""
    assert fragment.asked
    asked = fragment.text[slice(*fragment.asked)]
    wanted = fragment.wanted
    if asked.casefold() in ("how many", "how much", "which", "whose") and before.wanted:
        asked = f"{asked} {before.wanted.text}"
    rest = fragment.text[fragment.asked[1] : fragment.end].strip(" ,?")
    extra = [one for one in fragment.phrases if one.role != "asked" and one.start >= fragment.asked[1]]
    low = asked.casefold()
    if rest and not extra:
        return "", ""
    if wanted and low.startswith(("how many", "how much")) and (counted := _counted(wanted, extra, before)):
        return counted, f"'{low}' is asked as in the question before"
    if (
        wanted
        and before.wanted
        and before.asked
        and low.split()[0] == before.text[slice(*before.asked)].split()[0].casefold()
    ):
        pieces = [(before.asked[0], before.asked[1], asked)]
        text = _with(replaced(before.text, [*pieces, *_added(extra, before)]))
        return text, f"'{before.text[slice(*before.asked)]}' becomes '{asked}'"
    there = before.subject is not None and before.subject.text.casefold() == "there"
    if (wanted and there) or not (before.subject or before.wanted):
        return "", ""
    if not before.aux:
        return "", ""
    if extra and not any(one.preposition == old.preposition for one in extra for old in before.phrases):
        pieces_added = [(tail(before), tail(before), f" {rest}")]
    else:
        pieces_added = _added(extra, before)
    gone = [
        (one.whole, one.end, "")
        for one in before.phrases
        if wanted and one.role != "asked" and not one.pronoun and one.noun == wanted.noun
    ]
    start = before.asked[0] if before.asked else before.lead
    aux = before.text[slice(*before.aux)]
    opening = (
        f"{asked[0].upper()}{asked[1:]} "
        if before.text[: before.aux[0]].strip()[:1].isupper() or start == 0
        else f"{asked} "
    )
    pieces = [(start, before.aux[0], opening), *gone, *pieces_added]
    if not before.asked:
        pieces.append((*before.aux, aux.casefold()))
        pieces[0] = (start, before.aux[0], opening)
    return _with(replaced(before.text, pieces)), f"'{asked}' is asked of the question before"


def _with(text: str) -> str:
    return text[0].upper() + text[1:] if text else text


def _added(extra: Sequence[Phrase], before: Parts) -> list[tuple[int, int, str]]:
    """The phrases behind the question word, each in the place of one with its preposition, else at the end."""
    made = []
    for one in extra:
        if not one.preposition:
            continue
        same = next((old for old in before.phrases if old.preposition == one.preposition and not old.pronoun), None)
        span = (same.whole, same.end) if same else (tail(before), tail(before))
        made.append((*span, f" {one.preposition} {one.text}"))
    return made


def _counted(wanted: Phrase, extra: Sequence[Phrase], before: Parts) -> str:
    """'how many tables in a join' after 'the number of columns in a table': 'the number of tables in a join'."""
    for one in before.phrases:
        found = re.search(rf"\b(?:{'|'.join(_QUANTITY)}) of (.+)$", one.text)
        if found and one.role != "asked":
            start = one.start + found.start(1)
            following = next(
                (p for p in before.phrases if p.start > one.start and p.preposition and not p.pronoun), None
            )
            put = [(start, one.end, wanted.text)]
            if following and not before.text[one.end : following.whole].strip():
                span = following.whole, following.end
                put += [(*span, f"{new.preposition} {new.text}") for new in extra[:1] if new.preposition]
            return replaced(before.text, put)
    return ""


def why_not(rest: str, before: Parts) -> tuple[str, str]:
    """'why not the other one?' after 'which printer did we choose?': 'why did we not choose the other printer?'"""
    subject, verb = before.subject, before.verb
    if not (before.aux and subject):
        return "", ""
    aux = before.text[slice(*before.aux)].casefold()
    if aux.endswith("n't"):
        return "", ""
    said = before.text[subject.end : before.end].strip()
    phrase, comma, remark = rest.partition(",")
    if phrase and verb:
        noun = before.wanted.text if before.wanted else ""
        phrase = re.sub(r"\bones?$", noun.removesuffix("s") if noun else "one", phrase)
        said = f"{before.text[slice(*verb)]} {phrase}{comma}{remark}"
    return f"Why {aux} {subject.text} not {said}", "the question before is asked with 'why not'"
