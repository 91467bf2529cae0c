"""One id for one thing, whatever it is called: `Dr. B. R. Ambedkar`, `B.R. Ambedkar`, where it is clear `Ambedkar`.

A surname, initials or an acronym is joined to a fuller name where one document has only one that it can stand for, or
where it has none and the library has only one. Two names that are both full are never joined.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clew.memory.knowledge.extracting.datatypes import Kind, Mention
from clew.memory.knowledge.extracting.fullness import Name, fuller, stands_for
from clew.memory.knowledge.extracting.normalising import normalised


@dataclass(frozen=True, slots=True)
class Aliases:
    """`shared`: key -> id in any document; `within`: (document, key) -> id where a document says otherwise.

    `shown`: id -> how it is written most often. Keys that are their own id in all documents stand in neither.
    """

    shared: Mapping[str, str]
    within: Mapping[tuple[str, str], str]
    shown: Mapping[str, str]

    def of(self, document: str, surface: str) -> str:
        """The id of what a document calls `surface`."""
        return self.of_key(document, normalised(surface))

    def of_key(self, document: str, key: str) -> str:
        """The id of what is normalised already."""
        return self.within.get((document, key)) or self.shared.get(key, key)


def canonical(mentions: Mapping[str, Iterable[Mention]], titles: Mapping[str, str] | None = None) -> Aliases:
    """Ids for the mentions of a library, by document; `titles` are what the documents' titles name (`title_name`).

    The result does not depend on the order of the documents or of their mentions.
    """
    surfaces: dict[str, Counter[str]] = defaultdict(Counter)
    keys_of: dict[str, str] = {}
    found: dict[str, dict[str, set[Kind]]] = {}
    for document, its in mentions.items():
        keys: dict[str, set[Kind]] = defaultdict(set)
        for mention in its:
            key = keys_of.setdefault(mention.text, "") or normalised(mention.text)
            keys_of[mention.text] = key
            surfaces[key][mention.text] += 1
            keys[key].add(mention.kind)
        found[document] = keys
    kinds = _kinds(found)
    names = {key: Name(key, of, _written(surfaces[key])) for key, of in kinds.items()}
    shared = _in_library(names)
    within: dict[tuple[str, str], str] = {}
    for document in sorted(found):
        its_names = [names[key] for key in sorted(found[document])]
        title = normalised((titles or {}).get(document, ""))
        within |= {(document, key): id_ for key, id_ in _in_document(its_names, title, shared).items()}
    shown = {key: _written(counts) for key, counts in surfaces.items()}
    return Aliases(shared, within, shown)


def _kinds(found: Mapping[str, Mapping[str, set[Kind]]]) -> dict[str, frozenset[Kind]]:
    kinds: dict[str, set[Kind]] = defaultdict(set)
    for keys in found.values():
        for key, its in keys.items():
            kinds[key] |= its
    return {key: frozenset(its) for key, its in sorted(kinds.items())}


def _written(counts: Counter[str]) -> str:
    """The commonest way to write it; of equally common ones the longest, then the first by alphabet."""
    return min(counts, key=lambda surface: (-counts[surface], -len(surface), surface))


def _in_library(names: Mapping[str, Name]) -> dict[str, str]:
    """Key -> the one fuller name of a person that the library has for it."""
    by_last: dict[str, list[Name]] = defaultdict(list)
    elsewhere: set[str] = set()
    for name in names.values():
        elsewhere.update(name.words[:-1])
        if name.is_person:
            by_last[name.last].append(name)
    joined: dict[str, str] = {}
    for key, name in names.items():
        lone = len(name.words) == 1
        if name.can_be_short and not (lone and (key in elsewhere or "person" not in name.kinds)):
            ids = _fullest([other for other in by_last.get(name.last, ()) if stands_for(name, other)])
            if len(ids) == 1:
                joined[key] = ids[0]
    return joined


def _in_document(names: Sequence[Name], title: str, shared: Mapping[str, str]) -> dict[str, str]:
    """Key -> id, where it is another than in the rest of the library."""
    longer = [name.key for name in names if name.could_be_person and fuller(title, name)]
    joined = {longer[0]: title} if len(longer) == 1 else {}
    people = [name for name in names if name.is_person]
    for name in names:
        candidates = [other for other in people if stands_for(name, other)] if name.can_be_short else []
        if name.is_acronym:
            candidates = [other for other in names if other.acronym == name.key]
        ids = sorted({joined.get(id_, shared.get(id_, id_)) for id_ in _fullest(candidates)})
        if ids:
            joined[name.key] = ids[0] if len(ids) == 1 else name.key
    return {key: id_ for key, id_ in joined.items() if shared.get(key, key) != id_}


def _fullest(candidates: Sequence[Name]) -> list[str]:
    """The ids of those that stand for no other among them."""
    return [
        name.key
        for name in candidates
        if not any(name is not other and stands_for(name, other) for other in candidates)
    ]
