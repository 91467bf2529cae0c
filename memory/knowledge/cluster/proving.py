"""Whether a chunk is searched by what its row says. A hash over the rows does not see its vector, its words and ELSER's
tokens, as they do not stand in `_source`; where another program changes a part of a row, Elasticsearch loses them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from clew.memory.datatypes import Vector
from clew.memory.knowledge.cluster.connection import Cluster
from clew.memory.knowledge.cluster.rows import IndexLayout, decoded, hash_of
from clew.memory.knowledge.cluster.searches import MOST_TOKENS, Body, by_vector

RowSource = Mapping[str, Any]
One = TypeVar("One")

AT_ONCE = 50
"""Chunks of a request: an answer tells some 100 kB of each."""

SAME = 0.9999
"""The score of a chunk for its own vector, from 0 to 1, by which it is searched by that."""

LONGEST_TOKEN = 255
"""Characters of a word that Elasticsearch's analyser leaves whole."""

_WEIGHT = re.compile(r"weight\((\w+):(.+) in \d+\)", re.DOTALL)
"""How it says of which field and word a part of a score is."""

SAMPLE = 200
"""Chunks that are looked at one by one where not all are: those are always the same of a library."""


def lost(cluster: Cluster, index: str) -> list[str]:
    """The ids of the chunks that have no vector, no words where the row has some, or no tokens from the endpoint that
    it says to have them from: of all, by one search. One that has no words to have is left to `unlike`."""
    missing: list[Body] = [{"must_not": {"exists": {"field": field}}} for field in ("vector", "words")]
    missing.append({"filter": {"exists": {"field": "by"}}, "must_not": {"exists": {"field": "elser"}}})
    query = {"filter": {"term": {"kind": "chunk"}}, "should": [{"bool": one} for one in missing]}
    asked = {"bool": {**query, "minimum_should_match": 1}}
    hits = list(cluster.scanned(index, asked, ["text_words", "title_words", "by"]))
    own = [hit["_source"] for hit in hits]
    wordless = [not (one["text_words"] or one["title_words"] or one.get("by")) for one in own]
    return [hit["_id"] for hit, none in zip(hits, wordless, strict=True) if not none]


def sampled(rows: Mapping[str, str], most: int = SAMPLE) -> list[str]:
    """At most so many of the ids, each with the hash of its row, by which they are drawn."""
    return sorted(rows, key=lambda id_: (rows[id_], id_))[:most]


def unlike(cluster: Cluster, index: str, rows: Mapping[str, RowSource], layout: IndexLayout) -> list[str]:
    """The ids of those of these chunks that their own vector does not find, or whose words, each as often as it stands
    there, are not their own."""
    found = list[str]()
    for ids in _batches(rows):
        own = [_words(rows[id_], layout.keywords.title_weight) for id_ in ids]
        asked = [
            search
            for id_, words in zip(ids, own, strict=True)
            for search in _own(id_, decoded(rows[id_]["half"], layout.dimension)[0], words)
        ]
        answers = [answer["hits"]["hits"] for answer in cluster.searched(index, asked)]
        for id_, words, near, held in zip(ids, own, answers[::2], answers[1::2], strict=True):
            same = bool(near) and near[0]["_score"] >= SAME
            found += [] if same and held and _as_often(words, held[0]["_explanation"]) else [id_]
    return found


_Words = Counter[tuple[str, str]]
"""How often each is there, by field and word."""


def _words(row: RowSource, title_weight: int) -> _Words:
    """As they are sent."""
    parts = ("words", "title_words", title_weight), ("words", "text_words", 1), ("metadata", "metadata_words", 1)
    return Counter((field, word) for field, part, times in parts for word in times * row[part].split())


def _own(id_: str, vector: Vector, words: _Words) -> Sequence[Body]:
    """A search by its vector and one by all its words, among it alone."""
    alone: Body = {"ids": {"values": [id_]}}
    whole = [(field, word) for field, word in words if len(word) <= LONGEST_TOKEN][:MOST_TOKENS]
    held = [{"term": {field: word}} for field, word in whole]
    by_all = {"query": {"bool": {"filter": alone, "must": held}}, "size": 1, "_source": False, "explain": True}
    return by_vector(vector, 1, [alone]), by_all


def _as_often(words: _Words, explained: Mapping[str, Any]) -> bool:
    """Whether a chunk that has all these words has each as often, and no others; what is longer than a token is not
    counted, and a length of more than 24 is known to an eighth."""
    if any(len(word) > LONGEST_TOKEN for _, word in words):
        return True
    told, lengths = _Words(), dict[str, int]()
    field, word = "", ""
    for said, value in _said(explained):
        if weight := _WEIGHT.match(said):
            field, word = weight.groups()
        elif said.startswith("freq,"):
            told[field, word] = int(value)
        elif said.startswith("dl,"):
            lengths[field] = int(value)
    whole = {field: sum(count for (of, _), count in words.items() if of == field) for field in lengths}
    same = all(words[one] == count for one, count in told.items())
    return same and all(0 <= whole[field] - length <= length / 8 for field, length in lengths.items())


def _said(explained: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Of each part of a score what Elasticsearch says of it, the whole before its parts, and its value."""
    yield explained["description"], explained["value"]
    for part in explained["details"]:
        yield from _said(part)


def made_again(cluster: Cluster, index: str, layout: IndexLayout) -> Iterator[tuple[str, str, str]]:
    """Of each row its id, its hash made again, and the endpoint of its tokens; no hash of a chunk that is searched by
    something else than what it says."""
    without = {*lost(cluster, index)}
    for hits in _batches(cluster.scanned(index, {"match_all": {}})):
        chunks = {hit["_id"]: hit["_source"] for hit in hits if hit["_source"]["kind"] == "chunk"}
        strange = without | {*unlike(cluster, index, chunks, layout)}
        for hit in hits:
            hash_ = "" if hit["_id"] in strange else hash_of(hit["_source"])
            yield hit["_id"], hash_, hit["_source"].get("by", "")


def _batches(of: Iterable[One]) -> Iterator[list[One]]:
    left = iter(of)
    while batch := list(islice(left, AT_ONCE)):
        yield batch
