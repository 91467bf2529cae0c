"""What a library's documents came with of triples: whether they are all that it has, and what they could answer."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.aliases import AliasTable, load_aliases
from clew.memory.knowledge.triples import written_out
from clew.memory.ports import Store
from clew.memory.words import content_words, words


@dataclass(frozen=True, slots=True, eq=False)
class GivenTriples:
    """`triples` that came with documents, and the `stems` of their content words. `alone`: every document is a list of
    triples written out, as from a file of triples, so that there is no text to walk."""

    triples: tuple[Triple, ...]
    stems: frozenset[str]
    alone: bool
    aliases: AliasTable

    @staticmethod
    def of(store: Store, aliases: AliasTable | None = None) -> "GivenTriples":
        """Cheap beside an index of them (`TripleSearch`): each word is stemmed once."""
        layers = store.layers()
        triples = tuple(triple for triple in store.triples() if triple.given) if layers.given.any() else ()
        said = {word for one in triples for word in words(f"{one.subject} {one.relation} {one.object}")}
        stems = frozenset(content_words(" ".join(sorted(said))))
        return GivenTriples(triples, stems, bool(triples) and _alone(store, triples), aliases or load_aliases())

    def may_answer(self, text: str) -> bool:
        """Whether each content word of a question is one of theirs, or may stand for a relation."""
        named = {word for mention in self.aliases.mentions(text) for word in mention.words}
        return bool(self.stems) and set(content_words(text)) <= self.stems | named


def _alone(store: Store, triples: Sequence[Triple]) -> bool:
    """By document, and by its lines: sentences are cut at `Dr.`, and a triple that is given twice is written once."""
    layers, rows = store.layers(), defaultdict[str, list[tuple[str, ...]]](list)
    documents = [layers.document_ids[number] for number in layers.chunk_documents.tolist()]
    of_chunk = dict(zip(layers.chunk_ids, documents, strict=True))
    for triple in triples:
        if triple.chunk:
            rows[of_chunk[triple.chunk]].append((triple.subject, triple.relation, triple.object))
    if not rows.keys() >= set(documents):
        return False
    texts = {document.id: document.text for document in store.documents(list(rows))}
    return all(texts[id_].split("\n") == written_out(listed) for id_, listed in rows.items())
