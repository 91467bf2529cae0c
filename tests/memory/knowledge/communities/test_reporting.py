"""What names a community: what its links tie, not what was joined to it for its meaning."""

import numpy as np

from clew.memory.knowledge.communities.graph import entity_graph, links_of, named_in_sentences
from clew.memory.knowledge.communities.reporting import cores, extracts, material, within
from tests.memory.knowledge.communities.made import layers

NAMES = ["Fritz Lang", "Metropolis", "Thea", "Emoji", "Unicode"]
RELATIONS = [("Fritz Lang", "directed", "Metropolis"), ("Thea", "wrote", "Metropolis"), ("Emoji", "extends", "Unicode")]


def test_a_fragment_that_was_joined_is_not_in_the_name() -> None:
    made = layers(NAMES, RELATIONS, {"Fritz Lang": "person"})
    links = links_of(made, named_in_sentences(made))
    vectors, sentences = np.eye(5, dtype=np.float32), np.eye(3, 5, dtype=np.float32)
    labels = np.zeros(5, np.int64)
    texts = [" ".join(relation) for relation in RELATIONS]
    (one,) = extracts(material(made, links, vectors, sentences, texts), labels)
    assert set(one.name.split(", ")) == {"Fritz Lang", "Metropolis", "Thea"}
    assert len(one.entities) == 5 and set(one.names) == set(NAMES)


def test_the_edges_within_communities_keep_what_they_are() -> None:
    made = layers(NAMES, RELATIONS, {"Fritz Lang": "person"})
    graph = entity_graph(made, links_of(made, named_in_sentences(made)))
    numbers = {entity.name: number for number, entity in enumerate(made.entities)}
    labels = np.array([1 if entity.name == "Thea" else 0 for entity in made.entities])
    inner = within(graph, labels)
    assert inner.nodes[numbers["Fritz Lang"]]["kind"] == "person"
    lang, film, thea = (numbers[name] for name in ("Fritz Lang", "Metropolis", "Thea"))
    assert inner.edges[lang, film]["relations"][0].verb == "directed" and not inner.has_edge(thea, film)
    assert cores(inner, labels).all()  # two parts of two, neither of three
