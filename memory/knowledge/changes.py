"""What changed since the last run: sources copied where their bytes are the same, read and compared where not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memory.datatypes import Document, Edge
from memory.knowledge.chunking import ChunkerParameters, chunk
from memory.knowledge.generation import Generation
from memory.knowledge.reading import Failure, Source, digest, discover, read, read_edges, size, source_digest
from memory.ports import Encoder
from memory.progress import Progress

REPORT_EVERY = 50
"""Documents between two reports of progress within one source."""


class Changes:
    """One run's reading into a generation. After `read`: the counts, the failures and the notes."""

    def __init__(self, generation: Generation, encoder: Encoder, chunker: ChunkerParameters) -> None:
        self._generation = generation
        self._encoder = encoder
        self._chunker = chunker
        self._edges_changed = False
        self.counts: Counter[str] = Counter()
        self.failed: list[Failure] = []
        self.notes: list[str] = []

    @property
    def any(self) -> bool:
        return self._edges_changed or any(self.counts[name] for name in ("new", "changed", "removed"))

    def read(self, roots: Sequence[Path]) -> Iterator[Progress]:
        """Progress counts bytes of the sources that have to be read."""
        sources, self.notes = discover(roots)
        fresh = {str(source.path): source for source in sources}
        old = self._generation.old_sources()
        digests = {path: source_digest(source) for path, source in fresh.items()}
        self._copy_what_stays(roots, fresh, old, digests)
        to_read = [path for path in fresh if not digests[path] or old.get(path) != digests[path]]
        total, done = sum(size(fresh[path]) for path in to_read), 0
        for path in to_read:
            for read_so_far in self._read_source(fresh[path], digests[path]):
                yield Progress("reading", done + min(read_so_far, size(fresh[path])), total)
            done += size(fresh[path])
        yield Progress("reading", total, total)
        if loose := self._generation.drop_loose_edges():
            self.notes.append(f"{loose} edges left out: they name nodes that are not in the library")
        self._generation.put_in_order()

    def _copy_what_stays(
        self, roots: Sequence[Path], fresh: dict[str, Source], old: dict[str, str], digests: dict[str, str]
    ) -> None:
        """What is not under the paths given stays as it is; what is under them and no longer there is removed."""
        for path, known in old.items():
            if path in fresh:
                if known and known == digests[path]:
                    self.counts["unchanged"] += self._generation.copy_source(path)
            elif any(Path(path).is_relative_to(root) for root in roots):
                self.counts["removed"] += len(self._generation.old_documents(path))
                self._edges_changed = True
            else:
                self.counts["elsewhere"] += self._generation.copy_source(path)
        if self.counts["elsewhere"]:
            self.notes.append(f"{self.counts['elsewhere']} documents from other places kept as they are")

    def _read_source(self, source: Source, source_digest_: str) -> Iterator[int]:
        """Yields about how many bytes are read."""
        path, failures, characters, position = str(source.path), len(self.failed), 0, 0
        old, left = self._generation.old_documents(path), set(self._generation.old_documents(path))
        for item in read(source):
            if isinstance(item, Failure):
                self.failed.append(item)
                continue
            if self._add(item, source, position, old):
                position += 1
                left.discard(item.id)
            characters += len(item.text)
            if position % REPORT_EVERY == 0:
                yield characters
        if old and not position:
            self._generation.copy_source(path)
            self.counts["unchanged"] += len(old)
            self.notes.append(f"{path}: kept as it was read before")
            return
        self.counts["removed"] += len(left)
        self._read_edges(source)
        whole = len(self.failed) == failures
        self._generation.add_source(path, source_digest_ if whole else "")

    def _add(self, document: Document, source: Source, position: int, old: dict[str, str]) -> bool:
        """Chunk and add; an id that another source has already is told apart by its folder."""
        if self._generation.has_document(document.id):
            other = f"{source.path.parent.name}/{document.id}"
            if self._generation.has_document(other):
                self.failed.append(Failure(document.source, f"the id '{document.id}' is in the library already"))
                return False
            self.notes.append(f"{document.source}: the id '{document.id}' is taken, it is '{other}' here")
            document = replace(document, id=other)
        chunks = chunk(document, self._encoder, self._chunker)
        if not chunks:
            self.failed.append(Failure(document.source, "no text in it"))
            return False
        fingerprint = digest(document)
        known = old.get(document.id)
        self.counts["new" if known is None else "unchanged" if known == fingerprint else "changed"] += 1
        self._generation.add_document(document, chunks, fingerprint, str(source.path), position)
        return True

    def _read_edges(self, source: Source) -> None:
        given = 0

        def counted() -> Iterator[Edge]:
            nonlocal given
            for item in read_edges(source):
                if isinstance(item, Failure):
                    self.failed.append(item)
                else:
                    given += 1
                    yield item

        added = self._generation.add_edges(counted(), str(source.path))
        self._edges_changed |= bool(given)
        if given > added:
            self.notes.append(f"{given - added} repeated edges merged")
