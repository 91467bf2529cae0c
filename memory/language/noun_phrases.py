"""The first half of a sentence of Esperanto: which words make a phrase, and what stands in it.

A phrase is a noun with what agrees with it, or a single word of another kind; a preposition belongs to the phrase after
it. Clauses (`clause_parts.py`) are built of phrases.
"""

from dataclasses import dataclass, field

from clew.memory.language.esperanto_words import TABLE
from clew.memory.language.trees import WordForm

KINDS = {
    "NOUN": "N", "PROPN": "N", "X": "N", "SYM": "N", "ADJ": "A", "PRON": "P", "NUM": "M", "ADV": "R", "ADP": "B",
    "SCONJ": "Q", "CCONJ": "C", "PART": "T", "INTJ": "J", "PUNCT": ",",
}  # fmt: skip
"""A letter for what a word can do in a phrase. Besides: L article, D correlative of the rows u, a and es, S possessive,
V finite verb, E finite `esti`, I infinitive, G adverbial participle."""

PLACES = frozenset(("kie", "tie", "ie", "ĉie", "nenie", "kien", "tien", "ien", "ĉien", "nenien"))


@dataclass(slots=True)
class SeenForm:
    """What the grammar asks of a word, worked out once for a form."""

    word: WordForm
    kind: str
    case: str
    """`N`, `A` (accusative) or empty."""
    plural: bool
    asks: bool
    """Whether it is a word in ki-."""
    participle: bool


@dataclass(slots=True)
class Constituent:
    """`head`, `start` and `end` (exclusive) are places of words. `kind` is that of the head, but N for all that stands
    like a noun. `preposition` is its place, or -1."""

    kind: str
    head: int
    start: int
    end: int
    case: str = ""
    preposition: int = -1
    done: bool = False
    """Whether its head has a head."""


@dataclass(slots=True)
class Draft:
    """A sentence on its way to a tree: heads (-1 for none yet, counted from 0) and roles, by place."""

    tokens: list[SeenForm]
    upos: list[str]
    heads: list[int]
    roles: list[str]
    phrases: list[Constituent] = field(default_factory=list)
    question: bool = False

    def attach(self, place: int, head: int, role: str) -> None:
        if place != head:
            self.heads[place], self.roles[place] = head, role

    def lemma(self, place: int) -> str:
        return self.tokens[place].word.lemma

    def kind(self, place: int) -> str:
        return self.tokens[place].kind if place < len(self.tokens) else ""


def token_of(word: WordForm) -> SeenForm:
    feats, kind = word.feats, KINDS.get(word.upos, "N")
    if word.upos in ("VERB", "AUX"):
        finite = "VerbForm=Fin" in feats
        kind = ("E" if word.upos == "AUX" else "V") if finite else ("I" if "VerbForm=Inf" in feats else "G")
    elif word.upos == "DET":
        kind = "L" if word.lemma == "la" else "S" if "Poss=Yes" in feats else "D"
    case = "A" if "Case=Acc" in feats else "N" if "Case=Nom" in feats else ""
    return SeenForm(word, kind, case, "Number=Plur" in feats, "PronType=Int,Rel" in feats, "VerbForm=Part" in feats)


def drafted(words: list[WordForm], known: dict[str, SeenForm], question: bool = False) -> Draft:
    """Phrases and what stands in them; `known` keeps the tokens of forms."""
    tokens = []
    for word in words:
        token = known.get(word.form)
        if token is None:
            token = known[word.form] = token_of(word)
        tokens.append(token)
    size = len(tokens)
    draft = Draft(tokens, [token.word.upos for token in tokens], [-1] * size, [""] * size, question=question)
    _name(draft)
    place = 0
    while place < size:
        place = _phrase(draft, place)
    _prepositions(draft)
    return draft


