"""What it costs to read files in a process of their own: the stage `reading` of an index run over many small files,
apart and, in the same run, by the loaders in this process; each the fastest of three, in turn.

python -m tests.benchmarks.reading_apart FOLDER

The files of the folder, copied until there are 1,000. Vectors are random: the encoder is not measured, and its time
would only hide the difference.
"""

import shutil
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from unittest.mock import patch

from clew.memory.knowledge.index.generation import Generation, Parameters, choose
from clew.memory.knowledge.index.run import Changes
from clew.memory.knowledge.loaders.apart import Reading
from clew.memory.knowledge.loaders.registry import LOADERS, read, read_edges
from tests.benchmarks.ingest import RandomEncoder
from tests.benchmarks.inputs import paths

FILES = 1_000


class Here(Reading):
    documents = staticmethod(read)
    edges = staticmethod(read_edges)

    def announce(self, source: object) -> None:
        pass


def main() -> None:
    (folder,) = paths(__doc__ or "", "folder")
    with TemporaryDirectory() as temporary:
        documents = Path(temporary) / "documents"
        documents.mkdir()
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        for number, path in enumerate(islice(cycle(found), FILES)):
            shutil.copy(path, documents / f"{number}{path.suffix}")
        taken: dict[str, list[float]] = {"apart": [], "here": []}
        for turn in range(3):
            for name, reading in (("here", Here), ("apart", Reading)):
                into = Path(temporary) / f"{name}{turn}"
                into.mkdir()
                with (
                    patch("clew.memory.knowledge.index.run.Reading", reading),
                    closing(Generation(into, None, RandomEncoder(), choose(Parameters(), into, True))) as generation,
                ):
                    started = perf_counter()
                    for _ in Changes(generation, LOADERS).read([documents], into):
                        pass
                    taken[name].append(perf_counter() - started)
    print(*(f"{name}: {' '.join(f'{one:.2f}' for one in times)} s" for name, times in taken.items()), sep="\n")
    first, fastest = taken["apart"][0] / taken["here"][0], min(taken["apart"]) / min(taken["here"])
    print(f"apart takes {fastest:.2f} of the time; with the start of the process, in the first runs, {first:.2f}")


if __name__ == "__main__":
    main()
