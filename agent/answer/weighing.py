"""What a core gains and loses by rules, beside what the reader makes of it."""

import re
from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from clew.agent.answer.asked import Asked
from clew.agent.answer.cues import says_opposite
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.answer.features import Sought, plain
from clew.agent.answer.plain_lines import told_plainly
from clew.agent.answer.steps import begins_steps
from clew.agent.answer.units import gives_reason
from clew.agent.answer.values import values_of
from clew.agent.answer.wanted import Wanted
from clew.agent.search.phrases import holds_phrase, longer, versions
from clew.memory.datatypes import Floats
from clew.memory.parameters import Cosine, Count, Few, Share, Weight
from clew.memory.text import content_words


@dataclass(frozen=True, slots=True)
class AnswerParameters:
    """Where the library lacks nouns or names, `lacking` of the question's words, a passage has to do with it where its
    cosine and `held` times the share of the question's words in it come to `relevant`, or to `in_time` less where it is
    of the time that the question asks about. A core's cosine, `shorter` less, counts for its passage: a short text has
    a higher one.

    At most `units` answer, of a part of a question `in_part`, while together they have `words` at most: the best, and
    what is at most `behind` less likely, as a logarithm, where that, how much lower the log odds are that it answers,
    and `length` for the logarithm of its words come to at most `beside`, as what is short costs a reader little, and
    where the log odds against it are at most `unlikely`. A row or a label that tells what is asked is `plain` likelier,
    what was just said `repeated` less likely; `time` is what a fitting date is worth to the reader, `version` what it
    costs to lack the version that is asked about, `opposite` to say the opposite of a word of the question in its
    place, or what not to do where it is asked what to do, `adds` to say that it only adds to what stands before it
    ("also"), or to stand in brackets; `final` what it gains to be what came out at last, and `begins` to be the first
    of the steps, where these are asked for; what no answer is without is looked for in what is at most `needed` less
    likely. A unit that holds less than `covered` of the question
    leads on to a second; what is compared is told of from two documents, the second at most `other_side` less likely.

    A language model writes at most `tokens`. The seed's 1000 would take 300 more from the passages of a window of
    4,096, which is two of them, and the units that lead its prompt are `words` at most.
    """

    held: Weight = 0.3
    relevant: Weight = 0.51
    lacking: Share = 0.3
    in_time: Weight = 0.2
    shorter: Weight = 0.2
    units: Few = 3
    in_part: Few = 2
    behind: Weight = 4.0
    beside: Weight = 18.0
    length: Weight = 5.3
    unlikely: Weight = 2.0
    certain: Weight = 4.0
    words: Count = 70
    redundant: Cosine = 0.9
    plain: Weight = 4.0
    repeated: Weight = 2.2
    covered: Share = 0.95
    other_side: Weight = 4.0
    time: Weight = 10.0
    version: Weight = 5.5
    opposite: Weight = 2.7
    adds: Weight = 2.0
    final: Weight = 6.5
    begins: Weight = 2.0
    needed: Weight = 4.0
    tokens: Count = 700


_MARK, MARKED = re.compile(r"(?<![\w/.])\d{1,3}/\d{1,3}(?![\w/])"), 1.5
"""`9/10`, and what it counts beside a version: hardly a letter tells it from another mark."""

_ADDS = re.compile(r"\W*(?:[\w'’-]+ ){0,3}also\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]{30,}.*\)\.?|\([^()]{30,}", re.DOTALL)
"""A sentence in brackets, of which the splitter may take only the first."""

_ASKS_FOR_MORE = re.compile(r"\b(?:also|else|other|another|more|too)\b", re.IGNORECASE)

_FORBIDS = re.compile(r"\W*\b(?:do not|don['’]t|never|avoid)\b", re.IGNORECASE)
"""How a sentence begins that says what not to do."""

_AT_LAST = re.compile(r"\b(?:in the end|in total|altogether|all in all|all told|finally|eventually)\b", re.IGNORECASE)
_CAME_OUT = re.compile(
    r"\b(?:in the end|in total|total|altogether|in all|all in|all told|final(?:ly)?|eventually|c[ao]mes? to)\b",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:in the end|finally|eventually|at last|decided?|decision|chose(?:n)?|agreed?|settled|voted?|we take|we took"
    r"|went (?:for|with)|(?:so|thus) it (?:is|was))\b",
    re.IGNORECASE,
)
CHOSEN = 0.3
"""How a question asks for what came out, and how a text says it: of amounts, and of others; what one of others counts
beside an amount."""


