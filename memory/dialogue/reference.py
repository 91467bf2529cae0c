"""What the words of a question stand for that point back: pronouns, 'there', 'the other one', 'which of the two'.

The nearest turn comes first, and in it what is likeliest to be spoken of again (`referents.py`); number and gender
agree.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from clew.memory.dialogue.phrases import Parts, Phrase, parts
from clew.memory.dialogue.referents import Referent, Said, is_foreign, referent_of
from clew.memory.dialogue.word_classes import LISTS, replaced

BACK = 3
"""Turns that are looked through for what a word stands for."""

HE = {"he": "{}", "him": "{}", "his": "{}'s", "himself": "{}"}
SHE = {"she": "{}", "her": "{}'s", "hers": "{}'s", "herself": "{}"}
IT = {"it": "{}", "its": "{}'s", "itself": "{}"}
THEY = {"they": "{}", "them": "{}", "their": "{}'s", "theirs": "{}'s", "themselves": "{}"}
POINTING = ("this", "that", "these", "those")
_KINDS = (HE, SHE, IT, THEY)

_AT = ("at", "near", "on", "outside")


_ORDINAL = re.compile(
    r"\b(?:the|that|this) (first|second|third|fourth|last|former|latter|other|same|next)( ones?)?"
    r"(?=\s*(?:[^\w\s]|$)|\s+(?:is|are|was|were|do|does|did|have|has|in|on|for|work|mean|cost)\b)",
    re.IGNORECASE,
)


def standing_for(question: str, turns: Sequence[Said]) -> tuple[str, list[str]]:
    """The question with names for what points back, and what stands for what; `turns`: newest first."""
    pieces: list[tuple[int, int, str]] = []
    why: list[str] = []
    found = parts(question)
    chosen: dict[int, Referent | None] = {}
    for token in found.tokens:
        low = token.low
        kind = next((place for place, forms in enumerate(_KINDS) if low in forms), None)
        if kind is None or (kind == 2 and _is_expletive(found, token.start)) or _explained(found, token.start, low):
            continue
        if kind not in chosen:
            taken = {one.text for one in chosen.values() if one}
            chosen[kind] = next((one for one in _candidates(low, turns) if one.text not in taken), None)
            if (it := chosen[kind]) and it.text.casefold() in question.casefold():
                chosen[kind] = None
            elif it:
                why.append(f"'{token.text}' is {it.text}")
        if it := chosen[kind]:
            form = _KINDS[kind][low]
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
    for start, end, new, reason in (*_places(question, turns), *_ones(question, found, turns)):
        if all(end <= one[0] or start >= one[1] for one in pieces):
            pieces.append((start, end, new))
            why.append(reason)
    if not pieces:
        pieces, why = _pointed(question, found, turns)
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


def _is_expletive(found: Parts, at: int) -> bool:
    rest = found.text[at:].casefold()
    if re.match(r"it (?:is |was )?(?:take(?!s? place)|true|possible|necessary|legal|safe|raining)", rest):
        return True
    return (
        re.match(r"it\b.{0,30}\b(?:to|that|if)\b", rest) is not None
        and found.aux is not None
        and not re.match(r"it \w+ to\b", rest)
        and re.search(r"\b(?:is|was|be|does) $", found.text[:at].casefold()) is not None
        and found.verb is None
    )


def _explained(found: Parts, at: int, low: str) -> bool:
    """The question itself says before what the pronoun stands for."""
    before = [one for one in found.phrases if one.end <= at and not one.pronoun and one.words]
    if not before:
        return False
    if low in THEY:
        return any(one.plural and one.role != "asked" for one in before)
    if low in IT:
        return any(one.role in ("subject", "object") and not one.plural and one.first != "his" for one in before) and (
            found.clause >= 0
            or found.text[:at].rstrip().casefold().endswith(("and", "or", "but", ","))
            or _ands(found, at)
        )
    return any(referent_of(one.text, one, 0, False).maybe_person for one in before)


def _ands(found: Parts, at: int) -> bool:
    return any(token.kind == "and" and token.end <= at for token in found.tokens)


def _candidates(low: str, turns: Sequence[Said]) -> Iterator[Referent]:
    """What a pronoun can stand for, likeliest first."""
    for turn in turns[:BACK]:
        who = re.match(r"who\b", turn.parts.body, re.IGNORECASE) is not None
        who = who and not any(one.about for one in turn.asked)
        asked = [] if _waits(turn, low) else list(turn.asked)  # whoever that was is still spoken of
        new = [one for one in turn.answered if one.text not in turn.question]
        both = [*asked, *turn.answered]
        if low in HE or low in SHE:
            gender = "he" if low in HE else "she"
            ranked = [*(new if who else ()), *(one for one in both if one.person or one in asked)]
            ranked = sorted(ranked, key=lambda one: not one.person)
            yield from (one for one in ranked if one.maybe_person and one.gender in ("", gender) and not one.plural)
        elif low in IT:
            if turn.topic and not turn.topic.person and not turn.topic.plural and turn.under_topic:
                yield turn.topic
            things = [one for one in asked if not one.person and not one.plural]
            if low == "its":  # of 'the insurance of the van' the van, where the library has that
                things.sort(key=lambda one: one.rank - 0.5 * one.known)
            yield from (one for one in things if not one.maybe_person)
            yield from _free_relative(turn)
            yield from (one for one in things if one.maybe_person)
            yield from (one for one in turn.answered[:2] if not one.person and not one.maybe_person and not one.plural)
        else:
            yield from (one for one in asked if one.plural)
            if len(turn.listed) == 2:
                yield Referent(" and ".join(turn.listed), 0.0, plural=True)
            yield from (one for one in turn.answered if one.plural)
    for turn in turns[:BACK] if low in IT or low in THEY else ():
        yield from (
            one
            for one in turn.asked
            if one.named
            and not one.person
            and "'s " not in one.text
            and (" " in one.text or not one.maybe_person if low in THEY else not one.plural)
        )


def _waits(turn: Said, low: str) -> bool:
    """The question of this turn has a pronoun of this kind for which nothing was found."""
    kind = next(forms for forms in _KINDS if low in forms)
    waiting = [one for one in turn.parts.tokens if one.low in kind]
    return (
        bool(waiting)
        and not any(_explained(turn.parts, one.start, one.low) for one in waiting)
        and not (kind is IT and any(_is_expletive(turn.parts, one.start) for one in waiting))
    )


def _free_relative(turn: Said) -> Iterator[Referent]:
    """'what the vet cost' of 'what did the vet cost'."""
    found = turn.parts
    if not (found.asked and found.aux and found.verb and found.subject):
        return
    asked, aux = found.text[slice(*found.asked)].casefold(), found.text[slice(*found.aux)].casefold()
    if asked == "what" and aux == "did" and not found.subject.pronoun:
        yield Referent(f"what {found.subject.text} {past(found.text[slice(*found.verb)])}", 3.0)


def past(verb: str) -> str:
    """The past form of a base form."""
    irregular = dict(pair.split("=") for pair in LISTS["past_of"])
    if verb in irregular:
        return irregular[verb]
    return verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if re.search(r"[^aeiou]y$", verb) else verb + "ed"


def _places(question: str, turns: Sequence[Said]) -> Iterator[tuple[int, int, str, str]]:
    there = re.search(r"\bthere(?=\s*(?:[^\w\s]|$)|\s+(?:as well|too|in|on|by|now)\b)", question, re.IGNORECASE)
    if not there or re.search(r"(?:is|are|was|were|be) $", question[: there.start()]):
        return
    for turn in turns[:BACK]:
        for one in (*turn.answered, *turn.asked) if not any(m.placed for m in turn.asked) else turn.asked:
            if one.placed:
                new = f"{one.placed if one.placed in _AT else 'in'} {one.text}"
                if one.text.casefold() not in question.casefold():
                    yield *there.span(), new, f"'there' is {new}"
                return
        wanted, body = turn.parts.wanted, turn.parts.body
        if wanted and re.match(r"(?:in|at|on) (?:which|what)\b", body, re.IGNORECASE):
            new = f"{body.split()[0].casefold()} {'those' if wanted.plural else 'that'} {wanted.text}"
            yield *there.span(), new, f"'there' is {new}"
            return


def _ones(question: str, found: Parts, turns: Sequence[Said]) -> Iterator[tuple[int, int, str, str]]:
    """'which of the two', 'which one', 'the last one', by what was listed."""
    newest = turns[0].listed or any(one.plural for one in turns[0].asked) if turns else ()
    listed = next((turn.listed for turn in turns[: 1 if newest else 2] if turn.listed), ())
    if match := re.search(
        r"\b(?:of (?:the two|the three|these|those|them|both)\b|(?<=which )ones?\b)", question, re.IGNORECASE
    ):
        if listed and len(listed) <= 6:
            new = f"of {', '.join(listed[:-1])} and {listed[-1]}"
            yield *match.span(), new, f"'{match.group()}' is {new}"
        elif match.group().casefold().startswith("one") and (noun := _noun(turns)):
            yield *match.span(), noun, f"'one' is {noun}"
        return
    if re.fullmatch(r"which (?:is|was|has|does) .*", found.body, re.IGNORECASE) and listed and turns[0].listed:
        at = found.asked[1] if found.asked else 0
        new = f" of {' and '.join(listed)}"
        yield at, at, new, f"'which' is{new}"
        return
    match = _ORDINAL.search(question)
    if match:
        place = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}.get(
            match.group(1).casefold()
        )
        if place is not None and listed and place < len(listed):
            new = _articled(listed[place])
            yield *match.span(), new, f"'{match.group()}' is {new}"
        elif match.group(2) and (noun := _noun(turns)):
            new = match.group()[: -len(match.group(2))] + " " + noun
            yield *match.span(), new, f"'{match.group(2).strip()}' is {noun}"


def _articled(item: str) -> str:
    last = item.split()[-1]
    return f"the {item}" if " " in item and item[0].islower() and last.isalpha() and item.split()[0] != "the" else item


def _noun(turns: Sequence[Said]) -> str:
    """What 'one' counts: 'printer' after 'which printer did we choose'."""
    for turn in turns[:2]:
        wanted = turn.parts.wanted
        if wanted and wanted.noun in ("kind", "kinds", "type", "types", "sort", "sorts"):
            at = turn.parts.phrases.index(wanted) + 1
            wanted = turn.parts.phrases[at] if at < len(turn.parts.phrases) else None
        if wanted and (noun := wanted.text):
            return noun.removesuffix("s") if wanted.plural else noun
        for one in turn.asked:
            if not one.named and not one.person:
                return one.noun.removesuffix("s") if one.plural else one.noun
    return ""


def _pointed(question: str, found: Parts, turns: Sequence[Said]) -> tuple[list[tuple[int, int, str]], list[str]]:
    """'that' as a whole phrase, 'this exhibition', and 'the exhibition' where one with more words was spoken of."""
    for phrase in found.phrases if not (turns and is_foreign(turns[0].parts)) else ():
        if (
            (compared := re.search(r"\b(?:that|this|the) difference$", phrase.text))
            and turns
            and len(turns[0].listed) == 2
        ):
            new = f"the difference between {turns[0].listed[0]} and {turns[0].listed[1]}"
            start = phrase.start + compared.start()
            return [(start, phrase.end, new)], [f"'{compared.group()}' is {new}"]
        if (
            phrase.pronoun
            and phrase.text.casefold() in POINTING
            and phrase.preposition not in ("before", "after", "than")
        ):
            if re.search(r"\bdo $", found.text[: phrase.start]) or _own_clause(found, phrase):
                continue
            if turns and phrase.role == "subject" and (when := _happening(found, turns[0])):
                end = found.end
                return [(phrase.start, phrase.end, "it"), (end, end, f" when {when}")], [f"it is about when {when}"]
            if new := _event(turns[0]) if turns and phrase.text.casefold() in ("that", "this") else "":
                return [(phrase.start, phrase.end, new)], [f"'{phrase.text}' is {new}"]
            low = "it" if phrase.text.casefold() in ("this", "that") else "they"
            asked = {one.text for turn in turns for one in turn.asked}
            for one in _candidates(low, turns):
                definite = one.named or one.text.startswith(("the ", "my ", "our ", "your ", "what ")) or one.plural
                if definite and one.text in asked and one.text.casefold() not in question.casefold():
                    return [(phrase.start, phrase.end, one.text)], [f"'{phrase.text}' is {one.text}"]
        elif phrase.definite and not phrase.pronoun and len(phrase.words) == 1 and phrase.role != "asked":
            for turn in turns[:BACK]:
                for one in turn.asked:
                    longer = len(one.text.split()) > len(phrase.text.split()) and one.noun == phrase.noun
                    if longer and not question[phrase.end :].startswith((" of ", " in ", " for ", "'s", "’s")):
                        return [(phrase.start, phrase.end, one.text)], [f"'{phrase.text}' is {one.text}"]
            if phrase.noun in LISTS["nameless"] - LISTS["people"] - LISTS["texts"]:
                for one in (m for turn in turns[:BACK] for m in turn.asked):
                    if one.named and not one.maybe_person and one.text.casefold() not in question.casefold():
                        return [(phrase.start, phrase.end, one.text)], [f"'{phrase.text}' is {one.text}"]
    return [], []


def _happening(found: Parts, before: Said) -> str:
    """'two monkeys flew on a rocket', of 'which two monkeys flew on a rocket?', for 'how long did that take?'"""
    asked, said = before.parts.wanted, before.parts.verb
    takes = found.verb is not None and found.text[slice(*found.verb)].casefold() in ("take", "last", "happen")
    if not (takes and asked and said) or before.parts.aux:
        return ""
    return f"{asked.text} {before.parts.text[said[0] : before.parts.end]}"


def _own_clause(found: Parts, phrase: Phrase) -> bool:
    """'that' behind a noun or verb begins a clause."""
    if phrase.text.casefold() != "that" or phrase.role == "subject" or phrase.preposition:
        return False
    return re.match(r"\s+\w", found.text[phrase.end :]) is not None and not re.match(
        r"\s+(?:on|off|up|down|out|in|at|for|to|too|as|by|with|completely|again|faster|better)\b",
        found.text[phrase.end :],
    )


def _event(turn: Said) -> str:
    """'shrinking the database file' of 'how do I shrink the database file'."""
    found = turn.parts
    subject, verb = found.subject, found.verb
    if not (subject and verb and found.aux) or found.text[slice(*found.aux)].casefold() not in (
        "do",
        "does",
        "did",
        "can",
        "could",
        "should",
    ):
        return ""
    if found.asked and subject.text.casefold() not in ("i", "you", "we", "one"):
        return ""
    if found.asked and found.text[slice(*found.asked)].casefold() not in ("how", "when", "why"):
        return ""
    end = found.clause if found.clause > verb[1] else found.end
    later = next(
        (one.whole for one in found.phrases if one.whole > verb[1] and one.preposition in ("after", "before")), end
    )
    rest = found.text[verb[1] : min(end, later)].strip(" ,?")
    objects = [one for one in found.phrases if one.role == "object" and verb[1] < one.start < end]
    if not objects or any(one.pronoun for one in objects):
        return ""
    return f"{ing(found.text[slice(*verb)])} {rest}".strip()


def ing(verb: str) -> str:
    """'shrinking', 'setting', 'making'."""
    low = verb.casefold()
    if low.endswith("ie"):
        return low[:-2] + "ying"
    if low.endswith("e") and not low.endswith(("ee", "oe", "ye")) and low != "be":
        return low[:-1] + "ing"
    if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", low):
        return low + low[-1] + "ing"
    return low + "ing"


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
