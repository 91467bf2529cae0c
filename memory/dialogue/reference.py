"""What the words of a question stand for that point back: pronouns, 'there', 'the other one', 'which of the two'.

The things that a conversation speaks of are ranked as centering theory has it (Grosz, Joshi and Weinstein 1995): the
nearest turn first, in it the subject before the object before the rest; number and gender agree.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from clew.memory.dialogue.phrases import Parts, Phrase, parts, replaced, written_type
from clew.memory.ports import Vocabulary
from clew.memory.text import word_lists

_WORDS = {name: frozenset(listed) for name, listed in word_lists(Path(__file__).with_name("context_words.txt")).items()}

NAMED, KNOWN = 1.2, 0.4
"""How much likelier a name is to be spoken of again, and what the library has, in places of the order."""

BACK = 3
"""Turns that are looked through for what a word stands for; a person is remembered as long as the conversation."""

LONGEST = 9
"""Words of a thing that is put in the place of a pronoun."""

HE = {"he": "{}", "him": "{}", "his": "{}'s", "himself": "{}"}
SHE = {"she": "{}", "her": "{}'s", "hers": "{}'s", "herself": "{}"}
IT = {"it": "{}", "its": "{}'s", "itself": "{}"}
THEY = {"they": "{}", "them": "{}", "their": "{}'s", "theirs": "{}'s", "themselves": "{}"}
POINTING = ("this", "that", "these", "those")
_KINDS = (HE, SHE, IT, THEY)

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_LINK = r"(?:of|the|of the|in the|to the|on the|de|von|van|der|la|le|du|da|di|al|bin)"
_NAME = re.compile(
    rf"\b(?:Dr|Mr|Mrs|Ms|St|Prof)\.?\s{_CAPITAL}(?:\s{_CAPITAL})*|\b{_CAPITAL}(?:(?:\s{_LINK})?\s{_CAPITAL})*"
)
_OF_A_PERSON = frozenset({"de", "von", "van", "der", "la", "le", "du", "da", "di", "al", "bin"})
_TITLED = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof|Sir|Lady|Miss|Professor|Doctor)\b\.?")
_SHE_TITLED = re.compile(r"(?:Mrs|Ms|Lady|Miss|Queen|Madam)\b")
_HE_TITLED = re.compile(r"(?:Mr|Sir|Lord|King|Father)\b")
_OPENS = re.compile(r"[.?!:]['\"”’)]?\s+$")
_I = re.compile(r"I(?:['’]\w+)?$")
_WHO = re.compile(r"(?:\w+,? )?who(?:['’]s| is| was) ", re.IGNORECASE)
_PLACED = re.compile(r"\b(in|at|near|from|to|on|outside|into)\s+(?:the\s+)?$")
_AT = ("at", "near", "on", "outside")
_ENUMERATION = re.compile(
    r"((?:[\w()/'’.-]+ ){0,3}[\w()/'’.-]+)((?:, (?:[\w()/'’.-]+ ){0,3}[\w()/'’.-]+)+),? (?:and|or) ((?:[\w()/'’.-]+ ?){1,4})"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that was spoken of. `rank` is its place among those of its turn, 0 the likeliest to be spoken of again;
    `placed` is a preposition of place before it."""

    text: str
    rank: float
    named: bool = False
    person: bool = False
    maybe_person: bool = False
    plural: bool = False
    placed: str = ""
    gender: str = ""
    about: bool = False
    """The question was who that is, or spoke of him or her."""
    known: bool = False
    """The library has it."""

    @property
    def noun(self) -> str:
        head = re.split(r"\s(?:of|in|for|from|at|on|with|to|per|between)\s", self.text)[0]
        return head.split()[-1].casefold().strip("'’")


@dataclass(frozen=True, slots=True)
class Said:
    """A turn as it counts for the next: its question standing alone, and what question and answer speak of."""

    question: str
    parts: Parts
    asked: tuple[Mention, ...]
    answered: tuple[Mention, ...]
    listed: tuple[str, ...] = ()
    has_answer: bool = True
    topic: Mention | None = None
    under_topic: bool = False
    """Its topic was not said in it, but before."""


def said(question: str, answer: Sequence[str], vocabulary: Vocabulary | None = None) -> Said:
    """Of a question that stands alone, and the sentences of its answer."""
    found = parts(question)
    if is_foreign(found):
        return Said(question, found, (), (), has_answer=bool(answer))
    asked, answered = [_spelt(one, answer) for one in _asked(found)], [one for text in answer[:ANSWER] for one in names(text)]
    if vocabulary:
        asked, answered = _known(asked, vocabulary), _known(answered, vocabulary)
    full = {one.text for one in (*asked, *answered) if one.person}
    asked, answered = ([_in_full(one, full) for one in some] for some in (asked, answered))
    listed = next((items for text in answer[:ANSWER] if (items := enumerated(text))), ()) or _pair(found)
    return Said(question, found, tuple(sorted(asked, key=lambda m: m.rank)), tuple(answered), listed, bool(answer))


