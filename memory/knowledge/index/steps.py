"""The steps of `clew index`, which follow one another once the documents and chunks are there."""

from collections.abc import Iterator, Sequence

from clew.memory.datatypes import Progress
from clew.memory.errors import ClewError
from clew.memory.files import machine_memory
from clew.memory.knowledge import keywords
from clew.memory.knowledge.coarse import FILE as COARSE
from clew.memory.knowledge.coarse import write_coarse
from clew.memory.knowledge.communities.community_index import VECTORS as COMMUNITIES
from clew.memory.knowledge.communities.community_index import author_of_all, build
from clew.memory.knowledge.disk import PARTS, naming_damage
from clew.memory.knowledge.embedding import (
    CHUNKS,
    NAMED,
    NAMES,
    SENTENCES,
    embed,
    embed_names,
    named_vectors,
    open_vectors,
)
from clew.memory.knowledge.index.generation import Generation, IndexStep
from clew.memory.knowledge.index.layering import make_layers
from clew.memory.knowledge.index.words import index_words
from clew.memory.knowledge.numbering import ARRAYS as LAYERS
from clew.memory.knowledge.partitioning.capsule import FOLDER as CAPSULES
from clew.memory.knowledge.partitioning.capsule import capsule_folder, keep_trained, write_capsule
from clew.memory.knowledge.partitioning.node_graph import FILE as NODES
from clew.memory.knowledge.partitioning.node_graph import write_graph
from clew.memory.knowledge.partitioning.partitioner import build_capsule, plans_before
from clew.memory.layers import DetectionParameters
from clew.memory.nodes import FILE as SMOOTHED
from clew.memory.nodes import write_smoothed
from clew.memory.titles import FILE as TITLES

NAME_BYTES = 10_000
"""Of memory for each different name, where most is taken: when communities are found (docs/figures.md)."""


def check_memory(names: int) -> None:
    """Raises `ClewError` before anything is embedded: a process that takes more memory than there is ends without a
    word."""
    needed, has = NAME_BYTES * names, machine_memory()
    if needed > has:
        raise ClewError(
            f"to join {names:,} names and find their communities takes about {needed / 1e9:.1f} GB of memory, and this"
            f" machine has {has / 1e9:.1f}; the library stays as it was",
            "index parts into libraries of their own, all on a larger machine, or with --triples none",
        )


def embed_all(generation: Generation) -> Iterator[Progress]:
    """The vectors of chunks, of sentences, and of the names of the entities that join chunks."""
    database, folder, encoder = generation.database, generation.folder, generation.encoder
    check_memory(len(generation.layers.entities))
    for what in (CHUNKS, SENTENCES):
        yield from embed(database, what, folder, generation.old_vectors.get(what), encoder)
    write_coarse(folder, open_vectors(folder, CHUNKS))
    layers = generation.layers
    with naming_damage(generation.old or folder):
        before = named_vectors(generation.old or folder)
    yield from embed_names([layers.entities[entity].name for entity in layers.joining], folder, before, encoder)


def find_communities(generation: Generation) -> Iterator[Progress]:
    """Of what the sentences name together, with their reports."""
    generation.notes += yield from build(
        generation.database,
        generation.folder,
        generation.old,
        generation.encoder,
        generation.layers,
        generation.choices.communities,
        generation.choices.writer,
    )
    generation.facts["reports"] = author_of_all(generation.database)


def partition(generation: Generation) -> Iterator[Progress]:
    """The graph of the nodes, their vectors smoothed over it, and the capsules that the library had, else the default
    one."""
    graph = write_graph(generation.database, generation.folder, generation.layers)
    write_smoothed(generation.folder, graph, open_vectors(generation.folder, CHUNKS))
    for plan in plans_before(generation.old):
        capsule = yield from build_capsule(generation.database, generation.folder, graph, plan)
        folder = write_capsule(generation.folder, capsule, durable=False)
        if generation.old:
            keep_trained(capsule_folder(generation.old, plan.name), folder, capsule.partitioning)


def _communities(parameters: DetectionParameters) -> dict[str, object]:
    """The method alone where nothing else was chosen, as libraries have it that were made before more could be."""
    usual = parameters == DetectionParameters(parameters.method)
    return {"communities": parameters.method} | ({} if usual else {"detection": parameters})


STEPS: tuple[IndexStep, ...] = (
    IndexStep(
        "indexing words",
        index_words,
        files=(keywords.FOLDER, TITLES),
        recorded=lambda choices: {"keywords": choices.keywords},
    ),
    IndexStep(
        "extracting entities",
        make_layers,
        files=(LAYERS,),
        recorded=lambda choices: {"triples": choices.triples, "extractor": choices.extractor.name},
    ),
    IndexStep("embedding", embed_all, files=(CHUNKS.file, COARSE, SENTENCES.file, NAMES, NAMED)),
    IndexStep(
        "finding communities",
        find_communities,
        files=(COMMUNITIES,),
        recorded=lambda choices: _communities(choices.communities),
    ),
    IndexStep("partitioning", partition, files=(NODES, SMOOTHED, CAPSULES)),
)


def parts_of(steps: Sequence[IndexStep] = STEPS) -> frozenset[str]:
    """The names of all that a generation made by these steps may hold."""
    return PARTS.union(*(step.files for step in steps))
