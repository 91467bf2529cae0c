"""The Tree-LSTM: the equations, batches, what it learns, and searches by it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.memory.datatypes import Progress
from clew.memory.encoding import CachedEncoder
from clew.memory.errors import ClewError, NotSetUp
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.question import MatchParameters
from clew.memory.knowledge.structure import FILE, open_structure
from clew.memory.language.esperanto import Esperanto
from clew.memory.language.structure_training import StructurePlan, train_library, train_structure
from clew.memory.language.tree_lstm import TreeLSTM, TreeLSTMSizes, numbered, seeded
from clew.tools.base import ToolSettings, encode_query
from clew.tools.hybrid import HybridParameters, make

READER = Esperanto()
SMALL = TreeLSTMSizes(buckets=512, embedding=16, hidden=16, output=24)
SENTENCES = [
    "La hundo vidas la grandan katon.", "Petro legas libron en la ĝardeno.", "La reĝo venis al la urbo.",
    "La bela birdo kantas sur la arbo.", "Mia patro konstruis novan domon.", "La infanoj ludis apud la rivero.",
    "La maljuna viro perdis sian monon.", "En la vintro la suno brilas malforte.",
]  # fmt: skip


def by_hand(network: TreeLSTM, sentence: str) -> np.ndarray:
    """One tree, word by word, as the equations say."""
    tree = numbered(READER.read(sentence))
    size = network.sizes.hidden
    states: list[torch.Tensor] = []
    cells: list[torch.Tensor] = []
    for place, features in enumerate(tree.features):
        x = network.of_word(sum(network.embedding.weight[one % network.sizes.buckets] for one in features))
        below = [child for child, head in enumerate(tree.heads) if head == place]
        summed = sum((states[child] for child in below), torch.zeros(size))
        i, o, u = (x[: 3 * size] + network.of_children(summed)).chunk(3)
        cell = torch.sigmoid(i) * torch.tanh(u)
        for child in below:
            cell = cell + torch.sigmoid(x[3 * size :] + network.of_child(states[child])) * cells[child]
        cells.append(cell)
        states.append(torch.sigmoid(o) * torch.tanh(cell))
    out = network.out(torch.cat((states[-1], torch.stack(states).mean(0))))
    return np.asarray((out / out.norm()).detach())


def test_a_batch_gives_what_the_equations_give_for_each_tree_alone() -> None:
    network = seeded(SMALL, 3)
    vectors = network.encode([numbered(READER.read(one)) for one in SENTENCES], size=3)
    assert np.allclose(vectors, [by_hand(network, one) for one in SENTENCES], atol=1e-5)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_sizes_are_the_seeds_and_no_root_is_unknown() -> None:
    assert (TreeLSTMSizes().hidden, TreeLSTMSizes().output) == (256, 512)
    network = seeded(SMALL, 3)
    one, other = network.encode([numbered(READER.read(f"La {word} dormas.")) for word in ("gnapo", "brinko")])
    assert one @ other < 0.9999


def trained(plan: StructurePlan) -> TreeLSTM:
    trees = [READER.read(one) for one in SENTENCES]
    *seen, network = train_structure(trees, READER, plan)
    assert all(isinstance(one, Progress) for one in seen) and isinstance(network, TreeLSTM)
    return network


def test_it_learns_to_find_the_sentence_of_a_question_and_is_the_same_for_a_seed() -> None:
    plan = StructurePlan(epochs=40, batch=8, sizes=SMALL)
    network = trained(plan)
    asked = network.encode([numbered(READER.read(one)) for one in ("Kion legas Petro?", "Kiu konstruis domon?")])
    held = network.encode([numbered(READER.read(one)) for one in SENTENCES])
    assert (asked @ held.T).argmax(axis=1).tolist() == [1, 4]
    short = replace(plan, epochs=2)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(trained(short).arrays().values(), trained(short).arrays().values(), strict=True)
    )


MITRANDIRO = [
    "La griza vojaĝanto, kiun la homoj nomas Mitrandiro, venis al la urbo.", "Mitrandiro estas saĝa kaj maljuna.",
    "La infanoj amis Mitrandiron pro liaj fajraĵoj.", "Neniu scias, de kie Mitrandiro venas.",
    "La reĝo petis Mitrandiron, ke li helpu la urbon.", "Frodo loĝas en malgranda domo.",
    "La domo de lia mastro brulis en la nokto.", "Kiu estas la amiko de la reĝo?",
]  # fmt: skip


@pytest.fixture
def library(tmp_path: Path, encoder: CachedEncoder) -> Path:
    (tmp_path / "documents").mkdir()
    for number, sentence in enumerate(MITRANDIRO):
        (tmp_path / "documents" / f"{number}.txt").write_text(sentence + "\n", "utf-8")
    list(index([tmp_path / "documents"], tmp_path / "library", encoder))
    return tmp_path / "library"


def test_who_is_mitrandiro(library: Path, encoder: CachedEncoder) -> None:
    """As in seed 002: all five results name him, keywords first and trees second."""
    with pytest.raises(NotSetUp, match="clew train-structure"):
        open_structure(library)
    with open_library(library, encoder) as opened:
        *_, path = train_library(opened, StructurePlan(epochs=2, sizes=SMALL))
        assert path == library / FILE
        chosen = MatchParameters(nearest=0, cosine=1, keyword=0, title=0, stage2="structure")
        given = ToolSettings(structure=lambda: open_structure(library), parameters=(HybridParameters(chosen),))
        found = make(opened.store, given).search(encode_query("Kiu estas Mitrandiro?", [], encoder), 5).passages
        assert len(found) == 5 and all("Mitrandiro" in passage.text for passage in found)
        structure = open_structure(library)
        text = next(iter(opened.store.chunks([found[0].id]))).text
        assert np.allclose(
            structure.chunk(text), structure.encoded([READER.read(text)]), atol=0.02
        )  # kept, and read anew
        assert structure.chunk("Nova frazo estas tie ĉi.").shape == (1, SMALL.output)


def test_a_library_has_roots_of_its_own(tmp_path: Path, encoder: CachedEncoder) -> None:
    own = ["Mia amiko blogas en la urbo.", "La blogo de la amiko estas bona.", "Tiu blogisto havas malbonan blogejon."]
    (tmp_path / "own.md").write_text("\n\n".join(own), "utf-8")
    list(index([tmp_path / "own.md"], tmp_path / "library", encoder))
    with open_library(tmp_path / "library", encoder) as opened:
        list(train_library(opened, StructurePlan(epochs=1, sizes=SMALL)))
    read = open_structure(tmp_path / "library").reader.read("Kie oni blogadas?").words[2]
    assert (read.root, read.suffixes, read.known) == ("blog", ("ad",), True)
    assert READER.read("Kie oni blogadas?").words[2].root != "blog"


def test_a_damaged_file_is_said(library: Path, encoder: CachedEncoder) -> None:
    (library / FILE).write_bytes(b"no tensors")
    with pytest.raises(ClewError, match="damaged"):
        open_structure(library)
