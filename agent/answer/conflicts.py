"""Documents that contradict each other: the sentences that tell what is quoted with another amount or another day, or
deny it, and the names of the documents that each is from."""

import re

from clew.agent.answer.evidence import Evidence
from clew.agent.answer.excerpts import excerpt_of
from clew.agent.answer.names import of_other_names
from clew.agent.answer.negation import SURE, denied
from clew.agent.answer.selection import Picked
from clew.agent.answer.times import TimedSentence, plain_title, told_words, without_dates
from clew.memory.dates import asked_times, date_of
from clew.memory.text import content_words

LIKE, SHARED, MOST = 0.6, 0.6, 2
"""The cosine and the share of the words of the shorter one from which two sentences tell the same thing; how many
documents are quoted beside the first."""

_AMOUNT = re.compile(r"(?P<before>[€$£]?)\s?(?P<number>\d[\d.,:]*)\s?(?P<behind>%|[€$£]|[^\W\d_]+)?")
"""A number with what stands beside it."""


def name_of(picked: Picked, evidence: Evidence) -> str:
    """Of its document, with the date."""
    passage = evidence.passages[picked.excerpt.candidate.passage]
    document = evidence.documents.get(passage.document)
    when = date_of(document.date).text if document and document.date else ""
    name = passage.title or passage.document
    return f"\u201c{name}\u201d ({when})" if when and when not in name else f"\u201c{name}\u201d"


def contradicting(first: Picked, question: str, evidence: Evidence) -> list[Picked]:
    """Excerpts of other documents that tell the same thing as the first with another amount or day, or deny it: none
    where they are older or newer versions, of which one is in force."""
    candidate = first.excerpt.candidate
    if first.aside or asked_times(question) or candidate not in evidence.candidates:
        return []
    if first.excerpt.kind not in ("sentence", "item"):
        return []
    place, asked = evidence.candidates.index(candidate), told_words(question)
    own, sources = evidence.texts[place], evidence.sources
    own_words, said = told_words(own), asked & {*content_words(own), *evidence.title_words[candidate.passage]}
    likeness = evidence.candidate_vectors @ evidence.candidate_vectors[place]
    found, of_another = dict[str, Picked](), of_other_names(question, evidence)
    for other in sorted(range(len(evidence.candidates)), key=lambda one: -likeness[one]):
        if likeness[other] < LIKE or len(found) == MOST:
            break
        at, text, document = evidence.candidates[other].passage, evidence.texts[other], sources[other]
        if document == sources[place] or document in found or of_another[other]:
            continue
        if _versions(evidence.timed[place], evidence.timed[other]):
            continue
        words = told_words(text)
        least = min(len(words), len(own_words))
        alike = least > 1 and len(words & own_words) >= SHARED * least and not (words - own_words and own_words - words)
        answers = said <= {*content_words(text), *evidence.title_words[at]}
        if alike and answers and (differ(own, text) or _one_denies(own, text, evidence)):
            found[document] = Picked(excerpt_of(evidence.candidates[other]))
    return list(found.values())


def _versions(one: TimedSentence, other: TimedSentence) -> bool:
    """Whether one is in force in the place of the other."""
    titled = plain_title(one.title) == plain_title(other.title)
    return bool(one.status or other.status) or (titled and one.date != other.date)


def differ(one: str, other: str) -> bool:
    """Whether two sentences that tell the same thing say something else: another amount of the same, another date."""
    ours, theirs = _amounts(one), _amounts(other)
    if any(ours[unit] != theirs[unit] for unit in ours.keys() & theirs.keys()):
        return True
    dates = asked_times(one), asked_times(other)
    return len(dates[0]) == 1 == len(dates[1]) and not dates[0][0].meets(dates[1][0].date)


def _one_denies(one: str, other: str, evidence: Evidence) -> bool:
    """Whether one of two sentences denies what the other tells, with the same amounts."""
    if not evidence.of_english or _amounts(one) != _amounts(other):
        return False
    less, more = sorted(denied([one, other], evidence.encoder))
    return bool(less <= 1 - SURE and more >= SURE)


def _amounts(text: str) -> dict[str, str]:
    """What is counted or measured -> the number, without dates."""
    found = _AMOUNT.finditer(without_dates(text))
    return {f"{m['before']}{m['behind'] or ''}".casefold(): m["number"].strip(".,:") for m in found}
