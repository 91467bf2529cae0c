"""What 'there', 'the other one', 'which of the two' and 'that' point at."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from clew.memory.dialogue.answer_names import two_told
from clew.memory.dialogue.antecedents import BACK, both_of, candidates
from clew.memory.dialogue.binding import POINTING
from clew.memory.dialogue.deeds import NOT_DONE, Replacement, done, event, happening, measure, undergone
from clew.memory.dialogue.phrases import Parts, Phrase
from clew.memory.dialogue.referents import Said
from clew.memory.dialogue.word_classes import LISTS, singular
from clew.memory.dialogue.written_types import written_type
from clew.memory.text import content_words

_AT = ("at", "near", "on", "outside")
_NAMELESS = LISTS["nameless"] - LISTS["people"] - LISTS["texts"]

Pointed = tuple[list[tuple[int, int, str]], list[str]]
"""The pieces of a question to replace (start, end, words), and why."""


_ORDINAL = re.compile(
    r"\b(?:the|that|this) (first|second|third|fourth|last|former|latter|other|same|next)(?:( ones?)\b|"
    r"(?=\s*(?:[^\w\s]|$)|\s+(?:is|are|was|were|do|does|did|have|has|in|on|for|work|mean|cost)\b))",
    re.IGNORECASE,
)


_COMPARES = re.compile(
    r"(?:who|which|whose \w+|what) (?:is|was|are|were|has|had|lived|died|came|started|lasts?|costs?|weighs?)(?: born)? "
    r"(?:\w+ly )?(?:the )?(more|less|fewer|better|worse|first|earlier|later|[a-z]{2,}er)(?: [a-z]+)?$",
    re.IGNORECASE,
)
"""'Who was older', 'which costs more': of the two that were spoken of."""


_GOES = re.compile(
    r"\b(?:gets?|got|go|goes|going|went|come|comes|came|coming|moved?|moving|travel|travelled|fly|flew|flying|sail|sailed"
    r"|drive|drove|cycle|cycled|sent|send|bring|brought|takes?|took)(?: (?:it|them|him|her|me|us|back))? $",
    re.IGNORECASE,
)
"""What leads to a place: 'how do we get there?'"""


def places(question: str, turns: Sequence[Said]) -> Iterator[Replacement]:
    """What 'there' stands for."""
    there = re.search(r"\bthere(?=\s*(?:[^\w\s]|$)|\s+(?:as well|too|in|on|by|now|to)\b)", question, re.IGNORECASE)
    if not there or re.search(
        r"(?<!who )(?<!else )(?:is|are|was|were|be) $|\b(?:up|down|out|over|in|still) $", question[: there.start()]
    ):
        return
    for turn in turns[:BACK]:
        wanted, body = turn.parts.wanted, turn.parts.body
        if re.match(r"(?:in|at) ", turn.put) and not written_type(turn.put.split(" ", 1)[1]):
            yield _is(there, turn.put)  # 'which shoes did I wear there?' after 'and in Rotterdam?'
            return
        if wanted and re.match(r"(?:in|at|on) (?:which|what)\b", body, re.IGNORECASE):
            new = f"{body.split()[0].casefold()} {'those' if wanted.plural else 'that'} {wanted.text}"
            yield _is(there, new)
            return
        for one in (*turn.answer.names, *turn.asked) if not any(m.placed for m in turn.asked) else turn.asked:
            if one.placed:
                led = re.search(r"\b(?:from|to|near|around) $", question[: there.start()])
                at = "to" if _GOES.search(question[: there.start()]) else one.placed if one.placed in _AT else "in"
                new = one.text if led else f"{at} {one.text}"
                if one.text.casefold() not in question.casefold():
                    yield _is(there, new)
                return
        if turn.topic and turn.topic.noun in LISTS["buildings"]:
            yield _is(there, f"at {turn.topic.text}")
            return
        for phrase in turn.parts.phrases:
            if phrase.preposition in ("in", "at") and phrase.definite and not written_type(phrase.text):
                new = f"{phrase.preposition} {phrase.text}"
                yield _is(there, new)
                return


_BOTH = re.compile(r"\bboth(?=\s*(?:[?.!,;]|$)|\s+(?:at|together|in|on|for|from|to|if|when|again)\b)", re.IGNORECASE)


def both(question: str, turns: Sequence[Said]) -> Iterator[Replacement]:
    """What 'both' stands for: the two that were compared, or spoken of as two."""
    found = _BOTH.search(question)
    for turn in turns[:BACK]:
        pair, two = both_of(turn), next((one.text for one in turn.asked if re.search(r"\btwo\b", one.text)), "")
        if found and (pair or two):
            yield _is(found, pair.text if pair else two)
            return


_OF_WHICH = re.compile(r"\bof (?:the two|the three|these|those|them|both)\b|(?<=which )ones?\b", re.IGNORECASE)
_PLACES = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}


def ones(question: str, found: Parts, turns: Sequence[Said]) -> Iterator[Replacement]:
    """What 'which of the two', 'which one' and 'the last one' choose from: what was listed before."""
    if re.search(r"[\w)] or \w", found.body):  # it says of which
        return
    listed = _listed(turns)
    more = _COMPARES.match(found.body)
    if several := _OF_WHICH.search(question):
        yield from _of_several(several, listed, turns)
    elif re.fullmatch(r"which (?:is|was|has|does) .*", found.body, re.IGNORECASE) and listed and turns[0].listed:
        at = found.asked[1] if found.asked else 0
        new = f" of {' and '.join(listed)}"
        yield at, at, new, f"'which' is{new}"
    elif more and not found.body.endswith(" one") and more[1].casefold() not in LISTS["people"] and len(listed) == 2:
        yield found.end, found.end, f", {' or '.join(listed)}", f"it compares {' and '.join(listed)}"
    elif ordinal := _ORDINAL.search(question):
        yield from _in_order(ordinal, listed, turns)


def _listed(turns: Sequence[Said]) -> tuple[str, ...]:
    """What can be chosen from: what the last turn lists, else the one before where the last speaks of nothing else."""
    if not turns:
        return ()
    newest, before = turns[0], turns[1].listed if len(turns) > 1 else ()
    if len(before) == 2 and any(item in newest.question for item in before) and not _pair_asked(newest):
        return before  # one of two was asked about: what its answer lists is not what 'the second' counts
    others = any(one.plural and one.text not in before for one in newest.asked)
    return newest.listed or (() if others else before) or two_told(newest.answer.opening)


def _of_several(match: re.Match[str], listed: Sequence[str], turns: Sequence[Said]) -> Iterator[Replacement]:
    """'of the two', 'of them', 'which one'."""
    said = match.group().casefold()
    several = next((one.text for one in turns[0].asked if one.plural), "") if turns else ""
    if several and said in ("of them", "of these", "of those"):
        yield _is(match, f"of {_articled(several)}")  # what was asked about stays before what the answer lists
    elif said.startswith("one") and (kind := _kind(turns, listed)):
        yield *match.span(), kind, f"'{said}' is {kind}"
    elif listed and len(listed) <= 6:
        yield _is(match, f"of {', '.join(listed[:-1])} and {listed[-1]}")
    elif said.startswith("one") and (noun := _noun(turns)):
        yield *match.span(), noun, f"'one' is {noun}"


def _kind(turns: Sequence[Said], listed: Sequence[str]) -> str:
    """What was asked for, where the answer lists no names or nouns: 'which formats can it make?' asks for formats, and
    'which one is the default?' of these, not of what else a sentence lists."""
    wanted = turns[0].parts.wanted if turns else None
    such = all(_NAME_OR_NOUN.search(one) for one in listed)
    return singular(wanted.noun) if wanted and wanted.plural and not such and not _pair_asked(turns[0]) else ""


_NAME_OR_NOUN = re.compile(r"[A-ZÀ-Þ\d]|^\w+(?<!ing)$")


def _in_order(match: re.Match[str], listed: Sequence[str], turns: Sequence[Said]) -> Iterator[Replacement]:
    """'the other', 'the first', 'the last one'."""
    which, one = match.group(1).casefold(), match.group(2)
    place = _PLACES.get(which)
    if which == "other" and (rest := _not_spoken_of(turns)):
        yield _is(match, _articled(rest))
    elif place is not None and listed and place < len(listed):
        yield _is(match, _articled(listed[place]))
    elif one and (noun := _noun(turns, of_other=which == "other")):
        yield *match.span(), f"{match.group()[: -len(one)]} {noun}", f"'{one.strip()}' is {noun}"


def _is(match: re.Match[str], new: str) -> Replacement:
    return *match.span(), new, f"'{match.group()}' is {new}"


def _pair_asked(turn: Said) -> bool:
    """The question itself names what it lists."""
    return bool(turn.listed) and all(item in turn.question for item in turn.listed)


def _not_spoken_of(turns: Sequence[Said]) -> str:
    """Of two that were listed the one that the question before is not about, or that was not its answer."""
    replaced = turns[:1] if turns and (turns[0].put or _pair_asked(turns[0])) else ()
    for turn in (*replaced, *turns[1:BACK]):
        if len(listed := turn.listed or two_told(turn.answer.opening)) == 2:
            said = turns[0].question if turn.put or not _pair_asked(turns[0]) else turns[0].answer.opening
            left = [item for item in listed if item.casefold() not in said.casefold()]
            if len(left) == 1:
                return left[0]
    return ""


def _articled(item: str) -> str:
    last = item.split()[-1]
    if item.split()[0] in LISTS["determiners"]:
        return item
    return f"the {item}" if " " in item and last[0].islower() and last.isalpha() and item.split()[0] != "the" else item


def _noun(turns: Sequence[Said], *, of_other: bool = False) -> str:
    """What 'one' counts: 'printer' after 'which printer did we choose'; `of_other`: only of what was asked for."""
    for turn in turns[:2]:
        wanted = turn.parts.wanted
        if wanted and (wanted.noun in _KINDS or _COUNT.fullmatch(f"{wanted.text} ")):
            at = turn.parts.phrases.index(wanted) + 1
            wanted = turn.parts.phrases[at] if at < len(turn.parts.phrases) else None
        if wanted and (noun := _COUNT.sub("", wanted.text.split(" that ")[0])):
            return singular(noun) if wanted.plural else noun
        for one in turn.asked if not of_other else ():
            if not one.named and not one.person:
                return singular(one.noun) if one.plural else one.noun
    return ""


_SHORTENED = re.compile(r"['’]s\b(?= (?P<has>(?:already |ever |never )?(?:been|got|had)\b)?)")


def shortened(question: str, end: int) -> tuple[int, str]:
    """Where the text goes on behind a shortened verb, and that verb in full: 'it's dearer' becomes 'the van is dearer',
    as 'the van's dearer' would own something."""
    found = _SHORTENED.match(question, end)
    return (found.end(), " has" if found["has"] else " is") if found else (end, "")


