"""Which units of the evidence answer a question: of passages that have to do with it, the best by the reader, and what
is nearly as good and says something else."""

import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from clew.agent.answer import cues
from clew.agent.answer.antecedents import is_of_another
from clew.agent.answer.asked import Asked
from clew.agent.answer.beside import SHORT_LIST
from clew.agent.answer.cores import Core, asks
from clew.agent.answer.evidence import Evidence, named_passages, shares_held
from clew.agent.answer.features import Sought
from clew.agent.answer.reader import headed, read, shipped_pairs
from clew.agent.answer.structure import sentences_of
from clew.agent.answer.times import asked_years, in_force, time_scores
from clew.agent.answer.units import UPDATES, AnswerUnit, in_a_row, unit_of, with_label
from clew.agent.answer.wanted import Wanted, sought_of, vector_of, words_of
from clew.agent.answer.weighing import AnswerParameters, by_rules
from clew.agent.search.phrases import left_out, longer
from clew.memory.datatypes import Floats, Ints
from clew.memory.dates import asked_times
from clew.memory.text import FUNCTION_WORDS, content_words

_CONTRASTS = re.compile(
    r"\b(?:while|whereas|than|unlike|but|both|whilst|on the other hand|however|contrary|contrast|different\w*)\b",
    re.IGNORECASE,
)
"""What a sentence has that tells two things apart; else the next one may."""

MOST_OF_REASON = 60
"""Words of a sentence with the one behind it, where that may say why."""

_GIVES_REASON = re.compile(
    r"\b(?:because|since|so that|due to|owing to|therefore|as a result|in order to|to avoid|to prevent|caus\w+"
    r"|reasons?)\b|[,;] (?:for|as) (?:he|she|it|they|we|you|i|there|this|that|the)\b",
    re.IGNORECASE,
)
"""Of `holds reason` what leaves no doubt."""


@dataclass(frozen=True, slots=True, eq=False)
class Picked:
    """`aside` is put behind it, its date and what was before; `older` is the place of the passage that says that.
    `odds` are the log odds that its core answers, read together with the question."""

    unit: AnswerUnit
    aside: str = ""
    older: int | None = None
    odds: float = -math.inf


def pick(wanted: Wanted, evidence: Evidence, parameters: AnswerParameters, most: int) -> list[Picked]:
    """At most so many units, best first; none where no passage has to do with the question."""
    sought = sought_of(wanted, evidence)
    reading = read(sought, evidence)
    certain = (
        core.passage for core, odds in zip(evidence.cores, reading.odds, strict=True) if odds >= parameters.certain
    )
    relevant = _relevant(wanted, evidence, parameters) | {*certain}
    out = left_out(wanted.question)
    words = evidence.core_words if out else [frozenset[str]()] * len(evidence.cores)
    told = set() if longer(wanted.question) else set(content_words(wanted.question))  # a phrase is to be met
    fits = [
        core.passage in relevant
        and not (out and out <= own)
        and not (_wonders(core) or _repeats(core, told) or _is_of_another(core, wanted.rewritten))
        for core, own in zip(evidence.cores, words, strict=True)
    ]
    kept = np.flatnonzero(np.array(fits, dtype=bool))
    if not len(kept):
        return []
    ruled = by_rules(wanted, sought, evidence, parameters)
    scores = reading.scores + ruled
    kept, beside = _in_time(wanted, evidence, scores, kept, parameters)
    order = every = kept[np.argsort(-scores[kept], kind="stable")]
    order = _with_what_it_needs(order, scores, sought.asked, evidence, parameters)
    if sought.asked.form != "comparison":  # nothing of another name or version is told beside the best
        order = order[(ruled[order] > -parameters.version) | (order == order[0])]
        if ruled[order[0]] >= parameters.plain:  # it tells just what is asked
            order = order[ruled[order] >= parameters.plain]
    found = _chosen(order, scores, reading.odds, evidence, sought.asked, beside, parameters, most)
    first = found[0].unit
    if sought.asked.form == "comparison" and len(found) == 1 and not any(map(_CONTRASTS.search, first.texts)):
        found = [replace(found[0], unit=unit_of(first.core, opens=True))]  # of the other the next sentence may tell
    if corrected := _corrected(found[0], sought, evidence):
        return [found[0], corrected]
    odds = {id(core): float(its) for core, its in zip(evidence.cores, reading.odds, strict=True)}
    found = [replace(one, odds=odds[id(one.unit.core)]) for one in found]
    found = [_to_the_point(one, sought, evidence) for one in found]
    return [*found, *_second_step(found, sought, evidence, every, parameters)]


LONG_ITEM, AS_GOOD, OPENING = 25, 1.0, 6
"""Words of an item of which one sentence may do; how much lower the log odds may be that it answers; words of a first
sentence that says what the item is about."""