def is_foreign(found: Parts) -> bool:
    """Nothing in it says that it is English."""
    return len(found.tokens) > 3 and all(token.kind in ("word", "mark", "number") for token in found.tokens)


def _spelt(mention: Mention, answer: Sequence[str]) -> Mention:
    """As the answer writes it: 'SQLite' for 'sqlite'."""
    if not mention.text.islower() or " " in mention.text:
        return mention
    written = re.search(rf"(?<=[\w,] ){re.escape(mention.text)}\b", " ".join(answer[:ANSWER]), re.IGNORECASE)
    if not written or not written.group()[0].isupper():
        return mention
    return replace(mention, text=written.group(), named=True, rank=mention.rank - NAMED)


ANSWER = 4
"""Sentences of an answer that are looked at."""


def _known(mentions: list[Mention], vocabulary: Vocabulary) -> list[Mention]:
    kinds = vocabulary.kinds([one.text for one in mentions])
    made = []
    for one, kind in zip(mentions, kinds, strict=True):
        person = one.about or kind == "person" or (one.person and kind not in ("place", "organisation", "work"))
        maybe = one.about or one.maybe_person and kind not in ("place", "organisation", "work", "date", "term")
        named = one.named or kind not in ("", "term", "date")
        rank = one.rank - KNOWN * bool(kind)
        made.append(replace(one, person=person, maybe_person=maybe or person, named=named, rank=rank, known=bool(kind)))
    return made


def _in_full(mention: Mention, people: set[str]) -> Mention:
    """A person of whose name a part was said is that person."""
    if mention.placed or mention.person or not mention.named:
        return mention
    whole = [name for name in sorted(people) if mention.text in name.split() and mention.text != name]
    return replace(mention, text=whole[0], person=True, maybe_person=True) if whole else mention


def _asked(found: Parts) -> Iterator[Mention]:
    """What a question speaks of: its subject, its objects, then the rest; what it asks for comes last."""
    about = _WHO.match(found.body) is not None
    order = {"subject": 0.0, "object": 1.0, "other": 2.0, "asked": 2.5}
    for place, phrase in enumerate(found.phrases):
        if phrase.pronoun or not phrase.words or written_type(phrase.text) or re.match(r"\d", phrase.text):
            continue
        if phrase.first in _WORDS["personal"] or phrase.first in POINTING:
            continue
        text = _definite(whole_of(found, place))
        if len(text.split()) > LONGEST:
            text = _definite(phrase.text)
        yield _mention(text, phrase, order[phrase.role] + place / 100, about and phrase.role == "subject")
        if inner := re.search(r"\b(?:of|in|for|between) (?:the )?([A-ZÀ-Þ][\w'’./-]*(?: [A-ZÀ-Þ][\w'’./-]*)*)$", phrase.text):
            yield Mention(inner.group(1), 1.0 + place / 100, True, maybe_person=inner.group(1).isalpha())
        elif inner := re.search(r"\bof (the|my|our|your) ([\w-]+)$", phrase.text):
            yield Mention(" ".join(inner.groups()), order[phrase.role] + 0.5 + place / 100)
    for inner in re.finditer(r"\b([A-ZÀ-Þ][\w.]*(?: [A-ZÀ-Þ][\w.]*)*)['’]s\b", found.body):
        if inner.group(1).split()[0] not in _WORDS["openers"] and inner.start() > 0:
            yield Mention(inner.group(1), 1.5, True, maybe_person=True)


def whole_of(found: Parts, place: int) -> str:
    """A phrase with what says which: 'the number of columns in a table' where nothing but that is asked for, 'the
    uptime guaranteed for Big' of 'what uptime is guaranteed for Big'."""
    phrase = found.phrases[place]
    if phrase.role == "asked" and found.aux and found.verb and found.text[slice(*found.aux)].casefold() in ("is", "are", "was", "were"):
        if found.verb[0] - found.aux[1] <= 1:
            return f"the {phrase.text} {found.text[found.verb[0] : found.end].strip()}"
    if phrase.role == "subject" and found.aux and not found.verb and found.asked:
        end = phrase.end
        for later in found.phrases[place + 1 :]:
            between = found.text[end : later.whole].strip()
            if between not in ("", "and", "or"):
                break
            end = later.end
        return found.text[phrase.start : end]
    if phrase.role == "object" and " of " in phrase.text and place + 1 < len(found.phrases):
        later = found.phrases[place + 1]
        if later.preposition in ("in", "for", "of") and not found.text[phrase.end : later.whole].strip():
            return phrase.text if written_type(later.text) else found.text[phrase.start : later.end]
    return phrase.text