_KINDS = ("kind", "kinds", "type", "types", "sort", "sorts")
_COUNT = re.compile(r"^(?:\d+|two|three|four|five|six|seven|eight|nine|ten) ", re.IGNORECASE)


def pointed(question: str, found: Parts, turns: Sequence[Said]) -> Pointed:
    """What a whole phrase that points stands for: 'that', 'this exhibition', and 'the exhibition' where one with more
    words was spoken of."""
    for phrase in found.phrases if turns and not turns[0].parts.foreign else ():
        new, start = "", phrase.start
        compared = re.search(r"\b(?:that|this|the) difference$", phrase.text)
        own = re.search(r"\b(?:and|or|vs|versus)\b", question[: phrase.start])
        if compared and len(turns[0].listed) == 2 and not (own or question[phrase.end :].startswith(" between ")):
            new, start = f"the difference between {' and '.join(turns[0].listed)}", start + compared.start()
        elif (
            phrase.pronoun
            and phrase.text.casefold() in POINTING
            and phrase.preposition not in ("before", "after", "than")
        ):
            do = re.search(r"\bdo $", question[: phrase.start])
            if do and (new := done(turns[0])):
                start = do.start()
            elif do or _own_clause(found, phrase) or _SAID_BEFORE.fullmatch(question, 0, phrase.end):
                continue
            elif phrase.role == "subject" and found.does.casefold() == "happen" and not happening(found, turns[0]):
                continue  # what was told happened
            elif phrase.role == "subject" and (when := happening(found, turns[0])):
                end = found.end
                return [(start, phrase.end, "it"), (end, end, f" when {when}")], [f"it is about when {when}"]
            else:
                new = _pointed_at(question, phrase, turns)
        elif phrase.definite and not phrase.pronoun and len(phrase.words) == 1 and phrase.role != "asked":
            new = _known_as(question, phrase, turns)
        if new:
            one = re.match(r" ones?\b", question[phrase.end :])
            end, verb = shortened(question, phrase.end + (one.end() if one else 0))
            return [(start, end, new + verb)], [f"'{question[start : phrase.end]}' is {new}"]
    return [], []