def _name(draft: Draft) -> None:
    """Capitals within a sentence are names, also where the ending is that of an adjective (`Maria`); at its beginning
    they are where no root is known."""
    tokens = draft.tokens
    for place, token in enumerate(tokens):
        form = token.word.form
        if token.kind not in "NA" or len(form) < 2 or not form[0].isupper():
            continue
        before = tokens[place - 1] if place else None
        first = before is None or (before.kind == "," and before.word.form not in ",;-–")
        if first and token.word.known and not {"ĉj", "nj"} & set(token.word.suffixes):
            continue
        after = tokens[place + 1] if place + 1 < len(tokens) else token
        agreeing = (
            after is not token and after.kind in "NA" and after.case == token.case and after.plural == token.plural
        )
        if token.kind == "N":
            draft.upos[place] = "PROPN"
        elif not agreeing or (first and after.word.form[0].isupper()):
            draft.upos[place] = "PROPN"
            tokens[place] = SeenForm(
                token.word, "N", "N" if token.case == "N" else token.case, token.plural, False, False
            )


def _phrase(draft: Draft, place: int) -> int:
    """Adds the phrase that begins at `place`; the place after it."""
    token = draft.tokens[place]
    kind = token.kind
    if (
        kind in "LDSAMNP"
        or (kind == "T" and token.word.lemma == "ĉi")
        or (kind == "R" and _before_adjective(draft, place))
    ):
        return _noun_phrase(draft, place)
    end = place + 1
    if kind == "R" and token.word.lemma != "ne":
        while draft.kind(end) == "R" and draft.lemma(end - 1) in TABLE["degree"] and draft.lemma(end) != "ne":
            draft.attach(end - 1, end, "advmod")
            end += 1
        if draft.kind(end) == "T" and draft.lemma(end) == "ĉi":
            draft.attach(end, end - 1, "advmod")
            end += 1
            draft.phrases.append(Constituent("R", end - 2, place, end, token.case))
            return end
    draft.phrases.append(Constituent(kind, end - 1, place, end, draft.tokens[end - 1].case))
    return end


def _before_adjective(draft: Draft, place: int) -> bool:
    """Whether an adverb says how much of the adjective after it (or after another such adverb)."""
    if draft.lemma(place) not in TABLE["degree"] or (draft.tokens[place].asks and place == 0 and draft.kind(1) != "A"):
        return False
    after = place + 1
    while draft.kind(after) == "R" and draft.lemma(after) in TABLE["degree"]:
        after += 1
    if draft.lemma(place) == "ne" and after == place + 1:
        return draft.kind(after) == "A" and place > 0 and draft.kind(place - 1) == "N"
    return draft.kind(after) == "A"


def _noun_phrase(draft: Draft, start: int) -> int:
    """Takes modifiers as long as they agree, then the noun. Without one, the last modifier is the head."""
    tokens, size = draft.tokens, len(draft.tokens)
    held: list[int] = []
    agreed: SeenForm | None = None
    head, place = -1, start
    while place < size:
        token = tokens[place]
        kind = token.kind
        if kind == "P":
            if not held:
                head = place
                place += 1
            break
        if kind == "T":
            if token.word.lemma != "ĉi":
                break
        elif kind == "R" and token.word.lemma == "ajn" and held and tokens[held[-1]].kind in "DP":
            pass
        elif kind == "R":
            if not (
                _before_adjective(draft, place)
                or (held and draft.kind(place + 1) == "A" and tokens[place + 1].participle)
            ):
                break
        elif kind in "DSAN" and token.case:
            if agreed and (token.case != agreed.case or token.plural != agreed.plural):
                break
            if kind == "N":
                head = place
                place += 1
                break
            agreed = token
        elif kind == "N":
            head = place
            place += 1
            break
        elif kind in ",C":
            if not _goes_on(draft, place, agreed):
                break
        elif kind not in "LMD" or (kind == "L" and held and draft.lemma(held[-1]) not in ("ĉiu", "tuta", "ambaŭ")):
            break
        held.append(place)
        place += 1
    while head < 0 and held and tokens[held[-1]].kind in ",CR":
        place = held.pop()
    if head < 0 and not held:
        draft.phrases.append(Constituent(tokens[start].kind, start, start, start + 1, tokens[start].case))
        return start + 1
    return _close(draft, start, place, head, held)


