"""Relations between the mentions of a sentence by rules, without a parser (seed 001, section 2: subject, verb, object).

A sentence is read once from left to right. The state (`Clause`) is the subject, the last verb and what came since; it
decides what the next mention is to the subject. The rules are for plain English: a clause they cannot read gives none.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from clew.memory.knowledge.extraction import lexicon
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.extraction.lexicon import Mention, RelationMention, is_participle, past, tokens
from clew.memory.text import Span, split

FARTHEST = 12
"""Words between a verb, or the object before, and an object: farther off it is none."""

MOST_SUBJECTS = 4

PartOfSpeech = Literal[
    "mention", "verb", "be", "auxiliary", "preposition", "determiner", "comma", "and", "relative", "pronoun", "stop",
    "open", "close", "noun", "possessive"
]  # fmt: skip

_MARKS: dict[str, PartOfSpeech] = {
    **dict.fromkeys(";:—–?!|/•.", "stop"),
    **{",": "comma", "(": "open", "[": "open", ")": "close", "]": "close"},
}
_PARTS: dict[str, PartOfSpeech] = {
    **dict.fromkeys(lexicon.STOPS, "stop"),
    **dict.fromkeys(lexicon.DETERMINERS | lexicon.NUMBERS, "determiner"),
    **dict.fromkeys(("he", "she", "it"), "pronoun"),
    **dict.fromkeys(("who", "which"), "relative"),
    **dict.fromkeys(("and", "&"), "and"),
    **dict.fromkeys(lexicon.PREPOSITIONS, "preposition"),
    **dict.fromkeys(lexicon.AUXILIARIES, "auxiliary"),
    **dict.fromkeys(lexicon.BE, "be"),
    "s": "possessive",
}
"""Of words that are always the same part of speech."""


class Element(NamedTuple):
    """A mention, a word or a mark. `text` is it in lower case where it is not a mention."""

    part: PartOfSpeech
    text: str
    mention: Mention | None = None


_END = Element("stop", "")


def elements(text: str, sentence: Span, mentions: Sequence[Mention]) -> list[Element]:
    """The elements of a sentence in order; `mentions` are those in it, in order."""
    found: list[Element] = []
    place = sentence[0]
    for mention in mentions:
        found.extend(_between(text, (place, mention.start)))
        found.append(Element("mention", mention.text, mention))
        place = mention.end
    found.extend(_between(text, (place, sentence[1])))
    before: PartOfSpeech = "stop"
    for place, (element, after) in enumerate(pairwise([*found, _END])):
        if element.text == "that":
            element = Element("stop" if before == "verb" else "relative", "that")
        elif element.part == "verb" and not _is_verb(element.text, before, after):
            element = Element("noun", element.text)
        elif element.text in ("has", "have", "had") and after.part not in ("verb", "be", "auxiliary"):
            element = Element("verb", element.text)
        found[place], before = element, element.part
    return found


def _between(text: str, span: Span) -> Iterator[Element]:
    """The words and marks of what is no mention."""
    place = span[0]
    for token in tokens(text, span):
        yield from _marks(text[place : token.start])
        yield Element(_part(token.low), token.low)
        place = token.end
    yield from _marks(text[place : span[1]])


def _marks(gap: str) -> Iterator[Element]:
    """The full stop before a comma is an abbreviation's."""
    yield from (Element(_MARKS[mark], mark) for mark in gap.replace(".,", ",") if mark in _MARKS)


def _part(word: str) -> PartOfSpeech:
    if word in _PARTS:
        return _PARTS[word]
    if lexicon.looks_like_a_verb(word) or word in lexicon.AMBIGUOUS:
        return "verb"
    return "stop" if word in lexicon.EMPTY and word != "that" else "noun"


