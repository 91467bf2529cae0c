"""Answers without a language model: the sentences of the passages that answer, quoted, each with its citation."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from clew.agent.answer.asked import asked
from clew.agent.answer.code_lines import dedented
from clew.agent.answer.evidence import NAMED, Evidence
from clew.agent.answer.polarity import Above, says
from clew.agent.answer.refusal import joined, listed, refused, shown, worth_naming
from clew.agent.answer.selection import Picked, pick
from clew.agent.answer.sides import contradicting, labelled, like_the_first, name_of
from clew.agent.answer.spans import bolded
from clew.agent.answer.structure import LABEL_OF_ANSWER, Region, ranges
from clew.agent.answer.times import asked_years, names_time
from clew.agent.answer.units import AnswerUnit, is_item
from clew.agent.answer.values import values_of
from clew.agent.answer.wanted import Wanted
from clew.agent.answer.weighing import AnswerParameters
from clew.agent.search.rounds import unheld
from clew.agent.state import Answer, BoldSpan, Claim, Outcome, Quote, Says
from clew.agent.talk.multi_question import questions_of as parts
from clew.memory.datatypes import Document, Passage
from clew.memory.dialogue.question_parser import parts as question_parts
from clew.memory.text import Span, content_words, written_words

_STOP = re.compile(r"[.!?][\"\u201d\u2019)]*\s*$")
"""The end of a sentence, in what a quotation leaves out."""

_MARKS = ".,;:!?"
"""Before which no part of a quotation is set off by a space."""

_CAPITAL = re.compile(r"(?<!^)\b[A-Z]\w[\w-]*")
_HOLDS = re.compile(
    r"\b(?:write|wrote|written|says?|said|thinks?|thought|thoughts|holds?|held|argued?|argues|believed?|believes"
    r"|views?|opinions?|philosophy|position|ideas?|attitude|stance|theory|criticism|critique)\b"
    r".*?\b(?:about|on|of|towards?|regarding|against) (?P<what>.+)",
    re.IGNORECASE,
)
"""A question of what somebody holds of something."""

_OF_OTHERS = re.compile(
    r"\b(?:the|an?|this|that|his|their|another|other) (?:[a-z]+ )?(?:theor(?:y|ies)|views?|opinions?|arguments?"
    r"|beliefs?|explanations?) (?:that|of|put forth)\b|\baccording to [A-Z]"
    r"|\b(?:[A-Z]\w+|he|she|they) (?:sa(?:ys?|id)|define[sd]?|argue[sd]?|holds?|held|believe[sd]?|thinks?|thought"
    r"|maintain(?:s|ed)?|claim(?:s|ed)?) (?:that|it|\w+ to be)\b"
)
_OWN = re.compile(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b")
"""How a text tells what others think, and what it does itself."""

_REPLY = re.compile(r"(?:Yes|No)[.!]\s+(?=[A-Z])")
"""How a document answers a question of its own."""


AS_SURE = 1.2
"""How much lower log odds may be for one unit to be as sure as another."""


def quote(wanted: Wanted, passages: Sequence[Passage], evidence: Evidence, parameters: AnswerParameters) -> Answer:
    """A few sentences, the best passage's first and in the order of the document; of a question that asks several
    things, for each of them. Names what no passage holds (`missing`), and refuses with the nearest titles where nothing
    has to do with it; `passages` are all that were found, of which the evidence has the best.
    """
    whole = wanted.with_history
    questions = [wanted] if whole else [Wanted(part, part) for part in parts(wanted.rewritten)]
    if len(questions) == 1 and asked_years(wanted.rewritten) > asked_years(wanted.question):  # it was put in
        questions = [replace(questions[0], question=wanted.question)]
    most = parameters.units if len(questions) == 1 else parameters.in_part
    as_it_was = len(questions) == 1 and content_words(wanted.question) == content_words(wanted.rewritten)
    told: list[_Told] = []
    for one in questions:
        one = replace(one, expanded=wanted.expanded if as_it_was else "")
        headed = only_headed(one.rewritten, evidence)
        asked_of = _asked_of_author(one, headed, evidence) if headed else one
        if asked_of is None:
            return refused(passages, (), headed)
        its = _told(asked_of, wanted.question, evidence, parameters, most)
        if asked_of is not one:
            its = replace(its, picked=_in_own_voice(its.picked))
        if told and told[0].picked and its.picked and asked(wanted.rewritten).form == "comparison":
            its = replace(its, picked=like_the_first(told[0].picked[0], its.picked, evidence))
        told.append(its)
    if not any(one.picked for one in told):
        missing = [word for one in told for word in one.missing]
        return refused(passages, shown(missing, wanted.rewritten))
    return _answered(wanted, told, evidence)


@dataclass(frozen=True, slots=True)
class _Told:
    """What answers one of the things that a question asks; `missing` are the words of it that nothing holds, and
    `unknown` are names of nobody that the documents know."""

    asked: Wanted
    picked: list[Picked]
    missing: tuple[str, ...]
    unknown: bool


def _told(one: Wanted, typed: str, evidence: Evidence, parameters: AnswerParameters, most: int) -> _Told:
    """Nothing is picked where all its names are unknown, or what no answer is without is nowhere. Of words that nothing
    holds only those count that were `typed`: a date that was put in for `today` was not."""
    own = set(written_words(typed))

    def said(words: Iterable[str]) -> tuple[str, ...]:
        return tuple(word for word in words if own.issuperset(written_words(word)))

    names = _names(one, typed, evidence)
    unknown = [name for name in names if not set(content_words(name.group())) <= evidence.words]
    if evidence.vocabulary and not evidence.lacked(" ".join(name.group() for name in unknown)):
        unknown = []
    unknown += [name for name in names if name not in unknown and _is_another_word(name.group(), evidence)]
    picked: list[Picked] = []
    lacks: tuple[str, ...] = ()
    if not names or len(unknown) < len(names):
        lacks = said(evidence.lacked(one.question) if evidence.vocabulary else unheld(one.question, evidence.words))
        least = parameters.lacking * len(set(content_words(one.question)))
        judged = bool(lacks) and len(worth_naming(lacks, one.question)) >= least
        picked = pick(one, evidence, parameters if judged else replace(parameters, relevant=0.0), most)
        picked = picked if _answering(one, picked, evidence, parameters) else []
    defined = asked(one.rewritten).defined
    if picked and defined and {*content_words(defined)} <= {*content_words(" ".join(lacks))}:
        return _Told(one, [], (defined,), True)  # nothing tells what is asked about
    missing = joined(unknown, one.rewritten) or (() if picked else said(unheld(one.question, evidence.words)))
    return _Told(one, picked, tuple(missing), bool(unknown))


def _names(one: Wanted, typed: str, evidence: Evidence) -> list[re.Match[str]]:
    """The names and numbers of a question that were typed, without times of entries, and without the day that a
    question of yes or no proposes."""
    told = values_of(one.rewritten).spans if asked(one.rewritten).form == "yes-no" else ()
    return [
        name
        for name in NAMED.finditer(one.rewritten)
        if content_words(name.group())
        and name.group() in typed
        and not names_time(one.rewritten, name.start(), evidence.timed)
        and not any(start <= name.start() < end for start, end in told)
    ]


def _is_another_word(name: str, evidence: Evidence) -> bool:
    """Whether the passages have its stem, and not the name itself."""
    spelt = not (name.isalpha() and name.isascii()) or name.casefold() in evidence.spelt
    return set(content_words(name)) <= evidence.words and not spelt


def _answering(wanted: Wanted, found: Sequence[Picked], evidence: Evidence, parameters: AnswerParameters) -> bool:
    """Whether what is asked for and no answer is without ("how tall", "how many eggs", "when was") stands in a unit or
    above it, or is the date of its entry, or a unit is `certain` to answer all the same; true where nothing is
    found."""
    if any(one.odds >= parameters.certain for one in found):
        return True
    found = _as_sure(found)
    units, wants = [one.unit for one in found], asked(wanted.rewritten).among(evidence.words)
    texts = [" ".join((unit.core.above, *unit.texts)) for unit in units]
    entries = (evidence.timed[evidence.cores.index(unit.core)].entry for unit in units)
    if not any(wants.names(" ".join(unit.texts)) for unit in units):
        return not units
    return any(map(wants.answers, texts)) or (wants.dated and any(entries))


def _as_sure(found: Sequence[Picked]) -> list[Picked]:
    """The first, and those that are about as sure to answer."""
    return [one for one in found if one is found[0] or one.odds >= found[0].odds - AS_SURE]


def _answered(wanted: Wanted, told: Sequence[_Told], evidence: Evidence) -> Answer:
    """With what other documents say otherwise, and the names of documents where they matter; to a question of yes or no
    only what says one, where the best does."""
    chosen = [each for one in told for each in one.picked]
    asking = {each.unit: one.asked.rewritten for one in told for each in one.picked}
    sides = [one.asked.question for one in told for _ in one.picked]
    missing = tuple(dict.fromkeys(word for one in told for word in one.missing))
    unanswered = [one.asked.question for one in told if not (one.picked or one.unknown)]
    alone = len({*sides, *unanswered}) == 1
    form = asked(wanted.rewritten).form
    labels = labelled(chosen, () if alone else sides, wanted.rewritten, form, evidence)
    if alone and form != "comparison" and not missing:
        others = contradicting(chosen[0], wanted.rewritten, evidence)
        if others:
            chosen = [chosen[0], *others]
            asking = dict.fromkeys((each.unit for each in chosen), wanted.rewritten)
            labels = {id(one): name_of(one, evidence) for one in chosen}
            form = "several-documents" if form == "fact" else form
        elif form == "yes-no" and _says(wanted, chosen[:1], evidence):
            chosen = [one for one in chosen if _says(wanted, [one], evidence)]
    polarity = None
    if form == "yes-no" and alone and _says(wanted, chosen, evidence):
        polarity = _says(wanted, _as_sure(chosen), evidence)
    composed = composed_of(chosen, evidence, missing, unanswered, asking, labels)
    return replace(composed, claims=_without_reply(composed.claims, polarity), form=form, says=polarity)


def _without_reply(claims: tuple[Claim, ...], polarity: Says | None) -> tuple[Claim, ...]:
    """Without the question of its own that a document answers with yes or no, and the "No." that it begins its answer
    with where this one is not answered so, or says that itself."""
    told = [_replying_not(claim, polarity) for claim in claims]
    asks = len(told) > 1 and told[0].text.endswith("?") and polarity in ("yes", "no")
    return tuple(told[1:] if asks else told)


def _replying_not(claim: Claim, polarity: Says | None) -> Claim:
    reply = _REPLY.match(claim.quotes[0].text) if claim.quotes else None
    if reply is None or not claim.text.startswith(reply[0].rstrip()):
        return claim
    if polarity in ("yes", "no") and reply[0][:3].casefold().rstrip(".!") != polarity:
        return claim
    first, cut = claim.quotes[0], reply.end()
    quote = replace(first, start=first.start + cut, text=first.text[cut:])
    text = claim.text[len(reply[0].rstrip()) :].lstrip()
    gone, bold = len(claim.text) - len(text), claim.span
    bold = BoldSpan(bold.start - gone, bold.end - gone) if bold and bold.start >= gone else None
    return replace(claim, text=text, start=quote.start, quotes=(quote, *claim.quotes[1:]), span=bold)


def only_headed(question: str, evidence: Evidence) -> list[re.Match[str]]:
    """The names of a question that only the running heads of pages have, as those of its author."""
    named = [name for name in _CAPITAL.finditer(question) if set(content_words(name[0])) & evidence.running_words]
    return [name for name in named if not set(content_words(name[0])) & evidence.told_words]


def _asked_of_author(wanted: Wanted, headed: Sequence[re.Match[str]], evidence: Evidence) -> Wanted | None:
    """What a text holds of something its author is asked for by name, and it tells in its own voice; None where
    something else is asked of him, or nothing is told of that."""
    held = _HOLDS.search(wanted.rewritten, headed[-1].start())
    if held is None or not set(content_words(held["what"])) & evidence.told_words:
        return None
    return Wanted(f"What is said about {held['what']}", f"What is said about {held['what']}", said=wanted.said)


def _in_own_voice(picked: Sequence[Picked]) -> list[Picked]:
    """Without what a text tells as others' opinion, where it tells something else."""
    own = [one for one in picked if not any(map(_is_of_others, one.unit.texts))]
    return own or list(picked)


