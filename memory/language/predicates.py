"""In a clause of Esperanto: what is coordinated, and what `esti` says of its subject."""

from clew.memory.language.clause_parts import ClauseDraft
from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.noun_phrases import PLACES, Constituent, Draft


def without_verb(free: list[Constituent]) -> int:
    for kinds in ("I", "N", "A", "R", "G", "J", "TQB"):
        for phrase in free:
            if phrase.kind in kinds and (kinds != "N" or phrase.preposition < 0 or len(free) == 1):
                return phrase.head
    return free[0].head if free else -1


def predicate(draft: Draft, clause: ClauseDraft, free: list[Constituent], verb: Constituent) -> int:
    """The head of a clause with `esti`, which is then a copula or auxiliary; or the verb itself where it says that
    something exists."""
    found = _predicate_phrase(draft, free, verb, clause.said_of)
    if found is None:
        draft.upos[verb.head] = "VERB"
        return verb.head
    token = draft.tokens[found.head]
    if token.participle and found.kind == "A":
        draft.upos[found.head] = "VERB"
        draft.attach(verb.head, found.head, "aux")
    else:
        draft.attach(verb.head, found.head, "cop")
    found.done = verb.done = True
    return found.head


def _predicate_phrase(draft: Draft, free: list[Constituent], verb: Constituent, said_of: bool) -> Constituent | None:
    """What `esti` says of its subject: a participle or adjective, one of two nouns, a place, a manner, else what stands
    after the verb; None where it says that something exists."""
    tokens = draft.tokens
    after = [one for one in free if one.head > verb.head]
    before = [one for one in free if one.head < verb.head]
    nearest = [*after, *reversed(before)]
    nominal = [one for one in free if one.nominative]
    adjectives = [one for one in nearest if one.kind == "A" and one.case != "A" and one.bare]
    if participles := [one for one in adjectives if tokens[one.head].participle]:
        return participles[0]
    if adjectives and (nominal or adjectives[0] in after or len(adjectives) > 1 or not after):
        return adjectives[0]
    if len(nominal) > 1:
        return _of_two(draft, nominal, verb)
    adverbs = [one for one in nearest if one.kind == "R"]
    place = next((one for one in adverbs if draft.lemma(one.head) in PLACES | {"jen", "for", "kiel"}), None)
    if place is not None and (nominal or place in after):
        return place
    manners = (one for one in adverbs if tokens[one.head].word.ending == "e")
    manner = next((one for one in manners if tokens[one.head].word.prefixes[:1] != ("ki",)), None)
    if manner is not None and not nominal:
        return manner
    prepositional = next((one for one in after if one.kind == "N" and not one.bare), None)
    if nominal and nominal[0].head < verb.head:
        return prepositional or next((one for one in after if one.kind == "I" and one.bare), None)
    if nominal:
        return nominal[0] if said_of or any(one.kind == "I" for one in before) else next(iter(adjectives), None)
    return next(iter(adjectives), prepositional)


def _of_two(draft: Draft, nominal: list[Constituent], verb: Constituent) -> Constituent:
    """Which of two nouns beside `esti` is said of the other: the one after the verb, a question word before all."""
    asking = [one for one in nominal if draft.tokens[one.head].asks and draft.lemma(one.head) in ("kio", "kiu")]
    if asking and draft.question:
        return asking[0]
    after = [one for one in nominal if one.head > verb.head]
    before = [one for one in nominal if one.head < verb.head]
    if asking and len(before) > 1:
        return asking[0]
    if not after:
        return before[-1] if draft.tokens[before[0].head].kind == "P" or len(before) < 3 else before[1]
    if not before:
        return after[1]
    return after[0]


