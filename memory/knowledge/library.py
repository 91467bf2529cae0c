"""A library on disk: generations side by side, one of them current, each with its manifest.

    DIR/clew-library.json        the format, and which generation is current; replaced in one step
    DIR/0000000003/              a generation: what `PARTS` names; never changed
    DIR/lock                     held while a generation is made

A reader keeps its generation; a writer makes the next beside it and switches. So a crash leaves the library as it was.
"""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from clew.memory.communities import Method
from clew.memory.errors import BadInput, ClewError, LibraryMismatch, NoLibrary
from clew.memory.knowledge.chunkers import Chunker
from clew.memory.knowledge.damage import damaged, naming_damage, rebuild_command
from clew.memory.knowledge.durable import sync, sync_all
from clew.memory.knowledge.keywords import KeywordParameters
from clew.memory.knowledge.layering import Triples
from clew.memory.knowledge.loaders.source import ALL, Pages
from clew.memory.knowledge.store import EmbeddedStore
from clew.memory.ports import Encoder

Value = TypeVar("Value")

FORMAT = 4
POINTER = "clew-library.json"
MANIFEST = "manifest.json"
NUMBER = "[0-9]" * 10
PARTS = {
    *("library.sqlite", "library.sqlite-journal", "keywords", "layers.npz", MANIFEST),
    *("vectors.npy", "sentences.npy", "names.npy", "communities.npy"),
    *("nodes.npz", "titles.npz", "smoothed.npy", "capsules"),
}
"""What may be in a generation: a folder with anything else is not ours to remove, whatever its name."""