def _pointed_at(question: str, phrase: Phrase, turns: Sequence[Said]) -> str:
    """What 'that', 'this', 'these' or 'those' stands for as a whole phrase; empty where nothing fits."""
    newest, one_thing = turns[0], phrase.text.casefold() in ("this", "that")
    lasts = newest.parts.does.casefold() in NOT_DONE and len(turns) > 1
    if re.search(r"\bhow (?:many|much) \w+ (?:is|was) that\b", question, re.IGNORECASE):
        return ""  # 'how many eggs was that?'
    undone = undergone(newest) if _OF_DEEDS.search(question) else ""
    if new := measure(newest) or undone or (event(turns[lasts]) if one_thing else ""):
        return new
    focus = newest.answer.focus if one_thing else None
    if focus and not (focus.plural or focus.maybe_person or focus.text in question) and focus.text[:4] == "the ":
        return focus.text
    if phrase.role == "subject" and newest.parts.does.casefold() in _PAID and _INCLUDES.search(question):
        return ""  # 'was that with the tablets?'
    if phrase.role == "subject" and newest.parts.asks.casefold() == "when" and _OF_TIME.search(question):
        return ""  # 'was that later than planned?'
    there = next((one for one in newest.answer.names[:1] if one.placed), None)
    if one_thing and there and newest.parts.asks.casefold() == "where" and not _OF_DEEDS.search(question):
        return there.text
    asked = {one.text for turn in turns for one in turn.asked}
    plural = (one for one in newest.asked if one.plural and phrase.role != "subject")
    newest_first = chain(candidates("it", turns[:1]), plural, candidates("it", turns))
    for one in newest_first if one_thing else candidates("they", turns):
        definite = one.named or one.text.startswith(("the ", "my ", "our ", "your ", "what ")) or one.plural
        definite = definite and one.noun not in ("one", "ones") and not (one_thing and one.person)
        if definite and one.text in asked and one.text.casefold() not in question.casefold():
            return one.text
    return ""