def _to_the_point(one: Picked, sought: Sought, evidence: Evidence) -> Picked:
    """The one sentence of a long item that answers as well as the whole does, read together with the question; others
    as they are."""
    core, pairs = one.unit.core, shipped_pairs()
    spans = sentences_of(core.region, core.block)
    alone = one.unit.kind == "item" and len(one.unit.parts) == 1 and one.unit.words > LONG_ITEM and len(spans) > 1
    if not alone or pairs is None or math.isinf(one.odds) or sought.asked.form not in ("fact", "yes-no"):
        return one
    short = len(core.region.text[slice(*spans[0])].split()) <= OPENING
    told = [(*(spans[:1] if short and at else []), span) for at, span in enumerate(spans)]
    head = evidence.heads[evidence.cores.index(core)]
    texts = [" ".join(core.region.text[slice(*part)] for part in parts) for parts in told]
    odds = pairs.scores(sought.question, tuple(headed(head, text) for text in texts))
    best = int(odds.argmax())
    holds = not sought.asked.expected or sought.asked.holds(texts[best]) or not sought.asked.holds(core.text)
    if odds[best] < one.odds - AS_GOOD or not holds:
        return one
    return replace(one, unit=AnswerUnit(core, "sentence", told[best]))


def _with_what_it_needs(
    order: Ints, scores: Floats, wanted: Asked, evidence: Evidence, parameters: AnswerParameters
) -> Ints:
    """Those that have, or lead on to, what no answer is without, where some of the likeliest do."""
    if not wanted.needs:
        return order
    near = [place for place in order.tolist() if scores[order[0]] - scores[place] <= parameters.needed]

    def has(place: int) -> bool:
        core = evidence.cores[place]
        text = " ".join((core.above, *_unit(place, evidence, wanted).texts))
        return wanted.answers(text) or (wanted.dated and bool(evidence.timed[place].entry))

    fits = [place for place in near if has(place)]
    return np.array(fits, np.int64) if fits else order


def _corrected(first: Picked, sought: Sought, evidence: Evidence) -> Picked | None:
    """What says another value in the place of that which the first unit tells of what is asked: `2,410 skeins, not
    2,140`; of a first unit that says so, what it corrects. None where there is nothing of the kind."""
    told, core = " ".join(first.unit.texts), first.unit.core
    corrects = _CORRECTS.search(told)
    values = {corrects["value"]} if corrects else {*_VALUE_TOLD.findall(told)}
    if first.aside or not values:
        return None
    said = "" if corrects else _INSTEAD
    other = re.compile(rf"{said}(?<![\d.,:])(?:{'|'.join(map(re.escape, values))})(?![\d.,:]*\d)", re.IGNORECASE)
    about = {*content_words(sought.question if not corrects else told)} & {*content_words(told)} - values
    near = evidence.core_vectors @ evidence.core_vectors[evidence.cores.index(core)]
    for place, text in enumerate(evidence.texts):
        alike = near[place] >= ALIKE or UPDATES.match(told if corrects else text)
        if alike and about & evidence.core_words[place] and other.search(text) and evidence.cores[place] is not core:
            return Picked(unit_of(evidence.cores[place]))
    return None


ALIKE = 0.55
"""The cosine from which two sentences tell of the same thing."""

_INSTEAD = r"\b(?:instead of|rather than|not|no longer|formerly|previously)(?: [^\W\d]\w*){0,2} "
_VALUE_TOLD = re.compile(r"\d(?:[\d.,:]*\d)?")
_CORRECTS = re.compile(rf"{_INSTEAD}(?P<value>{_VALUE_TOLD.pattern})", re.IGNORECASE)


def _wonders(core: Core) -> bool:
    """Whether it asks in the middle of a paragraph, where nobody but the text's author is asked."""
    return asks(core.text) and core.span[0] > core.block.start


def _is_of_another(core: Core, question: str) -> bool:
    return core.block.kind == "prose" and is_of_another(core.region, core.place, core.span, question)


def _repeats(core: Core, told: Set[str]) -> bool:
    """Whether it is an item that says what the question says and nothing else, as one of a list of contents does; a box
    says whether it is ticked."""
    box = any(cues.matches("en", name, core.text) for name in ("open item", "ticked"))
    return core.block.kind == "item" and not box and len(told) > 1 and set(content_words(core.text)) == told