class EncoderRecord(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    hash: str
    dimension: int


class Manifest(BaseModel):
    """What a generation was built from and with; `reports` is who wrote all reports of communities, `extraction` where
    nobody did. `fingerprint` is SHA-256 over the format, the encoder, the parameters,
    the documents' digests (triples are in them) and the edges, so that it is the same wherever the documents lie."""

    model_config = ConfigDict(frozen=True)

    format: int
    encoder: EncoderRecord
    chunker: Chunker
    keywords: KeywordParameters
    triples: Triples
    extractor: str
    communities: Method
    pages: Pages = ALL
    reports: str
    roots: tuple[str, ...]
    documents: int
    chunks: int
    edges: int
    fingerprint: str
    created: str


@dataclass(frozen=True, slots=True)
class Library:
    """A library opened for reading, as it was when it was opened. Leaving it closes its store."""

    path: Path
    manifest: Manifest
    store: EmbeddedStore

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()


def open_library(path: Path, encoder: Encoder | None) -> Library:
    """Open the current generation; with `encoder`, only if it was made by that one.

    Raises `NoLibrary`, `LibraryMismatch`, or `ClewError` where the folder is damaged.
    """
    while generation := current_generation(path):
        try:
            manifest = read_manifest(generation)
            check_encoder(path, manifest, encoder)
            return Library(path, manifest, EmbeddedStore(generation, manifest.keywords))
        except ClewError:
            if current_generation(path) == generation:
                raise
            # It was replaced between reading its name and opening it.
    raise _no_library(path)


def current_generation(path: Path) -> Path | None:
    """The folder of the current generation; None where there is no library. Raises `LibraryMismatch` for a format
    that this version does not read."""
    try:
        pointer = json.loads((path / POINTER).read_text("utf-8"))
        format_, name = int(pointer["format"]), str(pointer["generation"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise damaged(path) from error
    if format_ != FORMAT:
        raise LibraryMismatch(
            f"the library at {path} has format {format_}, this version of clew reads format {FORMAT}",
            rebuild_command(path),
        )
    return path / name


def required_generation(path: Path) -> Path:
    """As `current_generation`. Raises `NoLibrary` where there is none."""
    if generation := current_generation(path):
        return generation
    raise _no_library(path)


def _no_library(path: Path) -> NoLibrary:
    return NoLibrary(f"there is no library at {path}", f"clew index YOUR-FOLDER --library {path}")


def read_manifest(generation: Path) -> Manifest:
    with naming_damage(generation):  # pydantic's errors are ValueErrors
        return Manifest.model_validate_json((generation / MANIFEST).read_text("utf-8"))


def check_encoder(path: Path, manifest: Manifest, encoder: Encoder | None) -> None:
    if encoder is not None and encoder.hash != manifest.encoder.hash:
        raise LibraryMismatch(
            f"the library at {path} was made with the encoder {manifest.encoder.name}"
            f" ({manifest.encoder.hash[:8]}), not with {encoder.name} ({encoder.hash[:8]})",
            f"clew index --rebuild --library {path} --encoder {encoder.name}",
        )


def recorded_roots(path: Path) -> list[Path]:
    """The paths that the library was made from, of whatever format it is: what a rebuild reads again."""
    try:
        return [Path(root) for root in _recorded(path)["roots"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoLibrary(
            f"{path} does not say what it was made from", f"clew index YOUR-FOLDER --rebuild --library {path}"
        ) from error


def recorded_encoder(path: Path) -> str:
    """The name of the encoder that the library, of whatever format, was made with; empty where it does not say."""
    try:
        return str(_recorded(path)["encoder"]["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def recorded_chunker(path: Path) -> Chunker | None:
    """What the library, of whatever format, was chunked with; None where it does not say. So are those below."""
    return _said(path, "chunker", TypeAdapter[Chunker](Chunker))


def recorded_triples(path: Path) -> Triples | None:
    """What it knows of entities. (Format 2 said `given` where nobody had said anything.)"""
    said = _said(path, "triples", TypeAdapter[Triples](Triples))
    return None if said == "given" and (_said(path, "format", TypeAdapter[int](int)) or 0) < 3 else said


def recorded_extractor(path: Path) -> str | None:
    return _said(path, "extractor", TypeAdapter[str](str))


def recorded_method(path: Path) -> Method | None:
    """By what it found its communities."""
    return _said(path, "communities", TypeAdapter[Method](Method))


def recorded_pages(path: Path) -> Pages | None:
    """Which pages of Wikipedia dumps it was made from."""
    return _said(path, "pages", TypeAdapter[Pages](Pages))


def recorded_author(path: Path) -> str:
    """Who wrote its reports; empty where it does not say."""
    return _said(path, "reports", TypeAdapter[str](str)) or ""


def next_generation(path: Path) -> Path:
    """An empty folder for the generation after all that there are; what unfinished ones left is cleared away."""
    numbers = [int(entry.name) for entry in path.glob(NUMBER)]
    current = _current_name(path)
    remove_generations(path, keep=[current] if current else [])
    folder = path / f"{max(numbers, default=0) + 1:010}"
    folder.mkdir(parents=True)
    return folder


def switch_to(path: Path, generation: Path) -> None:
    """Make `generation` the current one: durably on disk before it is named, named in one step."""
    sync_all(generation)
    fresh = path / f"{POINTER}.new"
    fresh.write_text(json.dumps({"format": FORMAT, "generation": generation.name}) + "\n", "utf-8")
    sync(fresh)
    fresh.replace(path / POINTER)
    sync(path)
    remove_generations(path, keep=[generation.name])


def remove_generations(path: Path, keep: Sequence[str]) -> None:
    for folder in _generations(path):
        if folder.name not in keep:
            shutil.rmtree(folder, ignore_errors=True)


def _generations(path: Path) -> list[Path]:
    """Whole ones and what unfinished ones left."""
    folders = [folder for folder in path.glob(NUMBER) if folder.is_dir()]
    return [folder for folder in folders if PARTS.issuperset(entry.name for entry in folder.iterdir())]


def _said(path: Path, name: str, kind: TypeAdapter[Value]) -> Value | None:
    """None where the manifest does not say, or not what it may."""
    try:
        return kind.validate_python(_recorded(path)[name])
    except (OSError, ValueError, KeyError, TypeError, BadInput):
        return None


def _recorded(path: Path) -> Any:
    """The manifest of the current generation as it is written, of whatever format and shape."""
    name = json.loads((path / POINTER).read_text("utf-8"))["generation"]
    return json.loads((path / name / MANIFEST).read_text("utf-8"))


def _current_name(path: Path) -> str:
    try:
        return str(json.loads((path / POINTER).read_text("utf-8"))["generation"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