def _is_verb(word: str, before: PartOfSpeech, after: Element) -> bool:
    """Whether what looks like one stands where a verb does, and no noun or adjective."""
    if before in ("mention", "be", "auxiliary", "relative", "pronoun", "close", "open"):
        return True
    if before == "comma" and word not in lexicon.AMBIGUOUS:
        return True
    if before in ("determiner", "preposition", "possessive"):
        return False
    objects = ("mention", "determiner", "preposition")
    return after.part in objects and before == "and" if word in lexicon.AMBIGUOUS else after.part in (*objects, "comma")


class Clause:
    """The state of reading one sentence. `found` are its triples; `topic` is what its paragraph is about."""

    def __init__(self, topic: Mention | None) -> None:
        self.found: dict[tuple[Mention, str, Mention], None] = {}
        self.topic = topic
        self._opened: list[tuple[list[Mention], str, bool]] = []
        self._last: Mention | None = None
        self._restart()

    def _restart(self) -> None:
        self._subjects: list[Mention] = []
        self._unknown = False
        self._set_verb("")

    def _set_verb(self, verb: str, *, passive: bool = False) -> None:
        self._verb, self._passive, self._object = verb, passive, False
        self._since()

    def _since(self) -> None:
        """Nothing came yet since the verb or the last mention."""
        self._nouns: list[str] = []
        self._preposition, self._words = "", 0

    def read(self, elements: Sequence[Element]) -> None:
        """A mention of one word before a noun is only its adjective: the Polish physicist."""
        for before, element, after in zip([_END, *elements], elements, [*elements[1:], _END], strict=False):
            self._words += 1
            match element.part:
                case "mention" if element.mention is not None and (after.part != "noun" or " " in element.text):
                    self._on_mention(element.mention, before, after)
                    self._last = element.mention
                case "verb":
                    self._on_verb(element.text, before, after)
                case "be":
                    self._leave_possession()
                    if element.text not in ("been", "being", "be") or self._verb not in lexicon.COPULAS:
                        self._set_verb(element.text)
                case "preposition" if element.text != "of" or not self._preposition:
                    self._preposition = element.text
                case "possessive":
                    self._preposition, self._nouns = "'s", []
                case "noun" if not self._preposition or self._preposition == "'s":
                    self._nouns.append(element.text)
                case "relative" if self._last is not None:
                    self._describe_last()
                    self._set_verb("")
                case "pronoun" if before.part in ("comma", "and", "stop", "relative"):
                    self._on_pronoun(element.text)
                case "open" | "close" | "stop":
                    self._on_mark(element.part)

    def _on_mention(self, mention: Mention, before: Element, after: Element) -> None:
        begins = after.part in ("verb", "be", "auxiliary")
        if not self._subjects:
            if not (self._unknown or self._preposition or mention.kind == "date"):
                self._begin(mention)
            else:
                self._since()
        elif self._verb and begins and before.part == "and":
            self._begin(mention)
        elif not self._verb:
            self._beside_subject(mention, before, begins)
        elif self._words <= FARTHEST and after.part != "possessive":
            self._emit(mention)

    def _begin(self, mention: Mention) -> None:
        self._subjects = [mention]
        self._set_verb("")
        if mention.kind not in ("date", "term") and self.topic is None:
            self.topic = mention

    def _beside_subject(self, mention: Mention, before: Element, begins: bool) -> None:
        """A mention behind the subject and before a verb: another subject, a date, a place, a possession."""
        subject, nouns = self._last or self._subjects[0], " ".join(self._nouns[-2:])
        if self._opened and mention.kind == "date":
            self._add(self._subjects[0], "dated", mention)
        elif before.part == "and" and not self._preposition:
            self._subjects.append(mention)
        elif self._preposition == "'s" and nouns:
            self._add(mention, f"{nouns} of", subject)
            self._subjects = [mention]
        elif self._preposition and self._preposition != "'s":
            self._add(subject, f"{nouns} {self._preposition}".strip(), mention)
        elif begins:
            self._begin(mention)
        self._since()

    def _on_verb(self, verb: str, before: Element, after: Element) -> None:
        self._leave_possession()
        leads = after.text == "by" or (after.part == "preposition" and before.part != "auxiliary")
        if after.text == "by" and before.part == "mention":
            self._describe_last()
        self._set_verb(verb, passive=is_participle(verb) and (self._verb in lexicon.COPULAS or leads))

    def _describe_last(self) -> None:
        """What follows is said of the last mention; of a kind of thing it is said of what is of that kind."""
        if self._verb and self._last is not None and self._last.kind != "term":
            self._subjects = [self._last]

    def _leave_possession(self) -> None:
        """`Lang's film was shown`: what is said is not said of Lang."""
        self._subjects = [] if self._preposition == "'s" else self._subjects

    def _on_pronoun(self, pronoun: str) -> None:
        self._restart()
        topic = self.topic
        kinds = ("person", "name") if pronoun in ("he", "she") else ("place", "organisation", "work", "term", "name")
        self._unknown = topic is None or topic.kind not in kinds
        self._subjects = [topic] if topic is not None and not self._unknown else []

    def _on_mark(self, part: PartOfSpeech) -> None:
        if part == "stop":
            self._restart()
        elif part == "open":
            self._opened.append((self._subjects, self._verb, self._passive))
            self._subjects = [self._last] if self._last is not None else []
            self._set_verb("")
        elif self._opened:
            self._subjects, verb, passive = self._opened.pop()
            self._set_verb(verb, passive=passive)

    def _emit(self, mention: Mention) -> None:
        """The mention is what the verb is done to, or where, when, by whom."""
        by_agent = self._passive and self._preposition == "by" and mention.kind != "date"
        for subject in self._subjects[:MOST_SUBJECTS]:
            if by_agent:
                self._add(mention, past(self._verb), subject)
            elif self._preposition != "of" or (self._nouns and not self._object):
                self._add(subject, self._wording(), mention)
        self._object = True
        self._nouns, self._words = [], 0

    def _wording(self) -> str:
        """The relation by which the verb leads to an object: `capital of`, `wrote screenplay for`, `born in`."""
        nouns, preposition = self._nouns[-3:], self._preposition if self._preposition != "'s" else ""
        if self._verb in lexicon.COPULAS and nouns and preposition:
            return f"{' '.join(nouns[-2:])} {preposition}"
        return " ".join(filter(None, (self._verb, *(nouns if preposition and not self._object else ()), preposition)))

    def _add(self, subject: Mention, relation: str, obj: Mention) -> None:
        same = subject.text.casefold() == obj.text.casefold()
        if relation and not same and subject.kind not in ("date", "term"):
            self.found[subject, relation, obj] = None


def triples(text: str, mentions: Sequence[Mention]) -> list[RelationMention]:
    """In the order of the text, none twice from one sentence; `mentions` as `entities(text)` gives them, in order.

    `Y was directed by X` has the subject X and the relation `directed`. A `he` or `it` that begins a sentence stands
    for what its paragraph is about: the first subject in it.
    """
    found: list[RelationMention] = []
    place, topic, last_end = 0, None, 0
    for start, end in split(text):
        inside: list[Mention] = []
        while place < len(mentions) and mentions[place].start < end:
            if start <= mentions[place].start and mentions[place].end <= end:
                inside.append(mentions[place])
            place += 1
        if text.count("\n", last_end, start) > 1:
            topic = None
        clause = Clause(topic)
        clause.read(elements(text, (start, end), inside) if inside else [])
        found.extend(RelationMention(*triple, start, end) for triple in clause.found)
        topic, last_end = clause.topic, end
    return found


def by_rules(text: str, title: str) -> tuple[Sequence[Mention], Sequence[RelationMention]]:
    """The mentions and relations of a text, without a model."""
    mentions = entities(text, title)
    return mentions, triples(text, mentions)