def _known_as(question: str, phrase: Phrase, turns: Sequence[Said]) -> str:
    """What 'the exhibition' is called in full: the thing of this noun that was spoken of with more words, else the name
    of a thing, for a noun that needs one; empty where there is none."""
    asked = [one for turn in turns[:BACK] for one in turn.asked]
    if not question[phrase.end :].startswith((" of ", " in ", " for ", "'s", "’s")):
        for one in asked:
            longer = len(one.text.split()) > len(phrase.text.split()) and " and " not in one.text
            if longer and one.noun == phrase.noun:
                return one.text
    capital = (one for one in asked if one.named and not (one.maybe_person or one.text.islower()))
    names = capital if phrase.noun in _NAMELESS else ()
    return next((one.text for one in names if one.text.casefold() not in question.casefold()), "")


def _own_clause(found: Parts, phrase: Phrase) -> bool:
    """Whether 'that' begins a clause of the question's own ('the day that we left') and points at nothing."""
    if phrase.text.casefold() != "that" or phrase.role == "subject" or phrase.preposition:
        return False
    return re.match(r"\s+\w", found.text[phrase.end :]) is not None and not re.match(
        r"\s+(?:on|off|up|down|out|in|at|for|to|too|as|by|with|completely|again|faster|better)\b",
        found.text[phrase.end :],
    )