def _is_of_others(text: str) -> bool:
    return bool(_OF_OTHERS.search(text)) and not _OWN.search(text)


def _says(wanted: Wanted, chosen: Sequence[Picked], evidence: Evidence) -> Says | None:
    """What the units say to a question of yes or no, where they do not say both."""
    own = wanted.with_history and not question_parts(wanted.question).fragment
    question = wanted.question if own else wanted.rewritten
    found: list[Says] = []
    for core, texts in ((one.unit.core, one.unit.texts) for one in chosen):
        said = says(question, texts, Above(evidence.passages[core.passage].title, core.head, core.lead))
        found += [said] if said else []
    return found[0] if len(set(found)) == 1 else None


def placed(answer: Answer, documents: Mapping[str, Document]) -> Answer:
    """Each source with the page and the heading of the first sentence that is quoted from it; `documents` by id."""
    starts = {n: claim.start for claim in reversed(answer.claims) for n in claim.cites if claim.start is not None}
    sources = [
        replace(
            source,
            page=documents[source.document].page_at(starts.get(n, source.start)),
            heading=documents[source.document].heading_at(starts.get(n, source.start)),
        )
        for n, source in enumerate(answer.sources, 1)
    ]
    return replace(answer, sources=tuple(sources))


def composed_of(
    chosen: Sequence[Picked],
    evidence: Evidence,
    missing: tuple[str, ...] = (),
    unanswered: Sequence[str] = (),
    asking: Mapping[AnswerUnit, str] = MappingProxyType({}),
    labels: Mapping[int, str] = MappingProxyType({}),
) -> Answer:
    """Passages in the order of their best unit, units in the order of the document; sources numbered so. `asking` has
    the question that each unit answers, `labels` what stands before a unit, by its `id`."""
    passages = evidence.passages
    order = list(dict.fromkeys(one.unit.core.passage for one in chosen))
    order += [older for older in dict.fromkeys(one.older for one in chosen) if older is not None and older not in order]
    claims: list[Claim] = []
    places: dict[AnswerUnit, range] = {}
    last = ""
    for n, number in enumerate(order, 1):
        own = [one for one in chosen if one.unit.core.passage == number]
        for one in sorted(own, key=lambda one: one.unit.core.position):
            known = {quote for claim in claims for quote in claim.quotes}
            quoted = list(unit_claims(one.unit, passages[number].document, n, known))
            if (label := labels.get(id(one), "")) and label != last and quoted:
                claims.append(Claim(f"{label}:", new_line=bool(claims)))
                last = label
            before = len(claims)
            if claims and quoted and is_item(quoted[0].text):
                quoted[0] = replace(quoted[0], new_line=True)
            claims += quoted
            places[one.unit] = range(before, len(claims))
            if one.aside:
                older = () if one.older is None else (order.index(one.older) + 1,)
                claims.append(Claim(one.aside, tuple(dict.fromkeys((n, *older)))))
    for question in dict.fromkeys(asking.values()):
        units = [one.unit for one in chosen if asking.get(one.unit) == question]
        around = " ".join(f"{passages[unit.core.passage].title} {unit.core.head}" for unit in units)
        at = [place for unit in units for place in places[unit]]
        shown = bolded([claims[place] for place in at], question, asked(question), around)
        for place, claim in zip(at, shown, strict=True):
            claims[place] = claim
    claims = [_cited_where_held(claim, order, passages) for claim in claims]
    if missing:
        claims.append(Claim(f"The documents that I found say nothing about {listed(missing)}."))
    elif unanswered:
        claims += [Claim(f"I found nothing in the documents that answers: {part.rstrip('?')}?") for part in unanswered]
    outcome: Outcome = "partial" if missing or unanswered else "answered"
    return Answer(outcome, tuple(claims), tuple(passages[number] for number in order), missing)