def _goes_on(draft: Draft, place: int, agreed: SeenForm | None) -> bool:
    """Whether a comma or conjunction stands between adjectives of one noun: `granda kaj bela domo`."""
    if agreed is None or agreed.kind != "A" or draft.lemma(place) not in ("kaj", "aŭ", ",", "sed"):
        return False
    after = place + 1
    while draft.kind(after) == "R" and after < len(draft.tokens):
        after += 1
    if draft.kind(after) != "A":
        return False
    first = draft.tokens[after]
    while draft.kind(after) in ("A", "R", "C", ",") and after < len(draft.tokens):
        after += 1
    noun = draft.tokens[after] if after < len(draft.tokens) else None
    return (
        (first.case, first.plural) == (agreed.case, agreed.plural)
        and noun is not None
        and noun.kind == "N"
        and (noun.case == agreed.case)
    )


def _close(draft: Draft, start: int, end: int, head: int, held: list[int]) -> int:
    tokens = draft.tokens
    if head < 0:
        rest = [place for place in held if tokens[place].kind != "T"]
        head = rest[-1] if rest else held[-1]
    elif tokens[head].kind == "N":
        end = _after_noun(draft, head, end)
    elif draft.kind(end) == "R" and draft.lemma(end) in ("mem", "ambaŭ"):
        draft.attach(end, head, "advmod")
        end += 1
    elif draft.kind(end) == "D" and draft.lemma(end) == "ĉiu" and draft.kind(end + 1) not in ("N", "A"):
        draft.attach(end, head, "det")
        draft.upos[end] = "PRON"
        end += 1
    if tokens[head].kind == "P" and draft.kind(end) == "T" and draft.lemma(end) == "ĉi":
        draft.attach(end, head, "advmod")
        end += 1
    if draft.kind(end) == "R" and draft.lemma(end) == "ajn":
        draft.attach(end, head, "advmod")
        end += 1
    _modifiers(draft, head, held)
    kind = tokens[head].kind
    if kind in "DS":
        draft.upos[head] = "PRON"
    case = tokens[head].case or next(
        (tokens[place].case for place in held if tokens[place].case), "N" if kind in "NPM" else ""
    )
    draft.phrases.append(
        Constituent(
            "A" if kind == "A" and start + sum(tokens[p].kind == "R" for p in held) == head else "N",
            head,
            start,
            end,
            case,
        )
    )
    return end


def _after_noun(draft: Draft, head: int, end: int) -> int:
    """Names in a row (`Ludoviko Zamenhof`, `sinjoro Petro`), then an adjective that agrees: `pasero kaptita`."""
    noun = draft.tokens[head]
    named = draft.upos[head] == "PROPN" or noun.word.root in TABLE["titles"] or noun.word.suffixes[-1:] == ("in",)
    while draft.kind(end) == "N" and draft.upos[end] in ("PROPN", "X") and named:
        draft.attach(end, head, "flat")
        end += 1
    if draft.kind(end) == "M" and draft.tokens[end].word.form.isdigit():
        draft.attach(end, head, "nummod")
        end += 1
    adverbs = end
    while draft.kind(adverbs) in ("R", "T"):
        adverbs += 1
    participle = adverbs < len(draft.tokens) and draft.tokens[adverbs].participle
    if not participle and any(draft.lemma(one) not in TABLE["degree"] for one in range(end, adverbs)):
        return end
    if draft.kind(adverbs) in ("A", "S"):
        after = draft.tokens[adverbs]
        follows = draft.tokens[adverbs + 1] if adverbs + 1 < len(draft.tokens) else None
        taken = (
            follows is not None
            and follows.kind in "NA"
            and (follows.case, follows.plural) == (after.case, after.plural)
        )
        if (
            (after.case, after.plural) == (noun.case, noun.plural)
            and not taken
            and not (after.case == "N" and _awaited(draft, head))
        ):
            for place in range(end, adverbs):
                near = draft.kind(place) == "T" and draft.kind(place + 1) == "R"
                draft.attach(place, place + 1 if near else adverbs, "advmod")
            draft.attach(adverbs, head, "amod" if after.kind == "A" else "det")
            end = adverbs + 1
    return end


