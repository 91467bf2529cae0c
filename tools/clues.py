"""The tool `clues` (ClueRAG): a walk from sentence to sentence by the entities that they share, as in the paper (arXiv
2507.08445); and seed 000's beam search through the triples, with its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from clew.memory.datatypes import Findings, Form, Passage, Query
from clew.memory.knowledge.clues.triple_search import (
    ClueAnswer,
    ClueParameters,
    GivenTriples,
    PathEvidence,
    TripleSearch,
)
from clew.memory.knowledge.clues.unit_search import UnitParameters, UnitSearch
from clew.memory.knowledge.library_ports import Search
from clew.tools.base import FormScores, ToolSettings, fused_passages

Found = Sequence[Mapping[str, PathEvidence]]
"""For each form what it found, by chunk."""

NO_UNITS = "no sentences and entities in this library: clew index PATH... --triples extract"
NO_TRIPLES = "no triples in this library: index documents that carry triples, or a list of triples as JSON"


@dataclass(frozen=True, slots=True)
class CluesParameters:
    """Parameters of both methods. Libraries of triples alone always use `triples`."""

    method: Literal["units", "triples"] = "units"  # whether it goes from sentence to sentence, or along triples
    units: UnitParameters = field(default_factory=UnitParameters)  # of walks from sentence to sentence
    search: ClueParameters = field(default_factory=ClueParameters)  # of walks along triples, as in seed 000
    part: tuple[int, ...] | None = None  # the partitions to search; None: the whole library


class Clues:
    """Sentences, entities and triples are read and indexed at the first search, once."""

    name = "clues"
    description = (
        "Follows names from sentence to sentence, in several steps, beginning with what is nearest to the question. "
        "Use it for a long chain of facts, or when graph did not find the answer. Returns passages, with the path to "
        "each."
    )

    def __init__(self, store: Search, parameters: CluesParameters | None = None) -> None:
        self._store = store
        self._parameters = parameters or CluesParameters()

    def search(self, query: Query, k: int = 5) -> Findings:
        """At most k passages, with the answer and the walk of the question as asked.

        The walk is that of the answer, where the triples give one; else the best over sentences.
        """
        query.check()
        if self._parameters.method == "triples" or self._given.alone:
            return self._by_triples(query, k)
        answerable = any(self._given.may_answer(form.text) for form in query.forms)
        return self._by_units(query, k, self._triples if answerable else None)

    @cached_property
    def _units(self) -> UnitSearch:
        return UnitSearch(self._store, self._parameters.part)

    @cached_property
    def _given(self) -> GivenTriples:
        return GivenTriples(self._store)

    @cached_property
    def _triples(self) -> TripleSearch:
        """Beside sentences those alone that were given. An index of many takes seconds."""
        triples = self._store.triples() if self._parameters.method == "triples" else self._given.triples
        return TripleSearch(self._store, triples)

    def _by_triples(self, query: Query, k: int) -> Findings:
        triples = self._triples
        if triples.empty:
            return Findings(notes=(NO_TRIPLES,))
        answers, parameters = list[ClueAnswer](), self._parameters.search
        for form in query.forms:
            query.check()
            answers.append(triples.answer(form.text, query.scope, parameters, k))
        query.check()
        found = [triples.found(answer, query.scope, parameters) for answer in answers]
        passages = self._passages(query, found, k)
        own = answers[_own(query)]
        notes = () if passages or not k else ("no triple has to do with the question",)
        told = own.answer if triples.tells(query.forms[_own(query)].text, own) else ""
        return Findings(passages, notes, told, triples.walk(own))

    def _by_units(self, query: Query, k: int, given: TripleSearch | None) -> Findings:
        """Where triples that came with documents have all that a question names, their best path comes first. Extracted
        ones are not asked: what is answered from them alone is rarely right."""
        units = self._units
        if units.empty:
            return Findings(notes=(NO_UNITS,))
        each = [units.found(form, query.scope, self._parameters.units, k, query.check) for form in query.forms]
        leads, found = list[ClueAnswer | None](), list[Mapping[str, PathEvidence]]()
        for form, (of_form, _) in zip(query.forms, each, strict=True):
            query.check()
            lead = None if given is None else given.leading(form.text, query.scope, self._parameters.search)
            first = _first(given.found(lead, query.scope, self._parameters.search)) if given and lead else {}
            leads.append(lead)
            found.append(first | {**of_form, **first})
        passages = self._passages(query, found, k)
        notes = () if passages or not k else ("no sentence to walk from",)
        best, lead = each[_own(query)][1], leads[_own(query)]
        if given and lead:
            return Findings(passages, notes, lead.answer, given.walk(lead))
        return Findings(passages, notes, "", units.subgraph(best) if best else None)

    def _passages(self, query: Query, found: Found, k: int) -> tuple[Passage, ...]:
        ids = list(dict.fromkeys(id_ for of_form in found for id_ in of_form))
        rows = [[of_form[id_].score if id_ in of_form else np.nan for id_ in ids] for of_form in found]
        scored = FormScores(ids, np.array(rows))
        passages = fused_passages(self._store, query, scored, k, self.name)
        return tuple(_explained(passage, query.forms, found) for passage in passages)


def _first(found: Mapping[str, PathEvidence]) -> dict[str, PathEvidence]:
    """Before all that is walked to over sentences, whose scores are at most 1."""
    return {id_: replace(one, score=one.score + 1, scores={**one.scores, "answers": 1.0}) for id_, one in found.items()}


def _own(query: Query) -> int:
    """The place of the question as it was asked, among its forms; else the first."""
    return next((place for place, form in enumerate(query.forms) if form.text == query.text), 0)


def _explained(passage: Passage, forms: Sequence[Form], found: Found) -> Passage:
    """By the form that came to it with the best score."""
    by_form = [(form, of_form[passage.id]) for form, of_form in zip(forms, found, strict=True) if passage.id in of_form]
    form, best = max(by_form, key=lambda pair: pair[1].score)
    path, why = best.explain(passage.document)
    why = why if len(forms) == 1 else f"{why} (as {form.name})"
    return replace(passage, why=why, scores=best.scores, path=path)


def make(store: Search, settings: ToolSettings) -> Clues:
    return Clues(store, settings.of(CluesParameters))


PARAMETERS = CluesParameters
