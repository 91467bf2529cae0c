"""The capsule of an open library, and the aligners that score its partitions: on disk safetensors, with a record of the
training in the header.

    CAPSULE/aligners/words.safetensors           the words of the partitions, shared by all
    CAPSULE/aligners/mlp-infonce.safetensors     a trained aligner
    CAPSULE/queries/train.jsonl held-out.jsonl   the synthetic queries
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from clew.memory.datatypes import Float32s
from clew.memory.errors import BadInput, ClewError, LibraryMismatch, NotSetUp, library_flag
from clew.memory.files import check_plain, new_folder, within, write_durably
from clew.memory.knowledge.aligners.scoring import (
    Aligner,
    Centroid,
    PartitionWords,
    TrainedAligner,
    TrainingRecord,
    Words,
    words_of,
)
from clew.memory.knowledge.disk import naming_damage
from clew.memory.knowledge.library import Library, stored_chunks
from clew.memory.knowledge.partitioning.capsule import Capsule, capsule_folder, capsules, read_capsule
from clew.memory.knowledge.store import EmbeddedStore
from clew.memory.nodes import Partitioning
from clew.memory.vectors import Ragged, check_places

ALIGNERS, WORDS_FILE = "aligners", "words.safetensors"
HEADER = "clew"
WORD_ARRAYS = ("idf", "starts", "partitions", "values")


def fingerprint_of(partitioning: Partitioning) -> str:
    """SHA-256, in hex, over labels and centroids: the same partitions of the same vectors."""
    digest = hashlib.sha256(partitioning.of_node.astype("<i8").tobytes())
    digest.update(partitioning.centroids.astype("<f4").tobytes())
    return digest.hexdigest()


def write_aligner(capsule: Path, arrays: Mapping[str, Float32s], record: TrainingRecord) -> Path:
    """`arrays` are those of `TwoTowers.arrays`."""
    return _write(capsule, f"{record.model}-{record.loss}.safetensors", arrays, record.model_dump_json())


def read_aligner(path: Path, partitioning: Partitioning, words: PartitionWords) -> TrainedAligner:
    """Raises `LibraryMismatch` where it was trained for other partitions, `ClewError` where the file is damaged."""
    arrays, header = _read(path)
    try:
        record = TrainingRecord.model_validate_json(header)
        if record.partitioning != fingerprint_of(partitioning):
            name = path.parent.parent.name
            raise LibraryMismatch(
                f"the aligner {path.stem} was trained for other partitions than those of {name}",
                f"clew align train --model {record.model} --loss {record.loss} --capsule {name}",
            )
        count = sum(name.endswith(".weights") for name in arrays)
        layers = tuple((arrays[f"query.{place}.weights"], arrays[f"query.{place}.biases"]) for place in range(count))
        if not count or arrays["partitions"].shape != (record.partitions, record.dimension):
            raise ValueError("the arrays do not fit the header")
        growth, temperature, bias = (float(arrays[name][0]) for name in ("growth", "temperature", "bias"))
        return TrainedAligner(record, layers, growth, arrays["partitions"], arrays["mix"], temperature, bias, words)
    except (ValidationError, LookupError, ValueError) as error:
        raise _damaged(path) from error


def aligner_paths(capsule: Path) -> list[Path]:
    """Of all that are saved, by name. Raises `ClewError` for a link."""
    folder = within(capsule, ALIGNERS)
    if folder.exists():
        check_plain(folder)
    return sorted(folder.glob("*-*.safetensors"))


def write_words(capsule: Path, words: PartitionWords, partitioning: Partitioning) -> Path:
    arrays = {name: getattr(words, name) for name in WORD_ARRAYS}
    header = {"partitioning": fingerprint_of(partitioning), "count": words.count, "stems": words.stems}
    return _write(capsule, WORDS_FILE, arrays, json.dumps(header, ensure_ascii=False))


def read_words(capsule: Path, partitioning: Partitioning) -> PartitionWords | None:
    """None where there are none, or those of other partitions."""
    path = within(capsule, ALIGNERS, WORDS_FILE)
    if not path.exists():
        return None
    arrays, header = _read(path)
    try:
        saved = json.loads(header)
        if saved["partitioning"] != fingerprint_of(partitioning):
            return None
        words = PartitionWords(saved["count"], tuple(saved["stems"]), *(arrays[name] for name in WORD_ARRAYS))
        Ragged(words.starts, words.partitions.astype(np.int64)).check(len(words.stems))
        check_places(partitioning.count, words.partitions.astype(np.int64))
        if words.count != partitioning.count or not len(words.idf) == len(words.stems):
            raise ValueError("the words are not of its partitions")
        return words
    except (LookupError, ValueError, TypeError) as error:
        raise _damaged(path) from error


def _write(capsule: Path, name: str, arrays: Mapping[str, NDArray[Any]], header: str) -> Path:
    from safetensors.numpy import save

    folder = within(capsule, ALIGNERS)
    if not folder.exists():
        new_folder(capsule, ALIGNERS)
    content = save({name: np.ascontiguousarray(value) for name, value in arrays.items()}, {HEADER: header})
    write_durably(folder, name, content)
    return folder / name


def _read(path: Path) -> tuple[dict[str, Any], str]:
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise BadInput(f"there is no aligner {path.stem} in {path.parent.parent.name}", "clew align train")
    try:
        with safe_open(path, framework="np") as opened:
            return {name: opened.get_tensor(name) for name in opened.keys()}, opened.metadata()[HEADER]  # noqa: SIM118
    except (SafetensorError, OSError, LookupError, TypeError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> ClewError:
    return ClewError(f"{path} is damaged", f"delete {path}, and run: clew align train")


VOTES, CENTROID, WORDS = "votes", "centroid", "words"


class OpenCapsule:
    """A capsule of an open library, with its words and the texts of its nodes, read when they are needed."""

    def __init__(self, library: Library, name: str = "") -> None:
        """The one in use where no name is given. Raises `BadInput` for one that the library does not have, `NotSetUp`
        where it has none."""
        generation = _generation(library)
        known = capsules_of(library)
        if name and name not in known:
            raise BadInput(f"there is no capsule '{name}'", f"--capsule {'|'.join(known)}")
        self._store = library.store
        self.name = name or known[-1]
        self.folder = capsule_folder(generation, self.name)
        with naming_damage(generation):
            self.capsule: Capsule = read_capsule(generation, self.name)
        self.graph = library.store.part().nodes
        self.partitioning = self.capsule.partitioning

    @cached_property
    def titles_and_texts(self) -> list[tuple[str, str]]:
        """Of all nodes, in order."""
        return [(chunk.title, chunk.text) for chunk in stored_chunks(self._store)]

    @cached_property
    def words(self) -> PartitionWords:
        """Those that are saved, else made, and saved where the library can be written to."""
        if saved := read_words(self.folder, self.partitioning):
            return saved
        made = words_of(self.titles_and_texts, self.partitioning.of_node, self.partitioning.count)
        with suppress(OSError):
            write_words(self.folder, made, self.partitioning)
        return made

    def aligner_names(self) -> list[str]:
        """Those that need no training, then all that are saved."""
        return [CENTROID, WORDS, *(path.stem for path in aligner_paths(self.folder))]

    def aligner(self, name: str) -> Aligner:
        """One of `aligner_names`; no other is read. Raises `LibraryMismatch` for one of other partitions."""
        if name == CENTROID:
            return Centroid(self.partitioning)
        if name == WORDS:
            return Words(self.words)
        path = next(path for path in aligner_paths(self.folder) if path.stem == name)
        return read_aligner(path, self.partitioning, self.words)


def capsules_of(library: Library) -> list[str]:
    """The names of all that it has, the one in use last. Raises `NotSetUp` where it has none."""
    generation = _generation(library)
    with naming_damage(generation):
        if found := capsules(generation):
            return found
    raise NotSetUp(f"the library at {library.path} has no partitions", f"clew partition {library_flag(library.path)}")


def _generation(library: Library) -> Path:
    """Raises `NotSetUp` for a library on a cluster, whose copy is read instead."""
    if isinstance(library.store, EmbeddedStore):
        return library.store.folder
    raise NotSetUp(
        f"the partitions of {library.path} are read where they are files", f"clew copy {library.path} FOLDER"
    )


def aligner_for(library: Library, name: str) -> Aligner | None:
    """For the capsule in use; None for votes, which the walk counts itself. Raises `BadInput` for an unknown name."""
    if name == VOTES:
        return None
    opened = OpenCapsule(library)
    known = opened.aligner_names()
    if name not in known:
        raise BadInput(
            f"there is no aligner '{name}' for the partitions {opened.name}",
            f"one of {', '.join([VOTES, *known])}; clew align train makes more",
        )
    return opened.aligner(name)