def by_rules(wanted: Wanted, sought: Sought, evidence: Evidence, parameters: AnswerParameters) -> Floats:
    """Of each core, as log odds."""
    gained = np.zeros(len(evidence.cores))
    gained += parameters.plain * np.array(told_plainly(wanted.rewritten, evidence))
    gained -= parameters.repeated * np.array([plain(text) in sought.said for text in evidence.texts])
    gained -= parameters.version * _lacks_version(wanted.rewritten, evidence)
    gained -= parameters.version * _of_another_name(wanted.rewritten, evidence)
    gained -= parameters.version * _of_another_day(wanted.rewritten, evidence)
    if _AT_LAST.search(wanted.rewritten):
        gained += parameters.final * _came_out(sought.asked, evidence)
    if sought.asked.form == "steps":
        forbids = [bool(_FORBIDS.match(text)) and not _FORBIDS.search(wanted.question) for text in evidence.texts]
        gained += parameters.begins * np.array([begins_steps(text) for text in evidence.texts])
        gained -= parameters.opposite * np.array(forbids)
    if sought.asked.form not in ("yes-no", "comparison"):
        gained -= parameters.opposite * np.array([says_opposite(wanted.question, text) for text in evidence.texts])
    if sought.asked.expected and "reason" not in sought.asked.expected:
        gained -= parameters.opposite * np.array([gives_reason(text) for text in evidence.texts])
    if not _ASKS_FOR_MORE.search(wanted.question):
        gained -= parameters.adds * np.array([bool(_ADDS.match(text)) for text in evidence.texts])
    gained -= parameters.adds * np.array([bool(_ASIDE.fullmatch(text)) for text in evidence.texts])
    return gained


def _lacks_version(question: str, evidence: Evidence) -> Floats:
    """Above 0 for each core that, with what stands above it, lacks a version (`Debian 3.0`), a mark (`9/10`) or a
    phrase in quotation marks that the question names and that another core has; else 0."""
    lacks = np.zeros(len(evidence.cores))
    named = (*versions(question), *longer(question))
    sought = {**dict.fromkeys(named, 1.0), **dict.fromkeys(_MARK.findall(question), MARKED)}
    for phrase, worth in sought.items():
        held = [
            holds_phrase(f"{head}\n{text}", phrase) for head, text in zip(evidence.heads, evidence.texts, strict=True)
        ]
        lacks = np.maximum(lacks, worth * ~np.array(held, bool) if any(held) else 0.0)
    return lacks


def _of_another_name(question: str, evidence: Evidence) -> Floats:
    """1 for each core that tells of another name what one with the names of the question tells of these: `Coldharbour
    light was built in 1848` where `Blackrock light was built in 1208` is there, and asked for; else 0."""
    names = _names(question)
    asked = {*content_words(question)} - names
    held = [
        {*own, *content_words(core.above), *evidence.title_words[core.passage]}
        for core, own in zip(evidence.cores, evidence.core_words, strict=True)
    ]
    told = [asked & own for words, own in zip(held, evidence.core_words, strict=True) if names and names <= words]
    told = [words for words in told if words]

    def of_another(text: str, own: Set[str], words: Set[str]) -> bool:
        return names.isdisjoint(words) and any(same <= own for same in told) and bool(_names(text) - names)

    cores = zip(evidence.texts, evidence.core_words, held, strict=True)
    return np.array([of_another(*core) for core in cores], np.float64)


def _of_another_day(question: str, evidence: Evidence) -> Floats:
    """1 for each row or item of other days of the week, where another of its document is of those that the question
    names: `Mon-Fri 9-17` of a Saturday; else 0."""
    days = values_of(question).days
    if not days:
        return np.zeros(len(evidence.cores))
    held = [
        values_of(text).days if core.block.kind in ("row", "item") else frozenset[int]()
        for core, text in zip(evidence.cores, evidence.texts, strict=True)
    ]
    documents = [evidence.passages[core.passage].document for core in evidence.cores]
    told = {document for document, own in zip(documents, held, strict=True) if days <= own}
    cores = zip(documents, held, strict=True)
    return np.array([bool(own) and not days & own and document in told for document, own in cores], np.float64)


def _names(text: str) -> set[str]:
    """The stems of its names, numbers apart."""
    return {stem for name in NAMED.findall(text) if not name[0].isdigit() for stem in content_words(name)}


def _came_out(wanted: Asked, evidence: Evidence) -> Floats:
    """1 for each core that says what came out at last, with what is expected, of the first document with such, and less
    where no amount is asked for; else 0."""
    documents = [evidence.passages[core.passage].document for core in evidence.cores]
    fits = [not wanted.expected or wanted.holds(text) for text in evidence.texts]
    says, worth = (_CAME_OUT, 1.0) if wanted.needs else (_CHOSEN, CHOSEN)
    said = np.array([bool(says.search(text)) for text in evidence.texts], bool) & np.array(fits, bool)
    first = min((core.passage for core, one in zip(evidence.cores, said, strict=True) if one), default=0)
    best = evidence.passages[first].document
    return worth * np.asarray(said & np.array([document == best for document in documents]), np.float64)
