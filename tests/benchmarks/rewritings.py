"""How near the questions that are made to stand alone come to those that people wrote.

    python -m tests.benchmarks.rewritings CONVERSATIONS [--split dev]
    python -m tests.benchmarks.rewritings tests/memory/dialogue/follow_ups.txt

CONVERSATIONS is a file of JSON lines (may end in .gz), each with `set`, `split` and `turns` of `question`, `answer` and
`rewritten`: a table by set of how many words of the rewritten question that the typed one lacks are in ours (`new`), of
the F1 over all words, and the same of the question as it was typed. Of a file of conversations (.txt) those are printed
that are not said as a person has, and how many are, of those that lean on the conversation and those that do not.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from statistics import mean

import click

from clew.memory.datatypes import Utterance
from clew.memory.dialogue.tagger import stand_alone
from clew.memory.dialogue.utterances import extract, tidy
from clew.memory.text import content_words, stemmed_words
from tests.memory.dialogue.conversations import follow_ups, same
from tests.training.records import Record, by_set


@click.command(help=__doc__)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--split", default="dev", show_default=True)
def main(file: Path, split: str) -> None:
    lines = written_out(file.read_text("utf-8")) if file.suffix == ".txt" else compared(by_set(file, split))
    for line in lines:
        click.echo(line)


def written_out(text: str) -> Iterator[str]:
    """Where no way of saying it that a person wrote is ours."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for case in follow_ups(text):
        made = stand_alone(case.question, extract(case.before))
        shown = tidy(made.text)
        found = any(same(shown, expected) for expected in case.expected)
        right[case.alone].append(found)
        if not found:
            yield f"{case.conversation}\n    asked  {case.question}\n    shown  {shown}   [{made.why}]"
            yield f"    wanted {case.expected[0]}"
    leaning, alone = right[False], right[True]
    yield f"as a person says them: {sum(leaning)} of {len(leaning)} that lean, {sum(alone)} of {len(alone)} others"


def compared(conversations: dict[str, list[Record]]) -> Iterator[str]:
    """By set: of the later questions that a person has changed, our recall of the new words and the F1 of all."""
    figures: dict[str, list[tuple[float, float, float, bool]]] = {}
    alone: dict[str, list[bool]] = {}
    for name, records in conversations.items():
        figures[name], alone[name] = [], []
        for question, wanted, said in (turn for record in records for turn in later_turns(record)):
            made = stand_alone(" ".join(question.split()), extract(said))
            new = set(content_words(wanted)) - set(content_words(question))
            if not new:
                alone[name].append(not made.why)
                continue
            found = len(new & set(content_words(made.text))) / len(new)
            figures[name].append((found, _f1(made.text, wanted), _f1(question, wanted), bool(made.why)))
    figures = {name: figures[name] for name in sorted(figures) if figures[name]}
    figures["all"], alone["all"] = [*chain(*figures.values())], [*chain(*alone.values())]
    yield f"{'':20}{'changed':>9}{'by us':>8}{'new':>8}{'F1':>8}{'as typed':>10}{'alone':>8}{'left so':>9}"
    for name, rows in figures.items():
        recalled, ours, typed, ways = map(mean, zip(*rows, strict=True))
        kept = mean(alone[name] or [False])
        shares = f"{ways:>8.2f}{recalled:>8.3f}{ours:>8.3f}{typed:>10.3f}{len(alone[name]):>8}{kept:>9.2f}"
        yield f"{name:20}{len(rows):>9}{shares}"


def later_turns(record: Record) -> Iterator[tuple[str, str, list[Utterance]]]:
    """Of a conversation each question that a person has rewritten: as it was typed, as rewritten, and what was said."""
    said: list[Utterance] = []
    for turn in record["turns"]:
        if said and turn.get("rewritten"):
            yield turn["question"], turn["rewritten"], list(said)
        said.append(Utterance("user", turn["question"]))
        if turn.get("answer"):
            said.append(Utterance("agent", turn["answer"]))


def _f1(made: str, wanted: str) -> float:
    """Over the stems of all words, each counted once."""
    one, other = set(stemmed_words(made)), set(stemmed_words(wanted))
    return 2 * len(one & other) / max(1, len(one) + len(other))


if __name__ == "__main__":
    main()