def _second_step(
    found: Sequence[Picked], sought: Sought, evidence: Evidence, order: Ints, parameters: AnswerParameters
) -> list[Picked]:
    """Where the first unit holds too little of the question, and nothing of the kind that it asks for, the best of the
    passage that it names and the question does not: 'Toad Hall is a hall of the Australian National University' leads
    on to where that is."""
    first, cores = found[0].unit, evidence.cores
    held = frozenset(
        content_words(" ".join((*first.texts, first.core.head, evidence.passages[first.core.passage].title)))
    )
    told = " ".join(first.texts)
    if sought.asked.holds(told) or shares_held(sought.weights, [held])[0] >= parameters.covered:
        return []
    there = {one.unit.core.passage for one in found}
    named = set(named_passages(told, sought.question, evidence.passages)) - there
    return [Picked(_unit(place, evidence, sought.asked)) for place in order.tolist() if cores[place].passage in named][
        :1
    ]


def _chosen(
    order: Ints,
    scores: Floats,
    odds: Floats,
    evidence: Evidence,
    wanted: Asked,
    beside: Mapping[int, Picked],
    parameters: AnswerParameters,
    most: int,
) -> list[Picked]:
    vectors, chosen = evidence.core_vectors, list[int]()
    found: list[Picked] = []
    taken: set[tuple[str, int]] = set()
    words = 0
    for place in order.tolist():
        core, behind = evidence.cores[place], scores[order[0]] - scores[place]
        document = evidence.passages[core.passage].document
        other_side = wanted.form == "comparison" and all(document != one for one, _ in taken)
        if len(found) == most:
            break
        if found and behind > (parameters.other_side if other_side else parameters.behind):
            continue
        if (document, core.position) in taken:
            continue
        if any(float(vectors[place] @ vectors[other]) >= parameters.redundant for other in chosen):
            continue
        if found and _says_again(core, found[0].unit, wanted):
            continue
        unit = _unit(place, evidence, wanted)
        if found and words + unit.words > parameters.words:
            continue
        doubt = behind + _less_sure(odds[order[0]], odds[place], behind, wanted)
        dear = doubt + parameters.length * math.log1p(unit.words) > parameters.beside
        if found and not other_side and (dear or -math.inf < odds[place] < -parameters.unlikely):
            continue
        words += unit.words
        chosen.append(place)
        taken.update((document, core.region.offset + start) for start, _ in unit.parts)
        found.append(replace(beside[place], unit=unit) if place in beside else Picked(unit))
    return _whole_lists(found)


def _less_sure(first: float, other: float, behind: float, wanted: Asked) -> float:
    """How much lower the log odds of another core are; how much less likely it is, where one of both was not read
    together with the question. What a thing is the features tell better."""
    if not (math.isfinite(first) and math.isfinite(other)):
        return behind
    return max(0.0, first - other) if wanted.defined else first - other


def _says_again(core: Core, first: AnswerUnit, wanted: Asked) -> bool:
    """Whether a person is asked for, and all names and numbers that the first unit tells are told again: 'Thea von
    Harbou wrote Metropolis, directed by Fritz Lang' behind 'Fritz Lang directed Metropolis'."""
    told = " ".join(first.texts)
    if wanted.form != "fact" or "person" not in wanted.expected or not wanted.holds(told):
        return False
    values = {value for value in _VALUE.findall(told) if value.casefold() not in FUNCTION_WORDS | wanted.words}
    return bool(values) and values <= {*_VALUE.findall(core.text)}


_VALUE = re.compile(r"\b(?:[A-Z][\w-]+|\d(?:[\d.,:]*\d)?)")


def _whole_lists(found: Sequence[Picked]) -> list[Picked]:
    """With all of a short list in the place of several of its items, where these are half of it."""
    made = list[Picked]()
    groups = [(one.unit.core.region, one.unit.core.block.group) for one in found if one.unit.kind == "item"]
    for one in found:
        core, group = one.unit.core, (one.unit.core.region, one.unit.core.block.group)
        several = one.unit.kind == "item" and groups.count(group) > 1
        whole = unit_of(core, whole_list=True) if several else one.unit
        if not several or whole.words > SHORT_LIST or len(whole.parts) > 2 * groups.count(group) + 1:
            made.append(one)
        elif all((other.unit.core.region, other.unit.core.block.group) != group for other in made):
            made.append(Picked(whole))
    return _in_a_row(made)


def _in_a_row(found: Sequence[Picked]) -> list[Picked]:
    """With all sentences that begin alike, one after the other, where several of them are told."""
    made = list[Picked]()
    told = {(id(one.unit.core.region), part) for one in found for part in one.unit.parts}
    for one in found:
        core = one.unit.core
        if any(other.unit.core.region is core.region and core.span in other.unit.parts for other in made):
            continue
        row = in_a_row(core) if core.block.kind == "prose" else []
        several = sum((id(core.region), span) in told for span in row) > 1
        made.append(Picked(unit_of(core, whole_list=True)) if several else one)
    return made


