"""What the rules of extraction find in a data set, and how fast: without the encoder, on one core.

python -m tests.benchmarks.extraction DATASET

A chunk is a paragraph of at most 1,000 characters, which is about what the encoder's window holds. Where the passages
have `entities` and `triples` (musique: by GPT-3.5), the rules are held against them by normalised strings; of a triple
only the pair counts, for the wording of relations differs.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

from clew.memory.knowledge.extraction.aliases import canonical, normalised
from clew.memory.knowledge.extraction.clauses import triples
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.extraction.lexicon import Mention, RelationMention
from clew.memory.text import split
from tests.benchmarks.inputs import paths

LONGEST = 1_000
Found = tuple[list[Mention], list[RelationMention]]


def main() -> None:
    (dataset,) = paths(__doc__ or "", "dataset")
    documents = list(read(dataset))
    chunks = [(part, document["title"]) for document in documents for part in parts(document["text"])]
    started = process_time()
    found = [extract(*chunk) for chunk in chunks]
    taken = process_time() - started
    print(f"{dataset.name}: {len(chunks)} chunks, {len(chunks) / taken:.0f} chunks/s")
    kinds = Counter(mention.kind for mentions, _ in found for mention in mentions)
    each = kinds.total() / len(chunks), sum(len(its) for _, its in found) / len(chunks)
    print("    entities a chunk {:.1f}, triples {:.1f}".format(*each))
    print("    " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    whole = [extract(document["text"], document["title"]) for document in documents]
    ids = [str(place) for place in range(len(documents))]
    started = process_time()
    joined = len(canonical({id_: mentions for id_, (mentions, _) in zip(ids, whole, strict=True)}))
    taken = process_time() - started
    names = {normalised(one.text) for mentions, _ in whole for one in mentions}
    print(f"    aliases: {joined} joined of {len(names)} names, {taken:.1f} s")
    if "triples" in documents[0]:
        compare(documents, whole)


def read(dataset: Path) -> Iterator[dict[str, Any]]:
    """The documents of a BEIR folder, or a text file as one."""
    if dataset.is_file():
        yield {"title": "", "text": dataset.read_text("utf-8")}
        return
    with (dataset / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            document = json.loads(line)
            yield {"title": "", **document}


def parts(text: str) -> Iterator[str]:
    """Whole sentences, up to the length of a chunk."""
    start = end = 0
    for first, after in split(text):
        if after - start > LONGEST and end > start:
            yield text[start:end]
            start = first
        end = after
    if end > start:
        yield text[start:end]


def extract(text: str, title: str) -> Found:
    mentions = entities(text, title)
    return mentions, triples(text, mentions)


def compare(documents: list[dict[str, Any]], found: list[Found]) -> None:
    """Recall and precision against the given entities, and against the pairs of the given triples."""
    names: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for document, (mentions, its_triples) in zip(documents, found, strict=True):
        given = {key(name) for name in document["entities"]} - {""}
        mine = {key(mention.text) for mention in mentions}
        proper = {key(mention.text) for mention in mentions if mention.kind not in ("term", "date")}
        names.update(given=len(given), mine=len(mine), both=len(given & mine), proper=len(proper))
        names.update(proper_both=len(given & proper))
        directed = {(key(one[0]), key(one[2])) for one in document["triples"] if len(one) == 3}
        given_pairs = {frozenset(pair) for pair in directed if len(set(pair)) == 2}
        my_directed = {(key(one.subject.text), key(one.object.text)) for one in its_triples}
        my_pairs = {frozenset(pair) for pair in my_directed}
        both = given_pairs & my_pairs
        same_way = {frozenset(pair) for pair in directed & my_directed}
        pairs.update(given=len(given_pairs), mine=len(my_pairs), both=len(both), same_way=len(both & same_way))
        pairs.update(reachable=sum(pair <= mine for pair in given_pairs))
    print(f"    entities: recall {names['both'] / names['given']:.3f}, precision {names['both'] / names['mine']:.3f}")
    print(f"    without terms and dates: precision {names['proper_both'] / names['proper']:.3f}")
    print(f"    pairs: recall {pairs['both'] / pairs['given']:.3f}, precision {pairs['both'] / pairs['mine']:.3f}")
    print(f"    of the pairs whose entities were found: recall {pairs['both'] / pairs['reachable']:.3f}")
    print(f"    of the pairs in both: the same direction {pairs['same_way'] / pairs['both']:.3f}")


def key(name: str) -> str:
    """Lower case, no marks, no article: only what both sides write alike."""
    return normalised(re.sub(r"^(?:a|an) ", "", name.strip(), flags=re.IGNORECASE))


if __name__ == "__main__":
    main()
