"""What the words of a question stand for that point back: pronouns, 'there', 'the other one', 'which of the two'.

The nearest turn comes first, and in it what is likeliest to be spoken of again (`referents.py`); number and gender
agree.
"""

import re
from collections.abc import Iterable, Sequence

from clew.memory.dialogue.antecedents import KINDS, candidates, explained, is_expletive
from clew.memory.dialogue.phrases import Parts, Referent
from clew.memory.dialogue.pointing import ones, places, pointed
from clew.memory.dialogue.question_parser import parts
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.word_classes import replaced


def standing_for(question: str, turns: Sequence[Said]) -> tuple[str, list[str]]:
    """The question with names for what points back, and what stands for what; `turns`: newest first."""
    pieces: list[tuple[int, int, str]] = []
    why: list[str] = []
    found = parts(question)
    chosen: dict[int, Referent | None] = {}
    for token in found.tokens:
        low = token.low
        kind = next((place for place, forms in enumerate(KINDS) if low in forms), None)
        if kind is None or (kind == 2 and is_expletive(found, token.start)) or explained(found, token.start, low):
            continue
        if kind not in chosen:
            taken = {one.text for one in chosen.values() if one}
            chosen[kind] = next((one for one in candidates(low, turns) if one.text not in taken), None)
            if (it := chosen[kind]) and it.text.casefold() in question.casefold():
                chosen[kind] = None
            elif it:
                why.append(f"'{token.text}' is {it.text}")
        if it := chosen[kind]:
            form = KINDS[kind][low]
            if low == "her" and _is_object(question, token.end):
                form = "{}"
            if low in ("its", "his", "her", "their", "theirs") and any(done[2].startswith(it.text) for done in pieces):
                continue  # 'does Radu keep his pets'
            the = (
                "the "
                if question[: token.start].endswith("of ") and it.plural and it.text.islower() and " " not in it.text
                else ""
            )
            pieces.append((token.start, token.end, the + _possessive(form, it)))
    for start, end, new, reason in (*places(question, turns), *ones(question, found, turns)):
        if all(end <= one[0] or start >= one[1] for one in pieces):
            pieces.append((start, end, new))
            why.append(reason)
    if not pieces:
        pieces, why = pointed(question, found, turns)
    return (agreeing(_once_only(replaced(question, pieces), chosen.values()), found) if pieces else question), why


def _once_only(text: str, chosen: Iterable[Referent | None]) -> str:
    """'does Radu feed Radu's cat' is 'does Radu feed his cat', where 'his' was not the word."""
    for one in chosen:
        if one and one.person and text.count(one.text) > 1:
            head, _, tail = text.partition(one.text)
            own = "her" if one.gender == "she" else "his"
            text = head + one.text + re.sub(rf"{re.escape(one.text)}['’]s?\b", own, tail)
    return text


def _possessive(form: str, it: Referent) -> str:
    if form.endswith("'s") and (it.plural and it.text.endswith("s")):
        return f"{it.text}'"
    return form.format(it.text)


def _is_object(question: str, end: int) -> bool:
    """'Who taught her?', not 'her films'."""
    rest = question[end:].casefold()
    return (
        re.match(r"\s*(?:[^\w\s]|$)|\s+(?:a|an|the|in|on|at|to|for|from|with|by|of|about|and|or|as|when)\b", rest)
        is not None
    )


def agreeing(question: str, before: Parts) -> str:
    """'are the flat' is 'is the flat', where the question before had another subject."""
    found = parts(question)
    subject = found.subject
    if not (found.aux and subject) or subject.pronoun or (before.subject and before.subject.text == subject.text):
        return question
    aux = found.text[slice(*found.aux)]
    several = (
        subject.plural
        or found.text[subject.end :].startswith(" and ")
        or re.search(r"\w and \w", subject.text) is not None
    )
    pairs = {"is": "are", "was": "were", "does": "do", "has": "have", "isn't": "aren't", "doesn't": "don't"}
    wanted = (
        pairs.get(aux.casefold(), "")
        if several
        else {one: other for other, one in pairs.items()}.get(aux.casefold(), "")
    )
    if not wanted or (not several and not subject.definite and subject.noun.endswith("s")):
        return question
    if several and subject.named and " and " not in subject.text:
        return question
    return question[: found.aux[0]] + (wanted.capitalize() if aux[0].isupper() else wanted) + question[found.aux[1] :]