def _cited_where_held(claim: Claim, order: list[int], passages: Sequence[Passage]) -> Claim:
    """Citing another passage, which the `order` then has, where what is quoted stands behind the end of its own."""

    def holds(passage: Passage) -> bool:
        return all(
            quote.document == passage.document and passage.start <= quote.start and quote.end <= passage.end
            for quote in claim.quotes
        )

    if not claim.quotes or holds(passages[order[claim.cites[0] - 1]]):
        return claim
    other = next((number for number, passage in enumerate(passages) if holds(passage)), -1)
    if other < 0:
        return claim
    if other not in order:
        order.append(other)
    return replace(claim, cites=(order.index(other) + 1,))


def unit_claims(unit: AnswerUnit, document: str, source: int, known: set[Quote]) -> Iterator[Claim]:
    """A claim for each part of a unit that is not quoted yet; several, where a sentence ends with what is left out."""
    region = unit.core.region
    for place, (start, end) in enumerate(unit.parts):
        code = unit.is_code((start, end))
        start = start if code else _behind_label(region, start, end)
        quotes = [
            Quote(document, region.offset + first, region.offset + last, region.text[first:last])
            for first, last in ranges(region, start, end, code)
        ]
        if not known.isdisjoint(quotes):
            continue
        line = bool(place) and (code or unit.kind in ("list", "code", "row") or is_item(quotes[0].text))
        ends = [n for n in range(1, len(quotes)) if _STOP.search(region.text[slice(*_between(quotes, n, region))])]
        for first, last in pairwise((0, *ends, len(quotes))):
            own = tuple(quotes[first:last])
            text = "".join(quote.text if quote.text[0] in _MARKS else f" {quote.text}" for quote in own).strip()
            shown = dedented(region.text, start, end) if code else " ".join(text.split())
            yield Claim(shown, (source,), start=own[0].start, new_line=line and not first, quotes=own)


def _behind_label(region: Region, start: int, end: int) -> int:
    """Behind the `A:` of a list of questions and answers; line A of a timetable keeps its letter."""
    label = LABEL_OF_ANSWER.match(region.text, start, end)
    asked = region.text[:start].rstrip().endswith("?")
    return label.end() if label and asked else start


def _between(quotes: Sequence[Quote], place: int, region: Region) -> Span:
    return quotes[place - 1].end - region.offset, quotes[place].start - region.offset
