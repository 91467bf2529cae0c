"""Relations between the mentions of a sentence by rules, without a parser (seed 001, section 2: subject, verb, object).

A sentence is read once from left to right. The state (`Clause`) is the subject, the last verb and what came since; it
decides what the next mention is to the subject. The rules are for plain English: a clause they cannot read gives none.
"""

from collections.abc import Sequence

from clew.memory.knowledge.extraction.elements import (
    CLOSE,
    OPEN,
    Element,
    behind,
    bracketed,
    describes_a_noun,
    elements,
    of_a_people,
)
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.extraction.lexicon import (
    COPULAS,
    ORGANISATIONS,
    PLACES,
    WORKS,
    Mention,
    RelationMention,
    is_participle,
    past,
    wording,
)
from clew.memory.text import split

FARTHEST = 12
"""Words between a verb, or the object before, and an object: farther off it is none."""

MOST_SUBJECTS = 4

_GENERIC = WORKS | ORGANISATIONS | PLACES


class Clause:
    """The state of reading one sentence. `found` are its triples; `topic` is what its paragraph is about."""

    def __init__(self, topic: Mention | None) -> None:
        self.found: dict[tuple[Mention, str, Mention], None] = {}
        self.topic = topic
        self._opened: list[tuple[list[Mention], str, bool, Mention | None, bool]] = []
        self._apposition = False
        self._last: Mention | None = None
        self._front: tuple[str, Mention] | None = None
        self._restart()

    def _restart(self) -> None:
        self._subjects: list[Mention] = []
        self._listed: list[Mention] = []
        self._role, self._fronted, self._unknown = "", False, False
        self._set_verb("")

    def _set_verb(self, verb: str, *, passive: bool = False) -> None:
        self._verb, self._passive = verb, passive
        self._object = False
        self._since(0)

    def _since(self, words: int) -> None:
        self._nouns: list[str] = []
        self._preposition, self._filled = "", False
        self._words = words

    def read(self, elements: Sequence[Element]) -> None:
        elements = bracketed(elements)
        for place, element in enumerate(elements):
            before = elements[place - 1] if place else None
            after = behind(elements, place)
            self._by = place + 2 < len(elements) and elements[place + 2].text == "by"
            self._words += 1
            match element.part:
                case "mention":
                    self._on_mention(element, before, after)
                case "verb":
                    self._on_verb(element.text, before, after)
                case "be":
                    self._on_be(element.text)
                case "preposition":
                    self._on_preposition(element.text)
                case "noun":
                    self._on_noun(element.text)
                case "relative":
                    self._on_relative(before)
                case "he" | "it":
                    self._on_pronoun(element.part, before)
                case "possessive":
                    self._preposition, self._nouns = "'s", []
                case "open" | "close" | "stop":
                    self._on_mark(element)

    def _on_mention(self, element: Element, before: Element | None, after: Element | None) -> None:
        mention = element.mention
        assert mention is not None
        begins = after is not None and after.part in ("verb", "be", "auxiliary")
        if not self._subjects:
            if describes_a_noun(mention, after):
                return
            self._on_first(mention)
        elif self._verb and begins and before is not None and before.part == "and" and not self._by:
            self._begin(mention)
        elif not self._verb and self._opened and mention.kind == "date" and not (self._apposition and self._nouns):
            self._add(self._subjects[0], "dated", mention)
        elif not self._verb:
            self._beside_subject(mention, before, begins)
        elif self._words <= FARTHEST and not self._describes(mention, after):
            self._emit(mention)
        self._last = mention

    def _on_first(self, mention: Mention) -> None:
        """The subject, unless it stands in what is put in front of it (in 1927) or some he or she does it."""
        if self._unknown and self._verb:
            return
        if self._fronted or mention.kind == "date":
            self._front = (self._preposition, mention) if mention.kind == "date" else None
            self._restart()
        else:
            self._begin(mention)

    def _describes(self, mention: Mention, after: Element | None) -> bool:
        """Whether it describes the kind of thing that the subject is (a 1927 Ufa film); not a people's name."""
        copula = self._verb in COPULAS and not self._preposition and not self._object
        attribute = after is not None and (after.part == "noun" or (after.mention is not None))
        return copula and attribute and not of_a_people(mention) and mention.kind != "term"

    def _begin(self, mention: Mention) -> None:
        self._role = " ".join(self._nouns[-2:]) if self._preposition == "of" else ""
        self._subjects, self._listed = [mention], []
        self._set_verb("")
        if mention.kind not in ("date", "term") and self.topic is None:
            self.topic = mention

    def _beside_subject(self, mention: Mention, before: Element | None, begins: bool) -> None:
        """A mention behind the subject and before a verb: another subject, an apposition, a place, a possession."""
        subject = self._last or self._subjects[0]
        nouns = " ".join(self._nouns[-2:])
        if self._apposition and not self._preposition:
            if mention.kind == "term" or of_a_people(mention):
                self._add(self._subjects[0], "is", mention)
        elif before is not None and before.part in ("and", "comma") and not self._nouns and not self._preposition:
            self._beside_in_a_list(mention, subject, joined=before.part == "and")
        elif self._preposition == "'s":
            if nouns and self._words <= 4:
                self._add(mention, f"{nouns} of", subject)
                self._subjects = [mention]
        elif nouns and self._preposition and self._words <= 6:
            self._add(subject, f"{nouns} {self._preposition}", mention)
        elif self._preposition in ("by", "in", "of", "from") and self._words <= 3 and mention.kind != "date":
            self._add(subject, self._preposition, mention)
        elif begins and not self._preposition:
            self._begin(mention)
        self._since(0)

    def _beside_in_a_list(self, mention: Mention, subject: Mention, *, joined: bool) -> None:
        """`A, B and C`: several subjects once the `and` has come; before it B could be where A is."""
        if mention.kind == "term" and not joined:
            self._add(subject, "is", mention)
        elif mention.kind != "date":
            self._listed.append(mention)
        if joined:
            self._subjects += self._listed[:MOST_SUBJECTS]
            self._listed = []

    def _on_verb(self, verb: str, before: Element | None, after: Element | None) -> None:
        by = after is not None and after.text == "by"
        reduced = before is not None and before.part in ("mention", "comma", "close", "noun", "open")
        if self._verb and by and before is not None and before.part == "mention" and self._last is not None:
            self._subjects = [self._last] if self._last.kind != "term" else self._subjects
        self._resolve_noun()
        is_be = self._verb in COPULAS and not self._nouns and not self._object
        if self._front is not None and self._subjects:
            preposition, date = self._front
            self._add(self._subjects[0], f"{verb} {preposition}".strip(), date)
            self._front = None
        passive = is_participle(verb) and (
            is_be or by or (reduced and after is not None and after.part == "preposition")
        )
        self._set_verb(verb, passive=passive)

    def _on_be(self, verb: str) -> None:
        if verb in ("been", "being", "be") and self._verb in COPULAS:
            return
        self._resolve_noun()
        if self._nouns and self._preposition == "'s":
            self._role = " ".join(self._nouns[-2:])
        self._set_verb(verb)

    def _resolve_noun(self) -> None:
        """`The film` in front of a verb is what the paragraph is about."""
        if not self._subjects and not self._preposition and len(self._nouns) == 1 and self._nouns[0] in _GENERIC:
            topic = self._topic_for("it")
            self._subjects = [topic] if topic is not None else []

    def _on_noun(self, word: str) -> None:
        if self._preposition and self._preposition != "'s" and self._verb:
            self._filled = True
            return
        if self._preposition and self._nouns and self._preposition != "'s":
            self._nouns, self._preposition = [], ""
        self._nouns.append(word)

    def _on_preposition(self, word: str) -> None:
        """`in the district of Y` leads to Y by `in`."""
        self._fronted = self._fronted or not (self._subjects or self._nouns or self._verb)
        if word != "of" or not self._filled:
            self._preposition, self._filled = word, False

    def _on_relative(self, before: Element | None) -> None:
        if self._last is not None and before is not None and before.part in ("mention", "comma", "close"):
            self._subjects = [self._last] if self._verb and self._last.kind != "term" else self._subjects
        elif before is None or before.part != "noun":
            return
        self._set_verb("")

    def _on_pronoun(self, pronoun: str, before: Element | None) -> None:
        if before is not None and before.part not in ("comma", "and", "stop", "relative"):
            return
        self._restart()
        topic = self._topic_for(pronoun)
        if topic is not None:
            self._subjects = [topic]
        self._unknown = topic is None

    def _topic_for(self, pronoun: str) -> Mention | None:
        topic = self.topic
        if topic is None:
            return None
        fits = topic.kind in ("person", "name") if pronoun == "he" else topic.kind != "person"
        return topic if fits else None

    def _on_mark(self, mark: Element) -> None:
        if mark.part == "stop":
            self._restart()
        elif mark.part == "open":
            self._opened.append((self._subjects, self._verb, self._passive, self._last, self._apposition))
            self._subjects = [self._last] if self._last is not None else []
            self._set_verb("")
            self._apposition = mark is OPEN
        elif self._opened:
            self._subjects, verb, passive, head, self._apposition = self._opened.pop()
            self._set_verb(verb, passive=passive)
            self._last = head if mark is CLOSE else self._last

    def _emit(self, mention: Mention) -> None:
        """The mention is what the verb is done to, or where, when, by whom."""
        if self._preposition == "of" and (not self._nouns or (self._object and self._verb not in COPULAS)):
            return
        by_agent = self._passive and self._preposition == "by" and mention.kind != "date"
        for subject in self._subjects[:MOST_SUBJECTS]:
            if by_agent:
                self._add(mention, past(self._verb), subject)
            elif self._role and self._verb in ("is", "was") and not self._preposition:
                self._add(mention, f"{self._role} of", subject)
            else:
                self._add(subject, wording(self._verb, self._nouns[-3:], self._preposition, self._object), mention)
        self._object = True
        self._nouns, self._words, self._filled = [], 0, False

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
