"""`clew index --extractor spacy:PIPELINE` with a whole pipeline on disk: blank but for rules of its own."""

from pathlib import Path

import pytest

from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import open_library
from tests.ui.conftest import Run

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (pip install spacy)")

TEXT = "Metropolis was directed by Fritz Lang. The gizmo of Doctor Rotwang came first.\n"
PATTERNS = [
    {"label": "WORK_OF_ART", "pattern": "Metropolis"},
    {"label": "PERSON", "pattern": "Fritz Lang"},
    {"label": "PRODUCT", "pattern": "gizmo"},
    {"label": "ORDINAL", "pattern": "first"},
]
"""`gizmo` is no entity by the rules, `Doctor Rotwang` is one by the rules alone; ordinals are no entities."""


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    made = spacy.blank("en")
    made.add_pipe("entity_ruler").add_patterns(PATTERNS)
    made.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "film.txt").write_text(TEXT)
    return tmp_path / "documents"


def named(library: Path, encoder: CachedEncoder) -> tuple[str, dict[str, str], set[tuple[str, str, str]]]:
    """The recorded extractor, the entities with their kinds, the relations."""
    with open_library(library, encoder) as opened:
        layers = opened.store.part().layers
        relations = {(one.subject, one.relation, one.object) for one in opened.store.triples()}
        return opened.manifest.extractor, {one.name: one.kind for one in layers.entities}, relations


def test_the_pipelines_entities_are_in_the_library(
    clew: Run, documents: Path, pipeline: Path, encoder: CachedEncoder
) -> None:
    done = clew("index", documents, "--library", "lib", "--extractor", f"spacy:{pipeline}")
    assert (done.exit_code, done.stdout) == (0, "1 new, 0 changed, 0 removed, 0 unchanged, 0 failed\n"), done.stderr
    extractor, entities, relations = named(Path("lib"), encoder)
    assert extractor == f"spacy:{pipeline}"
    assert {"Metropolis": "work", "Fritz Lang": "person", "gizmo": "name"}.items() <= entities.items()
    assert not {"first", "Doctor Rotwang"} & set(entities)
    assert ("Fritz Lang", "directed", "Metropolis") in relations


def test_it_is_remembered_and_can_be_left_again(
    clew: Run, documents: Path, pipeline: Path, encoder: CachedEncoder
) -> None:
    clew("index", documents, "--library", "lib", "--extractor", f"spacy:{pipeline}")
    (documents / "more.txt").write_text("Another gizmo.\n")
    unnamed = clew("index", documents, "--library", "lib")
    assert unnamed.exit_code == 3 and "--extractor" in unnamed.stderr  # its code would run: the person names it again
    done = clew("index", documents, "--library", "lib", "--extractor", f"spacy:{pipeline}")
    assert done.stdout.startswith("1 new, 0 changed, 0 removed, 1 unchanged")
    assert "gizmo" in named(Path("lib"), encoder)[1]
    by_rules = clew("index", documents, "--library", "lib", "--extractor", "rules")
    assert "entities are told anew, with --triples auto and the extractor 'rules'" in by_rules.stderr
    assert "gizmo" not in named(Path("lib"), encoder)[1]


def test_a_pipeline_that_is_not_there_is_not_set_up(clew: Run, documents: Path, tmp_path: Path) -> None:
    done = clew("index", documents, "--library", "lib", "--extractor", f"spacy:{tmp_path / 'nowhere'}")
    assert done.exit_code == 3 and "spaCy has no pipeline" in done.stderr
