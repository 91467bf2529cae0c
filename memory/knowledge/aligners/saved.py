"""Aligners on disk, beside their partitions: safetensors, with a record of the training in the header.

CAPSULE/aligners/words.safetensors           the words of the partitions, shared by all
CAPSULE/aligners/mlp-infonce.safetensors     a trained aligner
CAPSULE/queries/train.jsonl held-out.jsonl   the synthetic queries
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from clew.memory.datatypes import Float32s
from clew.memory.errors import BadInput, ClewError, LibraryMismatch
from clew.memory.files import new_file, new_folder, put, sync, within
from clew.memory.knowledge.aligners.partition_words import PartitionWords
from clew.memory.knowledge.aligners.scoring import TrainedAligner, TrainingRecord
from clew.memory.nodes import Partitioning

FOLDER, WORDS = "aligners", "words.safetensors"
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
    """Of all that are saved, by name."""
    return sorted((capsule / FOLDER).glob("*-*.safetensors"))


def write_words(capsule: Path, words: PartitionWords, partitioning: Partitioning) -> Path:
    arrays = {name: getattr(words, name) for name in WORD_ARRAYS}
    header = {"partitioning": fingerprint_of(partitioning), "count": words.count, "stems": words.stems}
    return _write(capsule, WORDS, arrays, json.dumps(header, ensure_ascii=False))


def read_words(capsule: Path, partitioning: Partitioning) -> PartitionWords | None:
    """None where there are none, or those of other partitions."""
    path = within(capsule, FOLDER, WORDS)
    if not path.exists():
        return None
    arrays, header = _read(path)
    try:
        saved = json.loads(header)
        if saved["partitioning"] != fingerprint_of(partitioning):
            return None
        return PartitionWords(saved["count"], tuple(saved["stems"]), *(arrays[name] for name in WORD_ARRAYS))
    except (LookupError, ValueError, TypeError) as error:
        raise _damaged(path) from error


def _write(capsule: Path, name: str, arrays: Mapping[str, NDArray[Any]], header: str) -> Path:
    """In one step: a reader finds the old file or the new one."""
    from safetensors.numpy import save

    folder = within(capsule, FOLDER)
    if not folder.exists():
        new_folder(capsule, FOLDER)
    content = save({name: np.ascontiguousarray(value) for name, value in arrays.items()}, {HEADER: header})
    fresh = new_file(folder, f"{name}.new")
    fresh.write_bytes(content)
    sync(fresh)
    put(folder, fresh.name, name)
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
