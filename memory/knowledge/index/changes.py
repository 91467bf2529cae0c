"""What changed since the last run: sources copied where their bytes are the same, read and compared where not."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path

from clew.memory.datatypes import Chunk, Document, Edge, Progress
from clew.memory.errors import BadInput
from clew.memory.instructions import orders
from clew.memory.knowledge.chunking import chunks_of
from clew.memory.knowledge.disk import read_manifest
from clew.memory.knowledge.document_dates import with_date
from clew.memory.knowledge.index.generation import Generation
from clew.memory.knowledge.loaders.apart import AHEAD, Reading
from clew.memory.knowledge.loaders.registry import discover
from clew.memory.knowledge.loaders.source import (
    Loader,
    LoadFailure,
    Source,
    digest,
    other_ids,
    shown,
    size,
    source_digest,
)

KEPT_OF_HIDDEN = 1_000
"""Characters of the text that a document does not show, for those who ask what was left out."""

KEPT_OF_ORDERS = 200
"""Characters of the sentence for which a document was taken out."""

REPORT_EVERY = 50
"""Documents between two reports of progress within one source."""


class Changes:
    """One run's reading into a generation. After `read`: the counts, the failures and the notes."""

    def __init__(self, generation: Generation, loaders: Sequence[Loader]) -> None:
        self._generation = generation
        self._loaders = loaders
        self._other_sources = False
        self._known: dict[str, str] = {}
        self._waiting: dict[str, Source] = {}
        self._digests: dict[str, str] = {}
        self._reading = Reading()
        self.counts: Counter[str] = Counter()
        self.failed: list[LoadFailure] = []
        self.notes: list[str] = []
        old = generation.old
        choices = generation.choices
        self._screen = f" without orders but in {json.dumps(choices.allowed)}" if choices.quarantine else ""
        before = read_manifest(old) if old else None
        self._hidden = dict(before.hidden_text) if before else {}
        self._quarantined = dict(before.quarantined) if before else {}

    @property
    def any(self) -> bool:
        return (
            self._other_sources
            or not self._generation.choices.same_quarantine
            or any(self.counts[name] for name in ("new", "changed", "removed"))
        )

    def read(
        self, roots: Sequence[Path], library: Path, wants_dump: bool = False, follow: bool = False
    ) -> Iterator[Progress]:
        """Progress counts bytes of the sources, those that need not be read again among them. Raises `BadInput` where
        there is no Wikipedia dump and one is wanted."""
        self._known = self._generation.old_sources()
        there = [root for root in roots if not self._is_gone(root)]
        found = discover(there, library, self._loaders, follow, self._generation.choices.exports)
        self.notes += found.notes
        pages = self._generation.choices.pages
        chosen = (replace(source, pages=pages) if source.loader.by_page else source for source in found.sources)
        fresh = {shown(source.path): source for source in chosen}
        if wants_dump and not any(source.loader.by_page for source in fresh.values()):
            raise BadInput(
                f"{pages} chooses pages of a Wikipedia dump, and there is none under the paths given",
                "give the path of its .xml, .xml.bz2 or .xml.gz file",
            )
        gone = self._gone([path for path in self._known if path not in fresh], roots, found.unopened)
        self._waiting = {path: source for path, source in fresh.items() if path in self._known}
        sizes = {path: size(source) for path, source in fresh.items()}
        total, done = sum(sizes.values()), 0
        order = [*self._waiting, *(path for path in fresh if path not in self._known)]
        with closing(self._reading):
            for place, path in enumerate(order):
                for ahead in order[place : place + 1 + AHEAD]:
                    if not self._is_same(fresh[ahead]):
                        self._reading.announce(fresh[ahead])
                self._waiting.pop(path, None)
                for read_so_far in self._take(fresh[path]):
                    yield Progress("reading", done + min(read_so_far, sizes[path]), total)
                done += sizes[path]
                yield Progress("reading", done, total)
            self._reading.keep()
        self._remove(gone)
        self._note_hidden()
        self._note_quarantined(self._known.keys() - set(gone) | fresh.keys())
        yield Progress("reading", total, total)
        yield from self._chunk_anew()
        if skipped := self.counts["triples skipped"]:
            self.notes.append(f"{skipped} triples skipped: they do not have three parts")
        if self.any and (loose := self._generation.loose_edges()):
            self.notes.append(f"{loose} edges left out: they name nodes that are not in the library")
        self._generation.put_in_order()

    def _note_hidden(self) -> None:
        hidden = {id_: text for id_, text in self._hidden.items() if self._generation.has_document(id_)}
        self._generation.facts["unseen"] = hidden
        if hidden:
            have = "1 document has" if len(hidden) == 1 else f"{len(hidden)} documents have"
            self.notes.append(f"{have} text that is not shown, left out here: clew doctor names it")

    def _note_quarantined(self, found: Iterable[str]) -> None:
        """`found`: the sources that there are."""
        there = {path.split("\n")[0] for path in found}
        taken = {where: said for where, said in self._quarantined.items() if where.split("\n")[0] in there}
        self._generation.facts["quarantined"] = taken
        for where, said in taken.items():
            path, _, id_ = where.partition("\n")
            named = f"{path}: {id_} is" if id_ else f"{path} is"
            self.notes.append(f"{named} in quarantine ({said}): --allow {shlex.quote(path)} takes it back")

    def _orders(self, document: Document, path: str) -> str:
        """The sentence for which it is taken out; empty where it is not."""
        choices = self._generation.choices
        if not choices.quarantine or _is_below(path, [Path(one) for one in choices.allowed]):
            return ""
        return next(iter(orders(f"{document.title}\n\n{document.text}\n\n{document.hidden_text}")), "")

    def _chunk_anew(self) -> Iterator[Progress]:
        """The documents that were taken over from a library with another chunker, by their text as it was read."""
        ids = self._generation.without_chunks()
        for done, id_ in enumerate(ids, 1):
            self._generation.add_chunks(self._chunks(self._generation.document(id_)))
            yield Progress("chunking", done, len(ids))

    def _chunks(self, document: Document) -> list[Chunk]:
        return chunks_of(document, self._generation.encoder, self._generation.choices.chunker)

    def _is_gone(self, root: Path) -> bool:
        """Whether it was read before and is not there any more, so that what it held is to be removed."""
        return not os.path.lexists(root) and any(_is_below(path, [root]) for path in self._known)

    def _gone(self, paths: Sequence[str], roots: Sequence[Path], unopened: Sequence[Path]) -> list[str]:
        """What is under the paths given and no longer there. What is not under them stays as it is, and so does what
        is in a folder that cannot be opened now."""
        gone = []
        for path in paths:
            elsewhere = not _is_below(path, roots)
            if elsewhere or _is_below(path, unopened):
                self.counts["elsewhere" if elsewhere else "unchanged"] += self._generation.copy_source(path)
            else:
                gone.append(path)
        if self.counts["elsewhere"]:
            self.notes.append(f"{self.counts['elsewhere']} documents from other places kept as they are")
        return gone

    def _remove(self, gone: Sequence[str]) -> None:
        """But a run that could read nothing at all empties no library."""
        read_nothing = not any(self.counts[name] for name in ("new", "changed", "unchanged", "elsewhere"))
        for path in gone:
            if self.failed and read_nothing:
                self._keep(path, len(self._generation.old_documents(path)))
            else:
                self.counts["removed"] += len(self._generation.old_documents(path))
                self._other_sources = True

    def _take(self, source: Source) -> Iterator[int]:
        """Copy a source that is the same as before, read any other. Yields about how many bytes are read."""
        if self._is_same(source):
            self.counts["unchanged"] += self._generation.copy_source(shown(source.path))
        else:
            yield from self._read_source(source)

    def _is_same(self, source: Source) -> bool:
        path = shown(source.path)
        if path not in self._digests:
            found = source_digest(source)
            self._digests[path] = found and found + self._screen
        return self._digests[path] != "" and self._digests[path] == self._known.get(path)

    def _read_source(self, source: Source) -> Iterator[int]:
        path, failures, characters, position = shown(source.path), len(self.failed), 0, 0
        old, renamed = self._generation.old_documents(path), {}
        left, taken_out = set(old), 0
        for where in [one for one in self._quarantined if one.split("\n")[0] == path]:
            del self._quarantined[where]
        for item in self._reading.documents(source):
            if isinstance(item, LoadFailure):
                self.failed.append(item)
                continue
            if said := self._orders(item, path):
                whole = item.id == source.name
                self._quarantined[path if whole else f"{path}\n{item.id}"] = said[:KEPT_OF_ORDERS]
                taken_out += 1
                continue
            document = replace(with_date(item), id=self._free_id(item.id, source))
            self._hidden.pop(document.id, None)
            if item.hidden_text:
                self._hidden[document.id] = item.hidden_text[:KEPT_OF_HIDDEN]
            if self._add(document, path, position, old):
                position += 1
                left.discard(document.id)
                if document.id != item.id:
                    renamed[item.id] = document.id
            characters += len(item.text)
            if position % REPORT_EVERY == 0:
                yield characters
        if old and not position and not taken_out:
            self._keep(path, len(old))
            return
        self.counts["removed"] += len(left)
        self._note_renamed(source, renamed)
        self._read_edges(source, renamed)
        recorded = self._digests[path] if len(self.failed) == failures else ""
        unknown = None if self._generation.old else ""  # a first run that reads nothing makes no library
        self._other_sources |= recorded != self._known.get(path, unknown)
        self._generation.add_source(path, recorded)

    def _keep(self, path: str, documents: int) -> None:
        """A source that can no longer be read stays, but for what has another place by now."""
        kept = self._generation.copy_source(path)
        self.counts["unchanged"] += kept
        self.counts["removed"] += documents - kept
        self.notes.append(f"{path}: kept as it was read before")

    def _free_id(self, id_: str, source: Source) -> str:
        """The id, or a longer one where another source has it or will have it when it is copied."""
        return next(other for other in chain([id_], other_ids(id_, source)) if self._is_free(other))

    def _is_free(self, id_: str) -> bool:
        owner = self._waiting.get(self._generation.old_source_of(id_))
        return not self._generation.has_document(id_) and (owner is None or not self._is_same(owner))

    def _add(self, document: Document, path: str, position: int, old: dict[str, str]) -> bool:
        fingerprint, known = digest(document), old.get(document.id)
        same = known == fingerprint
        chunks = None if same and self._generation.choices.same_chunker else self._chunks(document)
        if chunks == []:
            self.failed.append(LoadFailure(document.source, "no text in it"))
            return False
        self.counts["new" if known is None else "unchanged" if same else "changed"] += 1
        self.counts["triples skipped"] += self._generation.add_document(document, chunks, fingerprint, path, position)
        return True

    def _note_renamed(self, source: Source, renamed: dict[str, str]) -> None:
        if renamed:
            id_, other = next(iter(renamed.items()))
            ids = f"{len(renamed)} ids are" if len(renamed) > 1 else "1 id is"
            self.notes.append(f"{shown(source.path)}: {ids} taken by others, so that '{id_}' is '{other}' here")

    def _read_edges(self, source: Source, renamed: dict[str, str]) -> None:
        given = 0

        def counted() -> Iterator[Edge]:
            nonlocal given
            for item in self._reading.edges(source):
                if isinstance(item, LoadFailure):
                    self.failed.append(item)
                else:
                    given += 1
                    source_id, target_id = (renamed.get(end, end) for end in (item.source, item.target))
                    yield Edge(source_id, target_id, item.relation)

        added = self._generation.add_edges(counted(), shown(source.path))
        self._other_sources |= bool(given)
        if given > added:
            self.notes.append(f"{given - added} repeated edges merged")


def _is_below(path: str, folders: Sequence[Path]) -> bool:
    return any(Path(path).is_relative_to(shown(folder)) for folder in folders)
