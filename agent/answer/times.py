"""The dates of sentences: which ones are about the time that a question names, and which of several that say the same
thing at different times holds now.

A sentence is about the dates in it, else about the date of its diary entry, else about its document's date. Of
sentences that say the same thing the newest answers, unless it is of a future day or its document is a draft,
superseded, archived or cancelled; an older one that says something else is mentioned beside it."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Document, Floats, Passage, Vectors
from clew.memory.dates import CalendarDate, FoundDate, asked_times, blanked, date_of, dates_of_each, found_dates
from clew.memory.knowledge.document_dates import diary_entries
from clew.memory.knowledge.document_parts import Candidate
from clew.memory.language.answer_type import answer_type
from clew.memory.text import ITEM, compiled_patterns, content_words, words
from clew.tools.calculate import measured

FITS, MISSES = 0.25, 0.35
"""What a sentence about the right time gains, and one about another time loses; multiplied by
`AnswerParameters.time`."""

ALIKE, SHARED = 0.8, 0.6
"""Two sentences may say the same thing if their cosine is at least `ALIKE` and the longer one has this share of the
shorter one's content words (without numbers)."""

TITLED = 0.6  # how much of both is enough for two documents of one title
NEARLY, MAYBE = 0.7, 0.5  # shares of the best score from which a sentence, or one with a later value, answers too
VALUES = frozenset(("time", "money", "duration", "number"))
"""Kinds of answers of which a later one takes the place of an earlier."""

LONGEST_MENTION = 30  # words of an older sentence that are quoted beside the answer
_VERSION = compiled_patterns(Path(__file__).with_suffix(".txt"))["version"]
NO_DATE = CalendarDate()


@dataclass(frozen=True, slots=True)
class TimedSentence:
    """A sentence with its dates: `own` are those in its text, `date` is that of its diary entry or document (`entry`:
    of an entry). `document`, `title` and `head` say where it stands; `status` says why the document is not in force, or
    is empty."""

    text: str
    document: str = ""
    title: str = ""
    head: str = ""
    date: CalendarDate = NO_DATE
    own: tuple[FoundDate, ...] = ()
    status: str = ""
    entry: bool = False

    def is_of(self, asked: FoundDate) -> bool | None:
        """Whether it is about this time; None if it has no date to tell by."""
        dates = [day for one in self.own for day in one.days] or ([self.date] if self.date != NO_DATE else [])
        if self.date.year:  # `3 September` in a document of 2024
            dates = [day if day.year else replace(day, year=self.date.year) for day in dates]
        if not dates or all(asked.date.day and not day.day for day in dates):
            return None
        return any(asked.meets(day) for day in dates)


@dataclass(frozen=True, slots=True)
class InForce:
    """A sentence that answers in place of others: `aside` is the note behind it, `older` the place of the sentence
    quoted in that (-1: none), `others` are the places of those that it replaces, `newer` of those that it is put
    before."""

    aside: str
    older: int = -1
    others: tuple[int, ...] = ()
    newer: tuple[int, ...] = ()


def timed_sentences(
    candidates: Sequence[Candidate], passages: Sequence[Passage], documents: Mapping[str, Document]
) -> list[TimedSentence]:
    """Each candidate with its dates. `documents` are those of the passages, by id; not all need be there."""
    entries = {id_: diary_entries(document) for id_, document in documents.items()}
    dates = {id_: date_of(document.date) for id_, document in documents.items()}
    titled = [any(one.date.day for one in found_dates(passage.title)) for passage in passages]
    found = list[TimedSentence]()
    for candidate, own in zip(candidates, dates_of_each([one.text for one in candidates]), strict=True):
        passage = passages[candidate.passage]
        plain = TimedSentence(candidate.text, "", passage.title, candidate.head, own=own)
        if document := documents.get(passage.document):
            date, its = dates[passage.document], entries[passage.document]
            place = bisect_right(its, candidate.position, key=lambda entry: entry.start) - 1
            entry = its[place] if place >= 0 else None
            date = replace(entry.date, year=entry.date.year or date.year) if entry else date
            of_day = (entry is not None and entry.happened) or titled[candidate.passage]
            plain = replace(plain, document=document.id, date=date, status=document.status, entry=of_day)
        found.append(plain)
    return found


