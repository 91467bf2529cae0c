"""Conversations that nothing was fitted on: how many turns are answered as a person would want it.

    python -m tests.benchmarks.conversations [QUESTIONS.jsonl --documents FOLDER]

QUESTIONS has lines as `conversations/unseen.jsonl` in CLEW_DATA, FOLDER a folder of documents for each collection.
A turn is right (R) where its answer holds all that it must and nothing that it must not, or is refused as it should be;
padded (P) where it is right and longer than it may be; wrong (W); wrongly refused (WR); answered though the documents
do not say it (AU). Prints a line a collection: `set`, `turns`, `useful` (R and P), `to_the_point` (R), `refused` (WR of
the answerable), `invented` (AU of the others), `words` (the mean).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import click

from clew.agent.state import Turn
from tests.training.asked_turns import FOLDER, answers, cases_of, plain, played

LONGEST = 4
"""How many times as long as it may be an answer is that is no answer any more."""


class Judged(NamedTuple):
    case: Mapping[str, Any]
    turn: Turn
    verdict: str
    words: int


@click.command(help=__doc__)
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--documents", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(questions: Path | None, documents: Path | None) -> None:
    judged: list[Judged] = []
    turns = played(cases_of(questions or FOLDER / "unseen.jsonl"), documents or FOLDER / "documents")
    for name, its in groupby(turns, key=lambda one: str(one.case["collection"])):
        found = [Judged(case, turn, verdict(case, turn), len(turn.answer.plain.split())) for case, turn, _ in its]
        click.echo(line(name, found))
        judged += found
    click.echo(line("all", judged))


def verdict(case: Mapping[str, Any], turn: Turn) -> str:
    refused, text = turn.answer.refused, plain(turn.answer.plain)
    if case["outcome"] == "refused":
        return "R" if refused else "AU"
    if refused or turn.answer.outcome == "unclear":
        return "WR"
    longer = len(text.split()) / case["most_words"]
    return "W" if not answers(case, text) or longer > LONGEST else "P" if longer > 1 else "R"


def line(name: str, found: Sequence[Judged]) -> str:
    def share(verdicts: str, of: Sequence[Judged]) -> float:
        return round(mean(one.verdict in verdicts.split() for one in of), 3) if of else 0.0

    no = [one for one in found if one.case["outcome"] == "refused"]
    yes = [one for one in found if one.case["outcome"] != "refused"]
    row = {"set": name, "turns": len(found), "useful": share("R P", found), "to_the_point": share("R", found)}
    row |= {"refused": share("WR", yes), "invented": share("AU", no)}
    row["words"] = round(mean(one.words for one in found), 1)
    return "   ".join(f"{key} {value}" for key, value in row.items())


if __name__ == "__main__":
    main()
