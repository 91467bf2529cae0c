"""An overview of a library: a line a folder, a document or a group of documents, with titles and first sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.agent.answer.holdings import Holdings, WholeAnswer, first_chunks, number_of, quote
from clew.agent.answer.summary import first_sentence
from clew.agent.state import Answer, Claim, Quote
from clew.memory.datatypes import Ints, Passage, Vectors
from clew.memory.knowledge.catalogue import Listed
from clew.memory.ports import Graph
from clew.memory.vectors import unit

ROUNDS = 12
"""Of k-means at most."""

LEARNED_FROM = 4000
"""Documents that the centres are found from; all are then put to the nearest."""


def document_vectors(graph: Graph) -> Vectors:
    """The mean of the vectors of each document's chunks, of unit length; shape (documents, d), in the order of
    `layers.document_ids`."""
    layers, vectors = graph.layers, graph.vectors
    order = np.argsort(layers.chunk_documents, kind="stable")
    documents, starts = np.unique(layers.chunk_documents[order], return_index=True)
    rows = np.asarray(vectors, np.float32)
    rows = rows if np.array_equal(order, np.arange(len(order))) else rows[order]
    found = np.zeros((len(layers.document_ids), vectors.shape[1]), np.float32)
    if len(documents):
        found[documents] = np.add.reduceat(rows, starts, axis=0)
    return unit(found)


def clusters(vectors: Vectors, count: int) -> list[Ints]:
    """At most so many groups of rows, the largest first, by k-means on the sphere (Dhillon & Modha 2001) that begins
    with rows far from each other; the same rows give the same groups."""
    count = min(count, len(vectors))
    if count <= 1:
        return [np.arange(len(vectors))] if len(vectors) else []
    step = max(1, len(vectors) // LEARNED_FROM)
    sample = vectors[::step]
    centres = sample[_apart(sample, count)]
    for _ in range(ROUNDS):
        nearest = np.argmax(sample @ centres.T, axis=1)
        sums = np.stack([sample[nearest == one].sum(axis=0) for one in range(count)])
        moved = np.where(np.abs(sums).sum(axis=1, keepdims=True) > 0, unit(sums), centres)
        if np.allclose(moved, centres, atol=1e-5):
            break
        centres = moved
    nearest = np.argmax(vectors @ centres.T, axis=1)
    groups = [np.flatnonzero(nearest == one) for one in range(count)]
    return sorted((group for group in groups if len(group)), key=lambda group: (-len(group), int(group[0])))


def typical(vectors: Vectors, rows: Sequence[int] | Ints, most: int) -> list[int]:
    """Of a group at most so many rows that show what is in it: of each of its own groups the most central."""
    places = np.asarray(rows, np.int64)
    found = []
    for group in clusters(vectors[places], most):
        inside = vectors[places[group]]
        found.append(int(places[group[int(np.argmax(inside @ inside.sum(axis=0)))]]))
    return found


def _apart(vectors: Vectors, count: int) -> list[int]:
    """Rows that are far from each other: the most central, then always the one that is farthest from all chosen."""
    chosen = [int(np.argmax(vectors @ vectors.sum(axis=0)))]
    near = vectors @ vectors[chosen[0]]
    while len(chosen) < count:
        chosen.append(int(np.argmin(near)))
        near = np.maximum(near, vectors @ vectors[chosen[-1]])
    return chosen


MOST_WORDS = 115
"""Words of an overview."""

ONE_BY_ONE = 8
"""Documents, all in one folder, that are told one by one."""

MOST_GROUPS = 6
"""Clusters that are told where the documents lie in one folder."""

LONGEST_FIRST = 20
"""Words of a first sentence that is quoted beside a title."""

MOST_FOLDERS = 10
"""Folders that are counted one by one."""

DETAILS = 300
"""Titles that the step of an answer lists."""


@dataclass(frozen=True, slots=True)
class _Group:
    """`shown` are those of its documents that say what is in it."""

    name: str
    documents: tuple[Listed, ...]
    shown: tuple[Listed, ...]


def overview_of(holdings: Holdings, folder: str = "") -> WholeAnswer:
    """A line a group: by folders where the documents lie in several, else one by one where they are few, else by what
    they are about. The step has all titles."""
    documents = holdings.documents
    groups, how = _groups(holdings)
    here = f"in the folder {folder}" if folder else "here"
    here += f" on {holdings.subject}" if holdings.subject and len(documents) > 1 else ""
    are = "is" if len(documents) == 1 else "are"
    text = holdings.line("all documents", len(documents), here=here, how=how, are=are) + ":"
    claims, sources = _fitted(groups, holdings, len(text.split()))
    listed = [f"{group.name or 'documents'}: {holdings.title(one)}" for group in groups for one in group.documents]
    details = (*listed[:DETAILS], *([f"and {len(listed) - DETAILS} more"] if len(listed) > DETAILS else ()))
    answer = Answer("answered", (Claim(text), *claims), tuple(sources), form="overview")
    return WholeAnswer(answer, tuple(sources), f"an overview of {number_of(len(documents), 'document')}", details)


def _groups(holdings: Holdings) -> tuple[list[_Group], str]:
    documents = holdings.documents
    numbers = {id_: number for number, id_ in enumerate(holdings.store.part().layers.document_ids)}
    known = [one for one in documents if one.id in numbers]
    rows = np.array([numbers[one.id] for one in known], np.int64)
    vectors = document_vectors(holdings.store.part())[rows]
    places = {one.id: place for place, one in enumerate(known)}

    def group(name: str, inside: Sequence[Listed]) -> _Group:
        shown = typical(vectors, [places[one.id] for one in inside if one.id in places], 3)
        return _Group(name, tuple(inside), tuple(known[place] for place in shown) or tuple(inside[:3]))

    folders = holdings.catalogue.folders(holdings.scope)
    if len(folders) > 1 and len(folders) <= max(2, len(documents) / 2):
        found = [group(name or holdings.line("not in a folder"), inside) for name, inside in folders.items()]
        return found, holdings.line("in folders", len(found))
    if len(documents) <= ONE_BY_ONE:
        return [_Group("", (one,), (one,)) for one in documents], ""
    count = min(MOST_GROUPS, max(2, round(len(documents) ** 0.5)))
    parts = [[known[place] for place in part.tolist()] for part in clusters(vectors, count)]
    return [group("", part) for part in parts], holdings.line("grouped")


def _fitted(groups: Sequence[_Group], holdings: Holdings, words: int) -> tuple[list[Claim], list[Passage]]:
    """As many titles of each group as there is room for, and as many first sentences; of folders one each, or none."""
    kept = sorted(range(len(groups)), key=lambda place: -len(groups[place].documents))
    named, few = any(group.name for group in groups), len(groups) <= MOST_FOLDERS
    firsts = {at: said for at, group in enumerate(groups) if few and (said := _first(group.shown[0], holdings))}
    told = sum(len(one.text.split()) for one in firsts.values()) if named and few else 0
    for most, lines, more in ((3, 99, told), (2, 99, told), (3, 99, 0), (2, 99, 0), (1, 99, 0), (1, 12, 0), (1, 8, 0)):
        places = sorted(kept[:lines])
        claims = [_titles(groups[place], most, holdings) for place in places]
        length = words + sum(len(claim.text.split()) for line in claims for claim in line)
        if length + more <= MOST_WORDS - 10 * (len(places) < len(groups)):
            break
    if named and not more:
        firsts = {}
    shown = [one for place in places for one in groups[place].shown[:most]]
    first = first_chunks([one.id for one in shown], holdings)
    sources = holdings.passages(first.values(), "overview")
    numbers = {source.document: n for n, source in enumerate(sources, 1)}
    made: list[Claim] = []
    for place, line in zip(places, claims, strict=True):
        inside = iter(groups[place].shown[:most])
        cited = [replace(claim, cites=(numbers[next(inside).id],)) if claim.cites else claim for claim in line]
        first_one = firsts.get(place)
        if first_one and len(first_one.text.split()) + length <= MOST_WORDS:
            length += len(first_one.text.split())
            cite = numbers[first_one.document]
            sentence = Claim(" ".join(first_one.text.split()), (cite,), start=first_one.start, quotes=(first_one,))
            cited.insert(next((at for at, claim in enumerate(cited, 1) if claim.cites), len(cited)), sentence)
        made += cited
    left = [groups[place] for place in range(len(groups)) if place not in places]
    if left:
        rest = sum(len(group.documents) for group in left)
        made.append(Claim(holdings.line("more elsewhere", rest, folders=str(len(left))), new_line=True))
    return made, sources


def _titles(group: _Group, most: int, holdings: Holdings) -> list[Claim]:
    """`club, 4 documents:`, then titles, each to be cited, then how many there are more."""
    shown, count = group.shown[:most], len(group.documents)
    alone = count == 1 and not group.name
    number = holdings.line("documents" if count > 1 else "document", count)
    head = f"{group.name}, {number}:" if group.name else f"{number}:"
    claims = [] if alone else [Claim(head, new_line=True)]
    claims += [Claim(f"\u201c{holdings.title(one)}\u201d", (0,), new_line=alone) for one in shown]
    return [*claims, Claim(holdings.line("and more", count - len(shown)))] if count > len(shown) else claims


def _first(one: Listed, holdings: Holdings) -> Quote | None:
    (document,) = holdings.store.documents([one.id])
    span = first_sentence(document, holdings.sentences(document)[0], LONGEST_FIRST)
    return quote(document, span) if span else None


def counted(holdings: Holdings) -> WholeAnswer:
    """How many documents there are."""
    documents = holdings.documents
    folders = holdings.catalogue.folders(holdings.scope)
    by_size = sorted(folders.items(), key=lambda item: -len(item[1]))[:MOST_FOLDERS]
    parts = ", ".join(f"{name or holdings.line('not in a folder')} {len(inside):,}" for name, inside in by_size)
    how = f"{holdings.line('in folders', len(folders))}: {parts}" if folders else ""
    how += f" {holdings.line('and more', len(folders) - MOST_FOLDERS)}" if len(folders) > MOST_FOLDERS else ""
    are = "is" if len(documents) == 1 else "are"
    text = holdings.line("all documents", len(documents), here="here", how=how, are=are)
    answer = Answer("answered", (Claim(f"{text}."),), form="fact")
    return WholeAnswer(answer, (), "all documents counted")
