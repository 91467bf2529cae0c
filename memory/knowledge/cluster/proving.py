"""Whether a chunk is searched by what its row says. A hash over the rows does not see its vector, its words and ELSER's
tokens, as they do not stand in `_source`; where another program changes a part of a row, Elasticsearch loses them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from clew.memory.knowledge.cluster.connection import Cluster
from clew.memory.knowledge.cluster.rows import decoded, hash_of
from clew.memory.knowledge.cluster.searches import MOST_TOKENS, Body, by_vector

RowSource = Mapping[str, Any]
One = TypeVar("One")

AT_ONCE = 100
"""Chunks of a request."""

SAME = 0.9999
"""The score of a chunk for its own vector, from 0 to 1, by which it is searched by that."""

LONGEST_TOKEN = 255
"""Characters of a word that Elasticsearch's analyser leaves whole."""

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


def unlike(cluster: Cluster, index: str, rows: Mapping[str, RowSource], dimension: int) -> list[str]:
    """The ids of those of these chunks that their own vector, or their own words, do not find."""
    found = list[str]()
    for ids in _batches(rows):
        asked = [one for id_ in ids for one in _own(id_, rows[id_], dimension)]
        answers = [answer["hits"]["hits"] for answer in cluster.searched(index, asked)]
        near, words = answers[::2], answers[1::2]
        same = [bool(hits) and hits[0]["_score"] >= SAME for hits in near]
        found += [id_ for id_, alike, held in zip(ids, same, words, strict=True) if not (alike and held)]
    return found


def _own(id_: str, row: RowSource, dimension: int) -> Sequence[Body]:
    """A search by its vector and one by all its words, among it alone."""
    alone: Body = {"ids": {"values": [id_]}}
    words = [("words", f"{row['title_words']} {row['text_words']}"), ("metadata", row["metadata_words"])]
    terms = [
        (field, word) for field, text in words for word in dict.fromkeys(text.split()) if len(word) <= LONGEST_TOKEN
    ]
    held = [alone, *({"term": {field: word}} for field, word in terms[:MOST_TOKENS])]
    vector = decoded(row["half"], dimension)[0]
    return by_vector(vector, 1, [alone]), {"query": {"bool": {"filter": held}}, "size": 1, "_source": False}


def made_again(cluster: Cluster, index: str, dimension: int) -> Iterator[tuple[str, str, str]]:
    """Of each row its id, its hash made again, and the endpoint of its tokens; no hash of a chunk that is searched by
    something else than what it says."""
    without = {*lost(cluster, index)}
    for hits in _batches(cluster.scanned(index, {"match_all": {}})):
        chunks = {hit["_id"]: hit["_source"] for hit in hits if hit["_source"]["kind"] == "chunk"}
        strange = without | {*unlike(cluster, index, chunks, dimension)}
        for hit in hits:
            hash_ = "" if hit["_id"] in strange else hash_of(hit["_source"])
            yield hit["_id"], hash_, hit["_source"].get("by", "")


def _batches(of: Iterable[One]) -> Iterator[list[One]]:
    left = iter(of)
    while batch := list(islice(left, AT_ONCE)):
        yield batch