def coordinate(draft: Draft, clause: ClauseDraft) -> None:
    """Phrases of one kind joined by a conjunction within a clause, and the list before them."""
    phrases = clause.phrases
    for place, phrase in enumerate(phrases):
        if phrase.kind != "C" or phrase.done:
            continue
        following = [one for one in phrases[place + 1 :] if one.kind not in ",C"]
        candidates = (one for one in following if one.kind not in "TJ" and not one.done and not is_light(draft, one))
        right = next(candidates, None)
        if right is None or phrases.index(right) > place + 3:
            _cc(draft, phrase, right or next(iter(following), None))
            continue
        left = _repeated(draft, phrases[:place], phrase) or _match(draft, phrases[:place], right)
        if left is None and not place:
            continue
        if left is not None and left.head != right.head:
            _join(draft, phrases, _parallel(draft, phrases, left, right), right)
        _cc(draft, phrase, right)


def _join(draft: Draft, phrases: list[Constituent], left: Constituent, right: Constituent) -> None:
    """Attaches all of a list to its first phrase: B and C to A in `A, B kaj C`."""
    chain = [right, left]
    while (listed := _listed_before(draft, phrases, chain[-1])) is not None:
        chain.append(listed)
    first = chain.pop()
    for one in chain:
        draft.attach(one.head, first.head, "conj")
        one.done = True


def _parallel(draft: Draft, phrases: list[Constituent], left: Constituent, right: Constituent) -> Constituent:
    """In `la edzino de mia nevo kaj la nevino de mia edzino` the noun that both have something of, not the nearest."""
    after, place = phrases.index(right) + 1, phrases.index(left)
    if left.bare or not right.bare or after >= len(phrases) or phrases[after].bare or not place:
        return left
    outer = phrases[place - 1]
    same = draft.lemma(phrases[after].preposition) == draft.lemma(left.preposition)
    return outer if same and outer.kind == "N" and _alike(draft, outer, right) and not outer.done else left


def _repeated(draft: Draft, phrases: list[Constituent], conjunction: Constituent) -> Constituent | None:
    """In `nek A de B, nek C` the phrase A, which the same conjunction stands before."""
    lemma = draft.lemma(conjunction.head)
    for place, one in enumerate(phrases):
        if one.kind == "C" and draft.lemma(one.head) == lemma and lemma in ("nek", "aŭ") and place + 1 < len(phrases):
            return phrases[place + 1] if draft.heads[one.head] == phrases[place + 1].head else None
    return None


def is_light(draft: Draft, phrase: Constituent) -> bool:
    return phrase.kind == "R" and draft.lemma(phrase.head) in TABLE["adverbs"]


def _cc(draft: Draft, phrase: Constituent, later: Constituent | None) -> None:
    if later is not None:
        draft.attach(phrase.head, later.head, "cc")
    phrase.done = True


def _match(draft: Draft, phrases: list[Constituent], right: Constituent) -> Constituent | None:
    """The nearest phrase to the left that a phrase can be coordinated with."""
    fallback = None
    for one in reversed(phrases):
        if one.done and one.kind not in "NA":
            continue
        if one.kind == right.kind and (right.kind != "N" or _alike(draft, one, right)):
            return one
        if {one.kind, right.kind} == {"N", "A"} and one.case == right.case and one.bare:
            fallback = fallback or one
    return fallback


def _alike(draft: Draft, one: Constituent, right: Constituent) -> bool:
    if not right.bare:
        return not one.bare and draft.lemma(one.preposition) == draft.lemma(right.preposition)
    return (one.case == "A") == (right.case == "A")


def _listed_before(draft: Draft, phrases: list[Constituent], one: Constituent) -> Constituent | None:
    """In `A, B kaj C` the phrase A of a B."""
    place = phrases.index(one)
    if place < 2 or phrases[place - 1].kind != "," or draft.lemma(phrases[place - 1].head) != ",":
        return None
    for before in reversed(phrases[: place - 1]):
        if before.kind == "," or before.kind in "VE":
            return None
        if before.kind == one.kind and (one.kind != "N" or _alike(draft, before, one)) and not before.done:
            return before
    return None