_SAID_BEFORE = re.compile(
    r"(?:\S+ ){3,}\S+[,;.\u2013\u2014-]+ (?:and |but |so )?(?:what|why) (?:is|was|are|were) \S+", re.I
)
"""'my connection freezes now and then, what is that?'"""

_PAID = ("cost", "charge", "pay", "spend", "earn")
_INCLUDES = re.compile(r"\b(?:is|was) (?:that|this) (?:with|without|for|including|before|after|each|per|in) ", re.I)
"""What is asked of a sum that was said."""

_OF_TIME = re.compile(
    r"\b(?:late|later|early|earlier|soon|sooner|before|after|on time|planned|expected|long ago)\b", re.I
)
_OF_DEEDS = re.compile(r"\b(?:cost|costs|take|took|pay|paid|happen|happened)\b", re.IGNORECASE)
"""What is said of a deed: 'what did that cost?' after 'when was the boiler serviced?'"""


_HOW_MANY = re.compile(
    r"how many(?: more| others)?(?= (?:is|are|was|were|do|does|did|can|could|will|would|have|has|had|should|must)\b)",
    re.IGNORECASE,
)


def counted(question: str, turns: Sequence[Said]) -> Iterator[Replacement]:
    """What 'how many' leaves out: the fairies in 'how many were there?' after 'who invited the fairies?'"""
    asks = _HOW_MANY.search(question)
    for turn in turns[:2] if asks and not re.search(r"\bthe(?:y|m)\b", question, re.IGNORECASE) else ():
        wanted = turn.parts.wanted
        things = [one for one in turn.asked if one.plural and not one.named]
        if re.search(r"\b(?:i|we|you)\b", question, re.IGNORECASE):
            things = [one for one in things if one.noun not in LISTS["people"] | {"people"}]
        named = things[0] if things else None
        text = wanted.text if wanted and wanted.plural else named.text if named else ""
        if asks and (noun := _COUNT.sub("", text.split(" that ")[0].removeprefix("the "))):
            yield asks.end(), asks.end(), f" {noun}", f"'many' is {noun}"
            return


_WHICH = re.compile(r"which (?:one )?(is|was|are|were) (.+?), .+ or .+", re.IGNORECASE)


def why_not_the_other(question: str, before: Said) -> str:
    """'Why is B not safe?' for 'why not the other one?' after 'which is safe, A or B?', where the answer begins with
    A."""
    asked = _WHICH.match(before.question)
    if (
        not asked
        or len(before.listed) != 2
        or not re.fullmatch(r"why not(?: the other(?: one)?)?\??", question.strip(), re.I)
    ):
        return ""
    words = content_words(before.answer.opening)
    shared = set(content_words(before.listed[0])) & set(content_words(before.listed[1]))
    places = [[words.index(w) for w in content_words(item) if w in words and w not in shared] for item in before.listed]
    other = before.listed[1] if places[0] and (not places[1] or min(places[0]) < min(places[1])) else before.listed[0]
    return f"Why {asked.group(1)} {other} not {asked.group(2)}?"