def _awaited(draft: Draft, noun: int) -> bool:
    """Whether `esti` before a noun has no subject yet, so that an adjective after the noun is said of it."""
    for place in range(noun - 1, -1, -1):
        kind = draft.tokens[place].kind
        if kind == "E":
            return not any(
                draft.tokens[one].kind in "NP" and draft.tokens[one].case == "N"
                for one in range(max(0, place - 6), place)
            )
        if kind in "NPV,QC":
            return False
    return False


def _modifiers(draft: Draft, head: int, held: list[int]) -> None:
    tokens = draft.tokens
    adjective = -1
    for number, place in enumerate(held):
        if place == head:
            continue
        kind = tokens[place].kind
        if kind == "A":
            joined = (
                number
                and tokens[held[number - 1]].kind in "CR,"
                and adjective >= 0
                and _joined(tokens, adjective, place)
            )
            draft.attach(place, adjective if joined else head, "conj" if joined else "amod")
            adjective = adjective if joined else place
        elif kind == "M":
            after = held[number + 1] if number + 1 < len(held) else head
            if tokens[after].kind == "M":
                draft.attach(place, after, "compound")
            else:
                draft.attach(place, head, "nummod")
        elif kind == "T":
            near = next(
                (one for one in (place - 1, place + 1) if 0 <= one < len(tokens) and tokens[one].kind in "DP"), head
            )
            draft.attach(place, near, "advmod")
        elif kind == "R" and tokens[place].word.lemma == "ajn":
            draft.attach(place, place - 1, "advmod")
        elif kind == "R" or kind in ",C":
            to = next((one for one in (*held[number + 1 :], head) if tokens[one].kind in "AM"), head)
            draft.attach(place, to, "advmod" if kind == "R" else "cc" if kind == "C" else "punct")
        else:
            draft.attach(place, head, "det")


def _joined(tokens: list[SeenForm], first: int, place: int) -> bool:
    """Whether a conjunction stands between two adjectives, and no comma alone."""
    return any(token.kind == "C" for token in tokens[first + 1 : place])


def _prepositions(draft: Draft) -> None:
    """A preposition joins the phrase after it; `antaŭ ol` and `por ke` are one; before an infinitive it is a mark."""
    kept: list[Constituent] = []
    waiting: list[Constituent] = []
    for phrase in draft.phrases:
        if phrase.kind == "B":
            waiting.append(phrase)
            continue
        if waiting:
            first = waiting[0].head
            for other in waiting[1:]:
                draft.attach(other.head, first, "fixed")
            if phrase.kind == "Q":
                draft.attach(phrase.head, first, "fixed")
                phrase = Constituent("Q", first, first, phrase.end)
            elif phrase.kind in "NRI" or (phrase.kind == "A" and phrase.case):
                phrase.preposition, phrase.start = first, first
                draft.attach(first, phrase.head, "mark" if phrase.kind == "I" else "case")
                if phrase.kind == "A":
                    phrase.kind = "N"
            else:
                kept.append(Constituent("R", first, first, first + 1))
            waiting = []
        kept.append(phrase)
    kept += [Constituent("R", phrase.head, phrase.start, phrase.end) for phrase in waiting]
    draft.phrases = kept
