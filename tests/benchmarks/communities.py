"""What the thresholds of equation 4, the levels of equation 5 and the history do to recall, and what a search takes.

    python -m tests.benchmarks.communities DATASET LIBRARY [--form last-turn|rewrite]

Columns are those of `tests.benchmarks.tools`.
"""

from pathlib import Path

import click

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import FormName, query_of
from clew.agent.models import encoder_for
from clew.agent.settings import read_settings
from clew.memory.knowledge.library import open_library
from clew.tools.base import Tool
from clew.tools.communities import CommunitiesParameters, CommunitySearch
from clew.tools.hybrid import Hybrid
from clew.tools.local import Local, LocalParameters
from tests.benchmarks.inputs import show
from tests.benchmarks.tools import HEADS, rows


@click.command(help=__doc__)
@click.argument("folder", metavar="DATASET", type=click.Path(exists=True, path_type=Path))
@click.argument("library", type=click.Path(exists=True, path_type=Path))
@click.option("--form", type=click.Choice(["last-turn", "rewrite"]), default="last-turn", show_default=True)
def main(folder: Path, library: Path, form: FormName) -> None:
    dataset, encoder = read_dataset(folder), encoder_for(read_settings(library=library))
    with open_library(library, encoder) as opened:
        store, communities = opened.store, opened.store.part().communities
        tools: dict[str, Tool] = {"hybrid": Hybrid(store)}
        for tau in (0.4, 0.45, 0.5, 0.6):
            tools[f"local, tau_e {tau}"] = Local(store, LocalParameters(tau_e=tau))
        for weight in (0.0, 0.15, 0.5) if form == "rewrite" else ():
            tools[f"local, history {weight}"] = Local(store, LocalParameters(history=weight))
        for level in range(communities.levels):
            name = f"communities, level {level} of {len(communities.at(level))}"
            tools[name] = CommunitySearch(store, CommunitiesParameters(level=level))
        queries = {question.id: query_of(question, form, encoder) for question in dataset.questions}
        show(f"{dataset.name}, {len(queries)} questions", HEADS, rows(dataset.golds, queries, tools))


if __name__ == "__main__":
    main()