# What is asked about ---------------------------------------------------------------------------------------------


def time_scores(question: str, sentences: Sequence[TimedSentence], any_year: bool = False) -> Floats:
    """What is added to each score, shape (sentences,): 0 if the question names no time, or nothing is about it. With
    `any_year`, a month may be that of any year if no sentence is of the assumed year."""
    asked = asked_times(question)
    exact = any(one.date.month for one in asked)
    of_any_year = [replace(one, date=replace(one.date, year=0)) for one in asked] if any_year else []
    for times in (asked, of_any_year):
        fits = [[sentence.is_of(one) for one in times] for sentence in sentences]
        if any(map(any, fits)):
            misses = (exact and all(fit is False for fit in row) for row in fits)
            return np.array([FITS if any(row) else -MISSES * miss for row, miss in zip(fits, misses, strict=True)])
    return np.zeros(len(sentences))


def asked_years(question: str) -> bool:
    """Whether the question itself names a year."""
    return any(one.date.year for one in asked_times(question))


# What is in force ------------------------------------------------------------------------------------------------


def in_force(
    question: str, sentences: Sequence[TimedSentence], scores: Floats, vectors: Vectors, today: str
) -> dict[int, InForce]:
    """Among sentences that answer nearly as well as the best, and those that say the same: by its place, each that
    answers in the place of others. If the question names a time, what held then answers; nothing is replaced if a
    sentence is of the year that is asked about."""
    near = [place for place in np.argsort(-scores, kind="stable").tolist() if scores[place] >= NEARLY * scores.max()]
    found = dict[int, InForce]()
    if "time" in answer_type(question).expected:  # the dates of the entries of a diary that do not say when it was
        dates = [(at, sentences[at].date) for at in near if sentences[at].entry and not sentences[at].own]
        found = {at: InForce(f"({date.text})") for at, date in dates if date.day}
    asked = asked_times(question)
    met = [time for time in asked if any(one.is_of(time) for one in sentences)]
    if any(time.date.year for time in met):
        return found
    today = max((day.iso for time in asked for day in time.days[-1:] if day.year), default=today)
    dated = [at for at, one in enumerate(sentences) if one.date.year or one.status]
    dated = [at for at in dated if all(sentences[at].is_of(time) for time in met)]
    asked_words, taken = {*content_words(_undated(question))}, set[int]()
    # By heading and title too: the limit in Zurich is no version of the limit.
    said = {at: f"{sentences[at].text} {sentences[at].head} {sentences[at].title}" for at in dated}
    asks = {at: asked_words.intersection(content_words(text)) for at, text in said.items()}
    maybe = [at for at in asks if scores[at] >= MAYBE * scores.max()]
    values = _values_asked(question, maybe, sentences)
    near = [at for at in near if at in asks]
    for place in dict.fromkeys((*near, *values)):
        rest = [one for one in dated if one != place and one not in taken and asks[one] == asks[place]]
        alike = [one for one in rest if one in values and values[one] == values.get(place)]
        alike = [one for one in alike if sentences[one].date != sentences[place].date]
        moved = [one for one in alike if sentences[one].document == sentences[place].document]
        same = (one for one in rest if one in moved or _same_thing(one, place, sentences, vectors, near=one in near))
        group = [place, *(same if place in near else ())]
        if place in taken:
            continue
        taken.update(group if len(group) > 1 else [])
        first, *others = sorted(group, key=lambda one: _standing(sentences[one], today), reverse=True)
        standing = _standing(sentences[first], today)
        newer = tuple(one for one in alike if one not in group and _standing(sentences[one], today) < standing)
        if others or newer:
            answering = _answering(first, others, sentences, today) if others else found.get(first, InForce(""))
            found[first] = replace(answering, newer=newer)
    return found


