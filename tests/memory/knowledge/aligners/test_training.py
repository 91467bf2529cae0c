"""Every aligner learns; what was learned is scored by NumPy as by torch."""

import math
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch

from clew.agent.aligner_evaluation import gold_ranks, measure
from clew.memory.datatypes import Float32s, Ints, Progress
from clew.memory.errors import BadInput, ClewError, LibraryMismatch
from clew.memory.knowledge.aligners.open_capsule import (
    aligner_paths,
    read_aligner,
    read_words,
    write_aligner,
    write_words,
)
from clew.memory.knowledge.aligners.scoring import Loss
from clew.memory.knowledge.aligners.training import (
    LOSSES,
    MODELS,
    TEMPERATURE,
    TEMPERATURES,
    TrainingParameters,
    TrainingResult,
    TrainingSet,
    binary,
    info_nce,
    train,
)
from clew.memory.nodes import Partitioning
from tests.memory.knowledge.aligners.tiny import (
    OF_NODE,
    TITLES,
    found_for,
    graph_of_partitions,
    partitioning,
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


def test_the_temperature_begins_at_its_value_and_moves(mlp: TrainingResult) -> None:
    fresh = MODELS["mlp"](graph_of_partitions())
    assert float(fresh.temperature.detach()) == pytest.approx(TEMPERATURE)
    moved = float(mlp.model.temperature.detach())
    assert moved != pytest.approx(TEMPERATURE, rel=1e-3)
    assert TEMPERATURES[0] <= moved <= TEMPERATURES[1]


def test_cosines_are_divided_by_the_temperature_once() -> None:
    """A centroid asked for by itself, before training, towers off: cosine 1 becomes 1 / 0.07, about 14.3."""
    aligner = MODELS["mlp"](graph_of_partitions()).eval()
    with torch.no_grad():
        aligner.growths.zero_()
        aligner.bias.zero_()
        vectors = torch.from_numpy(partitioning().centroids)
        logits = aligner(vectors, torch.zeros(len(vectors), 3, len(vectors)))
    assert logits.diagonal().tolist() == pytest.approx([1 / 0.07] * len(vectors), rel=1e-4)


def test_the_temperature_cannot_leave_its_bounds() -> None:
    aligner = MODELS["mlp"](graph_of_partitions())
    with torch.no_grad():
        aligner.log_temperature.fill_(math.log(1e-6))
    assert float(aligner.temperature.detach()) == pytest.approx(TEMPERATURES[0])


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


def test_one_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no aligner gcn-bce"):
        read_aligner(tmp_path / "aligners" / "gcn-bce.safetensors", partitioning(), words())


def test_words_are_saved_and_those_of_other_partitions_not_taken(tmp_path: Path) -> None:
    write_words(tmp_path, words(), partitioning())
    read = read_words(tmp_path, partitioning())
    assert read is not None
    assert np.array_equal(read.scores(TITLES[5]), words().scores(TITLES[5]))
    p = partitioning()
    other = Partitioning(p.method, p.size, np.roll(OF_NODE, 1), p.names, p.centroids, p.hub_nodes)
    assert read_words(tmp_path, other) is None
    assert read_words(tmp_path / "nowhere", p) is None


def test_learned_scores_are_probabilities(tmp_path: Path) -> None:
    for loss in LOSSES:
        found = trained(quick("bi", loss, epochs=1))[0]
        path = write_aligner(tmp_path, found.model.arrays(), found.record)
        learned = read_aligner(path, partitioning(), words())
        scores = learned.scores(found_for(TITLES[0], training_set().vectors[0]))
        assert scores.dtype == np.float32
        assert (scores >= 0).all() and (scores <= 1).all()
        assert loss == "bce" or scores.sum() == pytest.approx(1, abs=1e-5)


def test_info_nce_counts_the_mass_of_all_positives() -> None:
    assert float(info_nce(LOGITS, torch.tensor([[1.0, 0, 1, 0]]))) == pytest.approx(-math.log(6 / 10))
    assert float(info_nce(LOGITS, torch.tensor([[1.0, 0, 0, 0]]))) == pytest.approx(-math.log(4 / 10))


def test_info_nce_is_a_mean_over_questions() -> None:
    both = info_nce(LOGITS.repeat(2, 1), torch.tensor([[1.0, 0, 1, 0], [1.0, 0, 0, 0]]))
    assert float(both) == pytest.approx(-(math.log(0.6) + math.log(0.4)) / 2)


def test_binary_sums_over_partitions() -> None:
    shares = [4 / 5, 3 / 4, 2 / 3, 1 / 2]
    wanted = -math.log(shares[0]) - math.log(1 - shares[1]) - math.log(shares[2]) - math.log(1 - shares[3])
    assert float(binary(LOGITS, torch.tensor([[1.0, 0, 1, 0]]))) == pytest.approx(wanted)


def test_binary_is_a_mean_over_questions() -> None:
    one, other = torch.tensor([[1.0, 0, 1, 0]]), torch.tensor([[1.0, 0, 0, 0]])
    both = binary(LOGITS.repeat(2, 1), torch.cat([one, other]))
    assert float(both) == pytest.approx(float(binary(LOGITS, one) + binary(LOGITS, other)) / 2)


def test_the_defaults() -> None:
    assert astuple(TrainingParameters()) == ("mlp", "infonce", 20, 42, 256, 1e-3, 1e-4, 3)


@pytest.mark.parametrize(("size", "held"), [(1, 0), (2, 1), (5, 1), (14, 1), (16, 2), (100, 10)])
def test_a_tenth_is_held_out_and_one_where_there_are_two(size: int, held: int) -> None:
    whole = training_set()
    learn, validate = TrainingSet(whole.queries[:size], whole.vectors[:size], whole.words, "none").parted(42)
    assert len(validate) == held and sorted([*learn, *validate]) == list(range(size))


class Watched(TrainingSet):
    """Notes which queries are asked for."""

    asked: ClassVar[list[int]] = []

    def positives(self, places: Ints) -> Float32s:
        Watched.asked += places.tolist()
        found = super().positives(places)
        assert set(np.unique(found)) <= {0.0, 1.0} and found.any(axis=1).all()
        return found


def test_each_query_is_learned_from_or_validated_on_once_an_epoch() -> None:
    whole = training_set()
    watched = Watched(whole.queries, whole.vectors, whole.words, "none")
    Watched.asked = []
    events = train(watched, graph_of_partitions(), quick("mlp", epochs=1))
    with pytest.raises(StopIteration) as end:
        while True:
            next(events)
    found: TrainingResult = end.value.value
    assert found.record.epochs == found.record.epoch == 1
    assert sorted(Watched.asked) == list(range(300))
    _, held = whole.parted(42)
    with torch.no_grad():
        arrays = whole.vectors[held], whole.word_scores(held), whole.positives(held)
        vectors, words_, positives = map(torch.from_numpy, arrays)
        loss = float(info_nce(found.model(vectors, words_), positives))
    assert found.record.validation == pytest.approx(loss, abs=1e-5)
