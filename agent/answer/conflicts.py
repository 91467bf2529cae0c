"""Answers from several documents: which of them name what they say, and which tell the same thing otherwise."""

import re
from collections.abc import Mapping, Sequence

from clew.agent.answer.answer_type import answer_type
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.answer.excerpts import excerpt_of
from clew.agent.answer.names import of_other_names
from clew.agent.answer.selection import Picked
from clew.agent.answer.structure import unnumbered
from clew.agent.answer.times import TimedSentence, plain_title
from clew.agent.state import AnswerForm
from clew.memory.dates import asked_times, date_of
from clew.memory.text import content_words

LIKE, SHARED, MOST = 0.6, 0.6, 2
"""The cosine and the share of the words of the shorter one from which two sentences tell the same thing; how many
documents are quoted beside the first."""

_DENIES = re.compile(r"\b(?:not|no|never|none|only|cannot|without|prohibited|forbidden)\b|n['\u2019]t\b", re.IGNORECASE)
_AMOUNT = re.compile(r"(?P<before>[€$£]?)\s?(?P<number>\d[\d.,:]*)\s?(?P<behind>%|[€$£]|[^\W\d_]+)?")
"""A number with what stands beside it."""

_WHICH = re.compile(
    r"\bwhich (?:of the )?(?:vendor|supplier|seller|provider|company|firm|contractor|bidder|insurer|bank|hotel|offer"
    r"|quote|quotation|bid|contract|lease|agreement|policy|document|file|note|letter|report|paper|article|invoice|recipe"
    r"|meeting)s?\b",
    re.IGNORECASE,
)
"""What a document may be of, and its text not name."""


def name_of(picked: Picked, evidence: Evidence) -> str:
    """Of its document, with the date."""
    passage = evidence.passages[picked.excerpt.candidate.passage]
    document = evidence.documents.get(passage.document)
    when = date_of(document.date).text if document and document.date else ""
    name = passage.title or passage.document
    return f"\u201c{name}\u201d ({when})" if when and when not in name else f"\u201c{name}\u201d"


def labelled(chosen: Sequence[Picked], question: str, form: AnswerForm, evidence: Evidence) -> Mapping[int, str]:
    """What stands before each excerpt, by its `id`: of a comparison its document; else the heading that names whom the
    question asks for, or the document (which vendor?), where the excerpt has no name."""
    documents = {evidence.passages[one.excerpt.candidate.passage].document for one in chosen}
    if form == "comparison":
        return {id(one): name_of(one, evidence) for one in chosen} if len(documents) > 1 else {}
    expected = answer_type(question)
    if {"person", "name"} & set(expected.expected):
        heads = {
            id(one): unnumbered(one.excerpt.candidate.head)
            for one in chosen
            if not any(map(expected.holds, one.excerpt.texts))
        }
        if told := {one: head for one, head in heads.items() if head and expected.holds(head)}:
            return told
    everywhere = {passage.document for passage in evidence.passages}
    if not _WHICH.search(question) or len(everywhere) < 2:
        return {}
    return {id(one): name_of(one, evidence) for one in chosen if not _names(one, question)}


def _names(picked: Picked, question: str) -> bool:
    """Whether it has a name that the question does not."""
    text = " ".join(picked.excerpt.texts)
    asked = set(content_words(question))
    found = [name for name in NAMED.findall(text) if not name[0].isdigit() and not set(content_words(name)) <= asked]
    return bool(found or re.match(r"\W*([A-Z][\w'-]+ [A-Z][\w'-]+)", text))


def contradicting(first: Picked, question: str, evidence: Evidence) -> list[Picked]:
    """Excerpts of other documents that tell the same thing as the first with another amount or day, or deny it: none
    where they are older or newer versions, of which one is in force."""
    candidate = first.excerpt.candidate
    if first.aside or asked_times(question) or candidate not in evidence.candidates:
        return []
    if first.excerpt.kind not in ("sentence", "item"):
        return []
    place, asked = evidence.candidates.index(candidate), _words(question)
    own, own_document = evidence.texts[place], evidence.passages[candidate.passage].document
    own_words, said = _words(own), asked & {*content_words(own), *evidence.title_words[candidate.passage]}
    likeness = evidence.candidate_vectors @ evidence.candidate_vectors[place]
    found, of_another = dict[str, Picked](), of_other_names(question, evidence)
    for other in sorted(range(len(evidence.candidates)), key=lambda one: -likeness[one]):
        if likeness[other] < LIKE or len(found) == MOST:
            break
        at, text = evidence.candidates[other].passage, evidence.texts[other]
        document = evidence.passages[at].document
        if document == own_document or document in found or of_another[other]:
            continue
        if _versions(evidence.timed[place], evidence.timed[other]):
            continue
        words = _words(text)
        least = min(len(words), len(own_words))
        alike = least > 1 and len(words & own_words) >= SHARED * least and not (words - own_words and own_words - words)
        answers = said <= {*content_words(text), *evidence.title_words[at]}
        if alike and answers and differ(own, text):
            found[document] = Picked(excerpt_of(evidence.candidates[other]))
    return list(found.values())


def _versions(one: TimedSentence, other: TimedSentence) -> bool:
    """Whether one is in force in the place of the other."""
    titled = plain_title(one.title) == plain_title(other.title)
    return bool(one.status or other.status) or (titled and one.date != other.date)


def differ(one: str, other: str) -> bool:
    """Whether two sentences that tell the same thing say something else: another amount of the same, another date; or
    one denies it."""
    ours, theirs = _amounts(one), _amounts(other)
    if any(ours[unit] != theirs[unit] for unit in ours.keys() & theirs.keys()):
        return True
    dates = asked_times(one), asked_times(other)
    if len(dates[0]) == 1 == len(dates[1]) and not dates[0][0].meets(dates[1][0].date):
        return True
    return ours == theirs and bool(_DENIES.search(one)) != bool(_DENIES.search(other))


def _amounts(text: str) -> dict[str, str]:
    """What is counted or measured -> the number, without dates."""
    for date in reversed(asked_times(text)):
        text = text[: date.start] + text[date.end :]
    return {f"{m['before']}{m['behind'] or ''}".casefold(): m["number"].strip(".,:") for m in _AMOUNT.finditer(text)}


def _words(text: str) -> set[str]:
    """Its content words without numbers and dates."""
    plain = text
    for date in reversed(asked_times(text)):
        plain = plain[: date.start] + plain[date.end :]
    return {word for word in content_words(_DENIES.sub(" ", plain)) if not any(map(str.isdigit, word))}