def _unit(place: int, evidence: Evidence, wanted: Asked) -> AnswerUnit:
    core, text = evidence.cores[place], evidence.texts[place]
    whole = unit_of(core, whole_list=True) if core.block.kind == "item" else None
    if whole and whole.words <= SHORT_LIST and _is_asked_whole(core, whole.texts, wanted):
        return whole
    label = {*content_words(text.partition(":")[0])} if ": " in text else set()
    its = wanted.form == "list" and core.block.kind == "item" and {*content_words(" ".join(wanted.words))}
    if its and label >= its:
        return unit_of(core)  # 'what are the quiet hours?'
    kind: Literal["reason", "remedy"] = "reason" if "reason" in wanted.expected else "remedy"
    if (kind == "reason" or wanted.form == "steps") and (labelled := with_label(core, kind)):
        return labelled
    opens = bool(wanted.expected) and not wanted.holds(text)
    unit = unit_of(core, whole_list=wanted.form == "list", steps=wanted.form == "steps", opens=opens)
    if "reason" in wanted.expected and not any(map(_GIVES_REASON.search, unit.texts)) and core.block.kind != "code":
        behind = unit_of(core, whole_list=wanted.form == "list", opens=True)
        return behind if behind.words <= MOST_OF_REASON else unit
    if opens and not any(map(wanted.holds, unit.texts)):
        return unit_of(core, whole_list=wanted.form == "list")
    return unit


def _is_asked_whole(item: Core, texts: Sequence[str], wanted: Asked) -> bool:
    """Whether the lead-in of a list has all the words of the question, and this item none: of "Bring: ..." all is to be
    brought; or whether the question has the labels of two of its lines ("- Friday: ..., - Saturday: ...")."""
    words = set(content_words(" ".join(wanted.words)))
    labels = [set(content_words(text.partition(":")[0])) for text in texts if ": " in text]
    if sum(bool(label) and label <= words for label in labels) > 1:
        return True
    led = bool(words) and not wanted.expected and words <= set(content_words(item.lead))
    return led and words.isdisjoint(content_words(item.text))


def _in_time(
    wanted: Wanted, evidence: Evidence, scores: Floats, read: Ints, parameters: AnswerParameters
) -> tuple[Ints, dict[int, Picked]]:
    """The cores that are left of those that may be chosen, and for some what is put behind them: those of the time that
    is asked about gain, and of those that tell the same thing at different times one answers."""
    timed = [evidence.timed[place] for place in read]
    gains = time_scores(wanted.rewritten, timed, any_year=not asked_years(wanted.question))
    scores[read] += parameters.time * gains
    likely = np.exp((scores[read] - scores[read].max()) / 6)
    vectors = evidence.core_vectors[read]
    found = in_force(f"{wanted.question}\n{wanted.rewritten}", timed, likely, vectors, evidence.today)
    left_out = {int(read[other]) for one in found.values() for other in one.others}
    beside: dict[int, Picked] = {}
    for place, one in found.items():
        core = evidence.cores[read[place]]
        older = evidence.cores[read[one.older]].passage if one.older >= 0 else None
        beside[int(read[place])] = Picked(unit_of(core), one.aside, older)
        scores[read[place]] = max(scores[read[other]] for other in (place, *one.others))
    return np.array([place for place in read.tolist() if place not in left_out], np.int64), beside


def _relevant(wanted: Wanted, evidence: Evidence, parameters: AnswerParameters) -> set[int]:
    """The passages that have to do with the question as it stands alone, whatever was said before it; with less of it
    those of the time that it asks about."""
    if not evidence.passages:
        return set()
    alone = replace(wanted, expanded="")
    weights, vector = evidence.word_weights(words_of(alone)), vector_of(alone, evidence)
    times = time_scores(wanted.rewritten, evidence.timed)
    near = evidence.passage_vectors @ vector
    if evidence.cores:
        places = [core.passage for core in evidence.cores]
        np.maximum.at(near, places, evidence.core_vectors @ vector - parameters.shorter)
    held = shares_held(weights, evidence.passage_words)
    said = shares_held(_without_times(weights, wanted.rewritten), evidence.passage_words)
    in_time = {
        one.passage
        for one, gained in zip(evidence.cores, times, strict=True)
        if gained > 0 and said[one.passage] >= max(said) / 2
    }
    return {
        number
        for number, (cosine, share) in enumerate(zip(near, held, strict=True))
        if cosine + parameters.held * share >= parameters.relevant - parameters.in_time * (number in in_time)
    }


def _without_times(weights: Mapping[str, float], question: str) -> dict[str, float]:
    """Without the words of its dates."""
    times = {stem for one in asked_times(question) for stem in content_words(one.text)}
    return {stem: weight for stem, weight in weights.items() if stem not in times}
