"""Aligners beside their partitions: safetensors, with what they were trained on in the header.

CAPSULE/aligners/words.safetensors           the words of the partitions, shared by all
CAPSULE/aligners/mlp-infonce.safetensors     a trained aligner
CAPSULE/queries/train.jsonl held-out.jsonl   the synthetic queries
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from clew.memory.errors import BadInput, ClewError, LibraryMismatch
from clew.memory.knowledge.aligning.losses import Loss
from clew.memory.knowledge.aligning.scoring import Learned
from clew.memory.knowledge.aligning.words import PartitionWords
from clew.memory.knowledge.disk import sync
from clew.memory.nodes import Partitioning

if TYPE_CHECKING:
    from clew.memory.knowledge.aligning.models import Aligner

FOLDER, WORDS = "aligners", "words.safetensors"
HEADER = "clew"


class TrainingRecord(BaseModel):
    """What an aligner is and was trained on. `partitioning` is the fingerprint of its partitions; it learned from
    `learned` queries; `validation` is the loss on `validated` others at `epoch`, the best of `epochs`."""

    model_config = ConfigDict(frozen=True)

    model: str
    loss: Loss
    seed: int
    epoch: int
    epochs: int
    learned: int
    validated: int
    validation: float
    temperature: float
    partitions: int
    dimension: int
    partitioning: str
    encoder: str
    trained_on: str = "synthetic queries"


def fingerprint_of(partitioning: Partitioning) -> str:
    """SHA-256, in hex, over labels and centroids: the same partitions of the same vectors."""
    digest = hashlib.sha256(partitioning.of_node.astype("<i8").tobytes())
    digest.update(partitioning.centroids.astype("<f4").tobytes())
    return digest.hexdigest()


def write_aligner(capsule: Path, aligner: "Aligner", record: TrainingRecord) -> Path:
    import torch
    from torch import nn

    linear = [layer for layer in aligner.query.children() if isinstance(layer, nn.Linear)]
    with torch.no_grad():
        arrays = {"partitions": aligner.partitions(), "mix": aligner.mix, "growth": aligner.growths[:1]}
        arrays |= {"bias": aligner.bias.reshape(1), "temperature": aligner.temperature.reshape(1)}
        for place, layer in enumerate(linear):
            arrays |= {f"query.{place}.weights": layer.weight, f"query.{place}.biases": layer.bias}
        values = {name: value.detach().numpy() for name, value in arrays.items()}
    return _write(capsule / FOLDER / f"{record.model}-{record.loss}.safetensors", values, record.model_dump_json())


def read_aligner(path: Path, partitioning: Partitioning, words: PartitionWords) -> tuple[Learned, TrainingRecord]:
    """Raises `LibraryMismatch` where it was trained for other partitions, `ClewError` where the file is damaged."""
    arrays, header = _read(path)
    try:
        record = TrainingRecord.model_validate_json(header)
        check_partitions(path, record, partitioning)
        return _learned(arrays, record, words), record
    except (ValidationError, LookupError, ValueError) as error:
        raise _damaged(path) from error


def check_partitions(path: Path, record: TrainingRecord, partitioning: Partitioning) -> None:
    if record.partitioning != fingerprint_of(partitioning):
        raise LibraryMismatch(
            f"the aligner {path.stem} was trained for other partitions than those of {path.parent.parent.name}",
            f"clew align train --model {record.model} --loss {record.loss} --capsule {path.parent.parent.name}",
        )


def aligner_paths(capsule: Path) -> list[Path]:
    """Of all that are saved, by name."""
    return sorted(path for path in (capsule / FOLDER).glob("*-*.safetensors"))


def write_words(capsule: Path, words: PartitionWords, partitioning: Partitioning) -> Path:
    arrays: Mapping[str, NDArray[Any]] = {
        "idf": words.idf,
        "starts": words.starts,
        "partitions": words.partitions,
        "values": words.values,
    }
    said = {"partitioning": fingerprint_of(partitioning), "count": words.count, "stems": words.stems}
    return _write(capsule / FOLDER / WORDS, arrays, json.dumps(said, ensure_ascii=False))


def read_words(capsule: Path, partitioning: Partitioning) -> PartitionWords | None:
    """None where there are none, or those of other partitions: they are made again in seconds."""
    path = capsule / FOLDER / WORDS
    if not path.exists():
        return None
    arrays, header = _read(path)
    try:
        said = json.loads(header)
        if said["partitioning"] != fingerprint_of(partitioning):
            return None
        values = (arrays[name] for name in ("idf", "starts", "partitions", "values"))
        return PartitionWords(said["count"], tuple(said["stems"]), *values)
    except (LookupError, ValueError, TypeError) as error:
        raise _damaged(path) from error


def _learned(arrays: Mapping[str, Any], record: TrainingRecord, words: PartitionWords) -> Learned:
    count = sum(name.endswith(".weights") for name in arrays)
    layers = tuple((arrays[f"query.{place}.weights"], arrays[f"query.{place}.biases"]) for place in range(count))
    if not count or arrays["partitions"].shape != (record.partitions, record.dimension):
        raise ValueError("the arrays are not those that the header tells of")
    growth, temperature, bias = (float(arrays[name][0]) for name in ("growth", "temperature", "bias"))
    return Learned(
        record.model, record.loss, layers, growth, arrays["partitions"], arrays["mix"], temperature, bias, words
    )


def _write(path: Path, arrays: Mapping[str, NDArray[Any]], header: str) -> Path:
    """In one step: a reader finds the old file or the new one."""
    from safetensors.numpy import save_file

    path.parent.mkdir(exist_ok=True)
    fresh = path.with_suffix(".new")
    save_file({name: np.ascontiguousarray(value) for name, value in arrays.items()}, fresh, {HEADER: header})
    sync(fresh)
    fresh.replace(path)
    return path


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
