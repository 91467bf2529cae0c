"""What a hybrid search takes beside an exact cosine search with NumPy over the same vectors, in one run.

python -m tests.benchmarks.latency DATASET LIBRARY

Encoding the question is aside. Times are medians over questions, each the fastest of three, the searches in turn.
"""

from contextlib import closing

import numpy as np

from clew.agent.dataset import read_dataset
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query, Vectors
from clew.memory.knowledge.disk import current_generation
from clew.memory.knowledge.embedding import CHUNKS, open_vectors
from clew.memory.knowledge.library import open_library
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid
from tests.benchmarks.inputs import paths
from tests.benchmarks.timing import medians

QUESTIONS = 100
K = 10
EXACT = "exact cosine search, NumPy"


def main() -> None:
    path, library = paths(__doc__ or "", "dataset", "library")
    settings = read_settings(library=library)
    encoder, dataset = encoder_for(settings), read_dataset(path)
    opened, generation = open_library(library, encoder), current_generation(library)
    assert generation, "it was opened"
    queries = [encode_query(question.text, [], encoder) for question in dataset.questions[:QUESTIONS]]
    vectors = np.array(open_vectors(generation, CHUNKS))
    with closing(opened.store) as store:
        tool = Hybrid(store)
        ways = {
            EXACT: lambda query: nearest(vectors, query),
            "keyword search, 100 chunks": lambda query: store.keyword_search([query.text], 100),
            "vector search, 100 chunks": lambda query: store.vector_search(query.forms[0].vector[None], 100),
            "hybrid": lambda query: tool.search(query, K),
        }
        times = medians(ways, queries)
    print(f"{f'{dataset.name}, {len(vectors)} chunks':38} {'ms':>9} {'ratio':>9}")
    for name, taken in times.items():
        print(f"{name:38} {taken * 1000:9.2f} {taken / times[EXACT]:9.2f}")


def nearest(vectors: Vectors, query: Query) -> list[int]:
    cosines = vectors @ query.forms[0].vector
    best = np.argpartition(-cosines, K)[:K]
    return [int(row) for row in best[np.argsort(-cosines[best])]]


if __name__ == "__main__":
    main()
