"""What the rules of extraction find in a data set, and how fast: without the encoder, on one core.

python -m tests.benchmarks.extraction DATASET

A chunk is a paragraph of at most 1,000 characters, which is about what the encoder's window holds. Where the passages
have `entities` and `triples` (musique: by GPT-3.5), the rules are held against them by normalised strings; of a triple
only the pair counts, for the wording of relations differs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from time import process_time

from clew.memory.knowledge.extraction.aliases import canonical, normalised
from clew.memory.knowledge.extraction.clauses import triples
from clew.memory.knowledge.extraction.entities import entities
from clew.memory.knowledge.extraction.lexicon import Mention, RelationMention
from clew.memory.text import split
from tests.benchmarks.measuring import paths
from tests.training.records import Record, lines_of

LONGEST = 1_000
Found = tuple[list[Mention], list[RelationMention]]


def main() -> None:
    (dataset,) = paths(__doc__ or "", "dataset")
    documents = [{"title": "", **row} for row in lines_of(dataset / "corpus.jsonl")]
    chunks = [(part, document["title"]) for document in documents for part in parts(document["text"])]
    started = process_time()
    found = [extract(*chunk) for chunk in chunks]
    print(f"{dataset.name}: {len(chunks)} chunks, {len(chunks) / (process_time() - started):.0f} chunks/s")
    kinds = Counter(mention.kind for mentions, _ in found for mention in mentions)
    stated = sum(len(its) for _, its in found) / len(chunks)
    print(f"    entities a chunk {kinds.total() / len(chunks):.1f}, triples {stated:.1f}")
    print("    " + ", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))
    whole = [extract(document["text"], document["title"]) for document in documents]
    started = process_time()
    joined = len(canonical({str(place): mentions for place, (mentions, _) in enumerate(whole)}))
    names = {normalised(one.text) for its, _ in whole for one in its}
    print(f"    aliases: {joined} joined of {len(names)} names, {process_time() - started:.1f} s")
    if "triples" in documents[0]:
        compare(documents, whole)


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


def compare(documents: Sequence[Record], found: Sequence[Found]) -> None:
    """Recall and precision against the given entities, and against the pairs of the given triples."""
    names, proper, pairs = Counter[str](), Counter[str](), Counter[str]()
    for document, (mentions, its_triples) in zip(documents, found, strict=True):
        given = {key(name) for name in document["entities"]} - {""}
        named = {key(mention.text) for mention in mentions if mention.kind not in ("term", "date")}
        ends = ({key(one[0]), key(one[2])} for one in document["triples"] if len(one) == 3)
        stated = {frozenset({key(one.subject.text), key(one.object.text)}) for one in its_triples}
        count(names, given, {key(mention.text) for mention in mentions})
        count(proper, given, named)
        count(pairs, {frozenset(pair) for pair in ends if len(pair) == 2}, stated)
    for title, counts in (("entities", names), ("without terms and dates", proper), ("pairs", pairs)):
        recall, precision = counts["both"] / counts["given"], counts["both"] / counts["found"]
        print(f"    {title}: recall {recall:.3f}, precision {precision:.3f}")


def count(counts: Counter[str], given: set[str] | set[frozenset[str]], found: set[str] | set[frozenset[str]]) -> None:
    counts.update(given=len(given), found=len(found), both=len({*given} & {*found}))


def key(name: str) -> str:
    """Lower case, no marks, no article: only what both sides write alike."""
    return normalised(re.sub(r"^(?:a|an) ", "", name.strip(), flags=re.IGNORECASE))


if __name__ == "__main__":
    main()