def _definite(text: str) -> str:
    first, _, rest = text.partition(" ")
    return f"the {rest}" if rest and first.casefold() in ("a", "an", "another") else text


def _mention(text: str, phrase: Phrase, rank: float, about: bool) -> Mention:
    named = phrase.named
    low = phrase.noun
    role = low in _WORDS["people"] or low.endswith(("man", "woman", "ist"))
    bare_name = named and phrase.first not in ("the", "a", "an", "my", "your", "our") and not re.search(r" of |['’]s\b", text)
    person = about or bool(_TITLED.match(text)) or (role and not named) or looks_like_a_person(text, phrase.preposition)
    maybe = person or (bare_name and not re.search(r"[()=/\d_]", text) and not phrase.preposition in ("in", "at", "near"))
    placed = phrase.preposition if phrase.preposition in ("in", "at", "near", "on", "from", "to", "outside", "into") and named else ""
    gender = "she" if _SHE_TITLED.match(text) else "he" if _HE_TITLED.match(text) else ""
    rank += (1.0 if placed else 0.0) - NAMED * named
    return Mention(text, rank, named, person, maybe, phrase.plural, placed, gender, about)


def looks_like_a_person(name: str, placed: str) -> bool:
    words = name.split()
    return 2 <= len(words) <= 4 and not placed and all(w[0].isupper() or w in _OF_A_PERSON for w in words) and not any(
        character.isdigit() for character in name
    )


def names(text: str) -> Iterator[Mention]:
    """Names of an answer in their order; two joined by `and` are one as well, behind both."""
    pairs: list[tuple[Mention, int, int]] = []
    for match in _NAME.finditer(text):
        name = re.sub(r"[’']s?$", "", match.group())
        start, article = match.start(), text[: match.start()].endswith(" the ")
        while name.split(" ")[0] in _WORDS["openers"] and (start == 0 or " " not in name):
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
            placed = _PLACED.search(text[max(0, match.start() - 60) : match.start()])
            full = f"the {name}" if article else name
            about = _WHO.fullmatch(text[:start]) is not None
            preposition = placed.group(1) if placed else ""
            person = about or looks_like_a_person(full, preposition) or bool(_TITLED.match(name))
            gender = "she" if _SHE_TITLED.match(name) else "he" if _HE_TITLED.match(name) else ""
            maybe = person or not (article or preposition in ("in", "at", "near"))
            pairs.append((Mention(full, len(pairs), True, person, maybe, False, preposition, gender), start, match.end()))
    yield from (mention for mention, _, _ in pairs)
    for (one, begin, end), (other, start, _) in pairwise(pairs):
        if text[end:start] == " and " and text[max(0, begin - 2) : begin] != ", ":  # no two of three
            yield Mention(f"{one.text} and {other.text}", len(pairs), True, plural=True)


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
    return tuple(items[:-1]) + (tail[0],) if len(tail) > 2 else tuple(items)


def _pair(found: Parts) -> tuple[str, ...]:
    """The two of 'the difference between A and B', 'A or B'."""
    body = found.body.rstrip("?. ")
    match = re.search(r"\bbetween (.+?) and (.+)$", body) or re.search(r"[,:] (.+?) or (.+)$", body)
    if not match:
        match = re.search(r"\b([\w()]+|[A-Z]\w*(?: [A-Z]\w*)*) or ([\w()]+|[A-Z]\w*(?: [A-Z]\w*)*)$", body)
    if not match:
        return ()
    one, other = match.groups()
    if one.split()[-1] in ("with", "without"):
        common = one.rsplit(" ", 1)[0]
        return one + " " + " ".join(other.split()[1:]), common + " " + other
    return one, other


