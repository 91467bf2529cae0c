"""The tool `walk` with late interaction and without: what both find, and what a search takes.

python -m tests.benchmarks.late_interaction DATASET LIBRARY

At most 300 questions, evenly spaced, each alone. Columns are those of `tests.benchmarks.tools`: tokens of passages are
in the cache, those of the question are encoded. The first run encodes the tokens of what is scored, a few passages a
second on a busy machine. "cold" is the first search with an empty cache, without the time that the model takes to load.
"""

from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.datatypes import Query
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.library import open_library
from clew.memory.knowledge.walking.late_interaction import LateInteraction
from clew.memory.ports import Search
from clew.tools.base import ToolSettings
from clew.tools.walk import Walk
from tests.benchmarks.inputs import paths, show
from tests.benchmarks.timing import milliseconds
from tests.benchmarks.tools import HEADS, rows

MOST, COLD = 300, 5
"""Questions that are asked, and that are asked with an empty cache."""


def main() -> None:
    folder, library = paths(__doc__ or "", "dataset", "library")
    dataset, settings = read_dataset(folder), read_settings(library=library)
    asked = dataset.questions[:: max(1, len(dataset.questions) // MOST)][:MOST]
    with closing(encoder_for(settings)) as encoder, open_library(library, encoder) as opened:
        queries = {question.id: query_of(question, "last-turn", encoder) for question in asked}
        late = ToolSettings(late=LateInteraction(encoder))
        tools = {"walk": Walk(opened.store), "with late interaction": Walk(opened.store, settings=late)}
        show(f"{dataset.name}, {len(queries)} questions", HEADS, rows(dataset.golds, queries, tools))
        print(f"cold {median(cold(opened.store, encoder, query) for query in [*queries.values()][:COLD]):.0f} ms")


def cold(store: Search, encoder: CachedEncoder, query: Query) -> float:
    with TemporaryDirectory() as folder, closing(CachedEncoder(encoder.uncached, Path(folder))) as cached:
        walk = Walk(store, settings=ToolSettings(late=LateInteraction(cached)))
        _ = walk.walker
        return milliseconds(walk.search, query)


if __name__ == "__main__":
    main()
