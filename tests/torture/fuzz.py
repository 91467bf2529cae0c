"""10,000 broken files for each loader of the registry, and a good one beside each."""

from clew.memory.knowledge.loaders.registry import LOADERS
from tests.memory.knowledge.loaders.test_fuzz import fuzzed
from tests.torture import Points, Run

COUNT = 10_000


def points(run: Run) -> Points:
    for loader in LOADERS:
        folder = run.folder / loader.name
        folder.mkdir()
        for number, wrong in enumerate(fuzzed(loader, folder, run.some(COUNT), run.seed)):
            yield f"{loader.name} {number}", wrong