def standing_for(question: str, turns: Sequence[Said]) -> tuple[str, list[str]]:
    """The question with names for what points back, and what stands for what; `turns`: newest first."""
    pieces: list[tuple[int, int, str]] = []
    why: list[str] = []
    found = parts(question)
    chosen: dict[int, Mention | None] = {}
    for token in found.tokens:
        low = token.low
        kind = next((place for place, forms in enumerate(_KINDS) if low in forms), None)
        if kind is None or (kind == 2 and _is_expletive(found, token.start)) or _explained(found, token.start, low, turns):
            continue
        if kind not in chosen:
            taken = {one.text for one in chosen.values() if one}
            chosen[kind] = next((one for one in _candidates(low, found, turns) if one.text not in taken), None)
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
            pieces.append((token.start, token.end, _possessive(form, it)))
    for start, end, new, reason in (*_places(question, turns), *_ones(question, found, turns)):
        if all(end <= one[0] or start >= one[1] for one in pieces):
            pieces.append((start, end, new))
            why.append(reason)
    if not pieces:
        pieces, why = _pointed(question, found, turns)
    return (agreeing(_once_only(replaced(question, pieces), chosen.values()), found) if pieces else question), why


def _once_only(text: str, chosen: Iterable[Mention | None]) -> str:
    """'does Radu feed Radu's cat' is 'does Radu feed his cat', where 'his' was not the word."""
    for one in chosen:
        if one and one.person and text.count(one.text) > 1:
            head, _, tail = text.partition(one.text)
            own = "her" if one.gender == "she" else "his"
            text = head + one.text + re.sub(rf"{re.escape(one.text)}['’]s?\b", own, tail)
    return text


def _possessive(form: str, it: Mention) -> str:
    if form.endswith("'s") and (it.plural and it.text.endswith("s")):
        return f"{it.text}'"
    return form.format(it.text)


def _is_object(question: str, end: int) -> bool:
    """'Who taught her?', not 'her films'."""
    rest = question[end:].casefold()
    return re.match(r"\s*(?:[^\w\s]|$)|\s+(?:a|an|the|in|on|at|to|for|from|with|by|of|about|and|or|as|when)\b", rest) is not None


def _is_expletive(found: Parts, at: int) -> bool:
    rest = found.text[at:].casefold()
    if re.match(r"it (?:is |was )?(?:take(?!s? place)|true|possible|necessary|legal|safe|raining)", rest):
        return True
    return re.match(r"it\b.{0,30}\b(?:to|that|if)\b", rest) is not None and found.aux is not None and not re.match(
        r"it \w+ to\b", rest
    ) and re.search(r"\b(?:is|was|be|does) $", found.text[:at].casefold()) is not None and found.verb is None


def _explained(found: Parts, at: int, low: str, turns: Sequence[Said]) -> bool:
    """The question itself says before what the pronoun stands for."""
    before = [one for one in found.phrases if one.end <= at and not one.pronoun and one.words]
    if not before:
        return False
    if low in THEY:
        return any(one.plural and one.role != "asked" for one in before)
    if low in IT:
        return any(one.role in ("subject", "object") and not one.plural and not one.first == "his" for one in before) and (
            found.clause >= 0 or found.text[:at].rstrip().casefold().endswith(("and", "or", "but", ",")) or _ands(found, at)
        )
    return any(_mention(one.text, one, 0, False).maybe_person for one in before)


def _ands(found: Parts, at: int) -> bool:
    return any(token.kind == "and" and token.end <= at for token in found.tokens)


def _candidates(low: str, found: Parts, turns: Sequence[Said]) -> Iterator[Mention]:
    """What a pronoun can stand for, likeliest first."""
    for turn in turns[: len(turns) if low in HE or low in SHE else BACK]:
        who = re.match(r"who\b", turn.parts.body, re.IGNORECASE) is not None and not _WHO.match(turn.parts.body)
        asked = list(turn.asked)
        both = [*turn.answered, *asked] if who else [*asked, *turn.answered]
        if low in HE or low in SHE:
            gender = "he" if low in HE else "she"
            ranked = sorted(both, key=lambda one: not one.person)
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
            yield from (one for one in turn.answered if one.plural)
    for turn in turns[:BACK] if low in IT or low in THEY else ():
        yield from (one for one in turn.asked if one.named and not one.person and (low in THEY or not one.plural))


def _free_relative(turn: Said) -> Iterator[Mention]:
    """'what the vet cost' of 'what did the vet cost'."""
    found = turn.parts
    if not (found.asked and found.aux and found.verb and found.subject):
        return
    asked, aux = found.text[slice(*found.asked)].casefold(), found.text[slice(*found.aux)].casefold()
    if asked == "what" and aux == "did" and not found.subject.pronoun:
        yield Mention(f"what {found.subject.text} {past(found.text[slice(*found.verb)])}", 3.0)