def _values_asked(question: str, places: Sequence[int], sentences: Sequence[TimedSentence]) -> dict[int, set[str]]:
    """Of those that say a value of the kind that is asked for, a day or an amount, in words of the question, these
    words: of what has them in common the newest tells how it is now."""
    wanted, asked = answer_type(question), {*content_words(_undated(question))}
    if wanted.form != "fact" or not VALUES.issuperset(wanted.expected):
        return {}
    said = {at: sentences[at] for at in places}
    if "time" in wanted.expected:
        said = {at: one for at, one in said.items() if any(day.date.day for day in one.own)}
    holds = wanted.holds(one.text for one in said.values())
    held = {at: asked.intersection(content_words(one.text)) for at, one in compress(said.items(), holds)}
    return {at: words for at, words in held.items() if words}


def _standing(sentence: TimedSentence, today: str) -> tuple[bool, bool, CalendarDate]:
    """The sort key: in force before not in force, past before future, then newest first."""
    return not sentence.status, not _to_come(sentence.date, today), sentence.date


def _to_come(date: CalendarDate, today: str) -> bool:
    """Whether this date lies after `today`."""
    now = date_of(today)
    known = replace(date, month=date.month if now.month else 0, day=date.day if now.day else 0)
    return bool(today and date.year and known > now)


def _same_thing(one: int, other: int, sentences: Sequence[TimedSentence], vectors: Vectors, *, near: bool) -> bool:
    """Whether two sentences say the same thing at different times: in different documents or entries, with like
    meanings and words. One title is enough if both answer `near`ly as well, or have the same heading and a day or a
    value of the same unit."""
    first, second = sentences[one], sentences[other]
    if (first.document, first.date) == (second.document, second.date):
        return False
    if (first.date, first.status) == (second.date, second.status) or _of_different_things(first, second):
        return False
    one_words, other_words = told_words(first.text), told_words(second.text)
    if first.document == second.document and one_words - other_words and other_words - one_words:
        return False  # lines of one list: '19 May: Traunstein', '16 June: Feuerkogel'
    least = min(len(one_words), len(other_words))
    shared = len(one_words & other_words) / least if least else 0.0
    one_title = plain_title(first.title) == plain_title(second.title) != ""
    units = [{unit for unit, _ in measured(each.text)} for each in (first, second)]
    one_section = first.head == second.head != "" and bool(units[0] & units[1] or (first.own and second.own))
    enough = TITLED if one_title and (near or one_section) else 1.0
    return bool(vectors[one] @ vectors[other] >= enough * ALIKE and shared >= enough * SHARED)


def _of_different_things(one: TimedSentence, other: TimedSentence) -> bool:
    """Whether each title, or each heading, has a word that the other lacks, like the bids of two vendors: then neither
    is a version of the other."""
    pairs = ((one.title, other.title), (one.head, other.head))
    told = [[{*content_words(plain_title(text))} for text in pair] for pair in pairs]
    return any(own - others and others - own for own, others in told)


def _undated(text: str) -> str:
    return blanked(text, asked_times(text))


def plain_title(title: str) -> str:
    """The title without its date and version."""
    return " ".join(_VERSION.sub(" ", _undated(title).casefold()).split())


def told_words(text: str) -> set[str]:
    """The content words without numbers and dates."""
    return {word for word in content_words(_undated(text)) if not any(map(str.isdigit, word))}


def _answering(first: int, others: Sequence[int], sentences: Sequence[TimedSentence], today: str) -> InForce:
    """The sentence with its date, and with the newest older one that says something else."""
    chosen = sentences[first]
    shown = [chosen.date.text] if chosen.date.year and not _says_when(chosen) else []
    for place in others:
        other = sentences[place]
        past = other.date < chosen.date and not _to_come(other.date, today) and (other.date.year or not other.status)
        if past and words(other.text) != words(chosen.text):
            when = "" if _says_when(other) else f"{'on' if other.date.day else 'in'} {other.date.text}: "
            mark = ITEM.match(other.text)
            said = " ".join(other.text[mark.end() if mark else 0 :].split()[:LONGEST_MENTION])
            shown.append(f"{when}\u201c{said}\u201d")
            return InForce(f"({'; '.join(shown)})", place, tuple(others))
    return InForce(f"({shown[0]})" if shown else "", others=tuple(others))


def _says_when(sentence: TimedSentence) -> bool:
    return any(one.meets(sentence.date) for one in sentence.own)
