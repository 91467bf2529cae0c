"""Every aligner learns; what was learned is scored by NumPy as by torch."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.agent.evaluation.aligners import gold_ranks, measure
from clew.memory.datatypes import Progress
from clew.memory.errors import ClewError, LibraryMismatch
from clew.memory.knowledge.aligners.scoring import (
    Loss,
    aligner_paths,
    read_aligner,
    write_aligner,
)
from clew.memory.knowledge.aligners.training import (
    LOSSES,
    MODELS,
    TrainingParameters,
    TrainingResult,
    binary,
    info_nce,
    read_queries,
    templates,
    train,
    write_queries,
)
from clew.memory.knowledge.nodes import Partitioning
from tests.memory.knowledge.aligners.tiny import (
    OF_NODE,
    graph,
    graph_of_partitions,
    partitioning,
    synthetic,
    training_set,
    words,
)

LOGITS = torch.tensor([[math.log(4), math.log(3), math.log(2), math.log(1)]])
QUICK = TrainingParameters(epochs=12, batch=32, rate=3e-3)


def trained(parameters: TrainingParameters) -> tuple[TrainingResult, list[Progress]]:
    events, seen = train(training_set(), graph_of_partitions(), parameters), []
    while True:
        try:
            seen.append(next(events))
        except StopIteration as end:
            return end.value, seen


def quick(model: str, loss: Loss = "infonce", **more: int) -> TrainingParameters:
    return TrainingParameters(model, loss, **{"epochs": 12, "batch": 32, **more}, rate=3e-3)


@pytest.fixture(scope="module")
def mlp() -> TrainingResult:
    return trained(quick("mlp"))[0]


FEW = {("mlp", "infonce"), ("gcn", "bce")}


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        pytest.param(model, loss, marks=() if (model, loss) in FEW else pytest.mark.soak)
        for model in MODELS
        for loss in LOSSES
    ],
)
def test_each_beats_chance_and_is_scored_by_numpy_as_by_torch(model: str, loss: Loss, tmp_path: Path) -> None:
    found, _ = trained(quick(model, loss))
    path = write_aligner(tmp_path, found.model.arrays(), found.record)
    learned = read_aligner(path, partitioning(), words())
    assert (learned.name, learned.record.learned, learned.record.validated) == (f"{model}-{loss}", 270, 30)
    _, held = training_set().parted(QUICK.seed)
    ranks = []
    for place in held:
        query, vector = training_set().queries[place], training_set().vectors[place]
        with torch.no_grad():
            said = torch.from_numpy(words().scores(query.text).copy())[None]
            wanted = found.model(torch.from_numpy(vector)[None], said)[0].numpy()
        assert learned.logits(query.text, vector) == pytest.approx(wanted, abs=2e-4)
        lessons_only = found.model(torch.from_numpy(vector)[None], torch.zeros_like(said))[0].detach().numpy()
        ranks.append(gold_ranks(lessons_only, query.partitions))
    untrained = np.stack([partitioning().centroids @ training_set().vectors[place] for place in held])
    before = [
        gold_ranks(row, training_set().queries[place].partitions) for row, place in zip(untrained, held, strict=True)
    ]
    assert measure(ranks)["p@1"] > max(0.5, 1.5 * measure(before)["p@1"])


def test_the_same_seed_gives_the_same_weights_and_leaves_other_random_numbers_alone(mlp: TrainingResult) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    again = trained(quick("mlp"))[0]
    assert torch.equal(torch.get_rng_state(), before)
    for one, other in zip(mlp.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(one, other)


def test_training_stops_early_and_keeps_the_best(mlp: TrainingResult) -> None:
    found, seen = trained(quick("mlp", epochs=500))
    assert found.record.epochs < 500
    assert found.record.epochs - found.record.epoch == QUICK.patience
    assert all(one.done < two.done for one, two in pairwise(seen))
    assert seen[-1].done == seen[-1].total
    assert found.record.validation <= mlp.record.validation


def test_one_for_other_partitions_is_refused_with_the_command(tmp_path: Path, mlp: TrainingResult) -> None:
    (tmp_path / "metis-12").mkdir()
    path = write_aligner(tmp_path / "metis-12", mlp.model.arrays(), mlp.record)
    p = partitioning()
    other = Partitioning(p.method, p.size, np.roll(OF_NODE, 1), p.names, p.centroids, p.hub_nodes)
    with pytest.raises(LibraryMismatch, match="mlp-infonce was trained for other partitions") as refused:
        read_aligner(path, other, words())
    assert refused.value.hint == "clew align train --model mlp --loss infonce --capsule metis-12"


@pytest.mark.parametrize("damage", [b"", b"no tensors"])
def test_a_broken_file_is_named(tmp_path: Path, mlp: TrainingResult, damage: bytes) -> None:
    path = write_aligner(tmp_path, mlp.model.arrays(), mlp.record)
    assert aligner_paths(tmp_path) == [path]
    path.write_bytes(damage)
    with pytest.raises(ClewError, match=r"mlp-infonce\.safetensors is damaged"):
        read_aligner(path, partitioning(), words())


def test_info_nce_counts_the_mass_of_all_positives() -> None:
    assert float(info_nce(LOGITS, torch.tensor([[1.0, 0, 1, 0]]))) == pytest.approx(-math.log(6 / 10))
    assert float(info_nce(LOGITS, torch.tensor([[1.0, 0, 0, 0]]))) == pytest.approx(-math.log(4 / 10))


def test_binary_sums_over_partitions() -> None:
    shares = [4 / 5, 3 / 4, 2 / 3, 1 / 2]
    wanted = -math.log(shares[0]) - math.log(1 - shares[1]) - math.log(shares[2]) - math.log(1 - shares[3])
    assert float(binary(LOGITS, torch.tensor([[1.0, 0, 1, 0]]))) == pytest.approx(wanted)


# Which nodes synthetic queries name.

BRIDGES = {frozenset((s, t)) for s, t in zip(graph().sources, graph().targets, strict=True) if OF_NODE[s] != OF_NODE[t]}


def test_half_are_within_and_half_across_a_real_bridge() -> None:
    for queries in synthetic(200):
        within = [query for query in queries if query.kind == "within"]
        across = [query for query in queries if query.kind == "across"]
        assert len(within) == len(across)
        assert all(len(query.nodes) == 1 for query in within)
        assert all(frozenset(query.nodes) in BRIDGES for query in across)
        for query in queries:
            assert query.partitions == tuple(sorted({int(OF_NODE[node]) for node in query.nodes}))


def test_training_and_held_out_queries_share_no_node_whatever_the_seed() -> None:
    held_out = [query for seed in (1, 2) for query in synthetic(300, seed).held_out]
    trained = [query for seed in (1, 2) for query in synthetic(300, seed).train]
    assert {query.kind for query in held_out} == {"within", "across"}
    assert not {node for query in trained for node in query.nodes} & {n for query in held_out for n in query.nodes}


# The texts of synthetic queries.


def test_a_bridge_is_asked_for_as_the_seed_does() -> None:
    assert "How does $title relate to $other?" in [template.template for template in templates("across")]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    queries = synthetic(20).train
    path = tmp_path / "queries" / "train.jsonl"
    write_queries(path, queries)
    assert read_queries(path) == queries