def past(verb: str) -> str:
    """The past form of a base form."""
    irregular = dict(pair.split("=") for pair in _WORDS["past_of"])
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
    listed = next((turn.listed for turn in turns[:2] if turn.listed), ())
    if match := re.search(r"\b(?:of (?:the two|the three|these|those|them|both)\b|(?<=which )ones?\b)", question, re.IGNORECASE):
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
    match = re.search(
        r"\b(?:the|that|this) (first|second|third|fourth|last|former|latter|other|same|next)( ones?)?(?=\s*(?:[^\w\s]|$)|\s+(?:of\b)?\s*(?!\w+\s+of)(?:is|are|was|were|do|does|did|have|has|in|on|for|work|mean|cost)\b)",
        question,
        re.IGNORECASE,
    )
    if match:
        place = {"first": 0, "former": 0, "second": 1, "third": 2, "fourth": 3, "last": -1, "latter": -1}.get(match.group(1).casefold())
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
        if (compared := re.search(r"\b(?:that|this|the) difference$", phrase.text)) and turns and len(turns[0].listed) == 2:
            new = f"the difference between {turns[0].listed[0]} and {turns[0].listed[1]}"
            start = phrase.start + compared.start()
            return [(start, phrase.end, new)], [f"'{compared.group()}' is {new}"]
        if phrase.pronoun and phrase.text.casefold() in POINTING and phrase.preposition not in ("before", "after", "than"):
            if re.search(r"\bdo $", found.text[: phrase.start]) or _own_clause(found, phrase):
                continue
            if new := _event(turns[0]) if turns and phrase.text.casefold() in ("that", "this") else "":
                return [(phrase.start, phrase.end, new)], [f"'{phrase.text}' is {new}"]
            low = "it" if phrase.text.casefold() in ("this", "that") else "they"
            for one in _candidates(low, found, turns):
                if one.text.casefold() not in question.casefold():
                    return [(phrase.start, phrase.end, one.text)], [f"'{phrase.text}' is {one.text}"]
        elif phrase.definite and not phrase.pronoun and len(phrase.words) == 1 and phrase.role != "asked":
            for turn in turns[:BACK]:
                for one in turn.asked:
                    longer = len(one.text.split()) > len(phrase.text.split()) and one.noun == phrase.noun
                    if longer and not question[phrase.end :].startswith((" of ", " in ", " for ", "'s", "’s")):
                        return [(phrase.start, phrase.end, one.text)], [f"'{phrase.text}' is {one.text}"]
            if phrase.noun in _WORDS["nameless"] and not _WORDS["people"] & {phrase.noun}:
                for one in (m for turn in turns[:BACK] for m in turn.asked):
                    if one.named and not one.maybe_person and one.text.casefold() not in question.casefold():
                        return [(phrase.start, phrase.end, one.text)], [f"'{phrase.text}' is {one.text}"]
    return [], []


def _own_clause(found: Parts, phrase: Phrase) -> bool:
    """'that' behind a noun or verb begins a clause."""
    if phrase.text.casefold() != "that" or phrase.role == "subject" or phrase.preposition:
        return False
    return re.match(r"\s+\w", found.text[phrase.end :]) is not None and not re.match(
        r"\s+(?:on|off|up|down|out|in|at|for|to|too|as|by|with|completely|again|faster|better)\b", found.text[phrase.end :]
    )


def _event(turn: Said) -> str:
    """'shrinking the database file' of 'how do I shrink the database file'."""
    found = turn.parts
    subject, verb = found.subject, found.verb
    if not (subject and verb and found.aux) or found.text[slice(*found.aux)].casefold() not in ("do", "does", "did", "can", "could", "should"):
        return ""
    if found.asked and subject.text.casefold() not in ("i", "you", "we", "one"):
        return ""
    if found.asked and found.text[slice(*found.asked)].casefold() not in ("how", "when", "why"):
        return ""
    end = found.clause if found.clause > verb[1] else found.end
    later = next((one.whole for one in found.phrases if one.whole > verb[1] and one.preposition in ("after", "before")), end)
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
    if not (found.aux and subject) or subject.pronoun or before.subject and before.subject.text == subject.text:
        return question
    aux = found.text[slice(*found.aux)]
    several = subject.plural or re.search(r"\w and \w", subject.text) is not None
    pairs = {"is": "are", "was": "were", "does": "do", "has": "have", "isn't": "aren't", "doesn't": "don't"}
    wanted = pairs.get(aux.casefold(), "") if several else {one: other for other, one in pairs.items()}.get(aux.casefold(), "")
    if not wanted or (not several and not subject.definite and subject.noun.endswith("s")):
        return question
    if several and subject.named and " and " not in subject.text:
        return question
    return question[: found.aux[0]] + (wanted.capitalize() if aux[0].isupper() else wanted) + question[found.aux[1] :]
