"""Small libraries for the tests of tools."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.generation import Parameters
from clew.memory.knowledge.library import Library, open_library
from tests.memory.knowledge.index.test_run import run


def made(
    folder: Path,
    encoder: CachedEncoder,
    texts: Mapping[str, str],
    triples: Sequence[Sequence[str]] = (),
    parameters: Parameters | None = None,
) -> Library:
    """A library in a new folder, of texts by id and of triples in a file of their own. An id that begins with a capital
    is the title of its text too."""
    folder.mkdir()
    rows = [{"_id": name, "title": name if name[0].isupper() else "", "text": text} for name, text in texts.items()]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "triples.json").write_text(json.dumps(triples), "utf-8")
    paths = [folder / name for name, some in (("corpus.jsonl", texts), ("triples.json", triples)) if some]
    assert not run(paths, folder / "library", encoder, parameters=parameters or Parameters()).failed
    return open_library(folder / "library", encoder)
