"""Seed 000's cases, beside the data; the graph of its README; small random graphs and questions."""

from hypothesis import strategies as st

from clew.memory.datatypes import Triple
from clew.memory.knowledge.clues.clue_index import ClueIndex, TripleGraph, arrow, clue_index, triple_graph
from clew.memory.knowledge.clues.triple_search import Path as CluePath
from tests.memory.seed_cases import seed_cases

CASES, needs_cases = seed_cases("cluerag")

README = (("lokesh kanagaraj", "directed", "film"), ("film", "titled", "coolie"))
QUESTION = "Who directed the film Coolie?"

FILMS = (
    *README,
    ("Deva", "played by", "Rajinikanth"),
    ("Deva", "is a character in", "Coolie"),
    ("Deva", "came out of retirement", "to save his friend"),
    ("Coolie", "released in", "August 2025"),
    ("Coolie", "premiered in", "India"),
    ("Lokesh Kanagaraj", "was born in", "Kinathukadavu"),
    ("Lokesh Kanagaraj", "was born on", "14 March 1986"),
    ("Priya", "watched", "Coolie"),
    ("Anirudh", "hummed", "theme of Coolie"),
)

ENTITIES = (
    "film",
    "coolie",
    "kanagaraj",
    "lokesh kanagaraj",
    "deva",
    "a village",
    "1986",
    "they",
    "deva film",
    "the film",
)
RELATIONS = ("directed", "titled", "played by", "hummed", "was born in", "is", "wrote and directed")
WORDS = "who what when where why directed director titled played film coolie lokesh kanagaraj deva hums village born of"

triples = st.lists(
    st.tuples(st.sampled_from(ENTITIES), st.sampled_from(RELATIONS), st.sampled_from(ENTITIES)), max_size=9
)
questions = st.lists(st.sampled_from(WORDS.split()), max_size=7).map(" ".join)


def index_of(*rows: tuple[str, str, str]) -> ClueIndex:
    return clue_index(triple_graph(Triple(*row) for row in rows))


def names(index: ClueIndex, nodes: tuple[int, ...]) -> list[str]:
    return [index.graph.entities[node] for node in nodes]


def written(path: CluePath, graph: TripleGraph) -> str:
    """`(lokesh kanagaraj) -[directed]-> (film) | (film) -[titled]-> (coolie)`: each edge in its own direction."""
    return " | ".join(arrow(graph.edge(edge)) for edge in path.edges)
