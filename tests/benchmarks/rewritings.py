"""How near the questions that are made to stand alone come to those that people wrote.

    python -m tests.benchmarks.rewritings CONVERSATIONS [--split dev]
    python -m tests.benchmarks.rewritings tests/memory/dialogue/follow_ups.txt
    python -m tests.benchmarks.rewritings CASES [--replayed DIR]

CONVERSATIONS is a file of JSON lines (may end in .gz), each with `set`, `split` and `turns` of `question`, `answer` and
`rewritten`: a table by set of how many words of the rewritten question that the typed one lacks are in ours (`new`), of
the F1 over all words, and the same of the question as it was typed. CASES has lines of `conversation`, `turn`,
`collection`, `question`, `followup` and `standalone`: each follow-up is printed with what a person would read and with
`standalone`, to be read by hand; the answers of the turns before are those that `clew replay` wrote to
DIR/NAME/intermediate/NAME.jsonl, where there are any. Of a file of conversations (.txt) those are printed that are
not said as a person has, and how many are, of those that lean on the conversation and those that do not.
"""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from clew.memory.datatypes import Utterance
from clew.memory.dialogue.tagger import stand_alone
from clew.memory.dialogue.utterances import extract, tidy
from clew.memory.text import content_words, stemmed_words
from tests.memory.dialogue.conversations import follow_ups, same


@click.command(help=__doc__)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--split", default="dev", show_default=True)
@click.option("--replayed", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--show", is_flag=True, help="Every question of CONVERSATIONS that a person has changed.")
def main(file: Path, split: str, replayed: Path | None, show: bool) -> None:
    if file.suffix == ".txt":
        for line in written_out(file.read_text("utf-8")):
            click.echo(line)
        return
    rows = list(_rows(file))
    if "turns" in rows[0]:
        for line in compared([row for row in rows if row["split"] == split], show=show):
            click.echo(line)
        return
    for line in side_by_side(rows, dict(_answers(replayed)) if replayed else {}):
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


def compared(conversations: Sequence[Mapping[str, Any]], *, show: bool = False) -> Iterator[str]:
    """By set: of the later questions that a person has changed, our recall of the new words and the F1 of all."""
    figures: dict[str, list[tuple[float, float, float, bool]]] = defaultdict(list)
    alone: dict[str, list[bool]] = defaultdict(list)
    for conversation in conversations:
        said: list[Utterance] = []
        for turn in conversation["turns"]:
            question, wanted = turn["question"], turn.get("rewritten")
            if said and wanted:
                made = stand_alone(" ".join(question.split()), extract(said))
                new = set(content_words(wanted)) - set(content_words(question))
                if new:
                    found = len(new & set(content_words(made.text))) / len(new)
                    scores = found, _f1(made.text, wanted), _f1(question, wanted), bool(made.why)
                    figures[conversation["set"]].append(scores)
                    if show:
                        yield f"{question}\n   want {wanted}\n   made {made.text}   [{made.why}] {found:.2f}"
                else:
                    alone[conversation["set"]].append(not made.why)
            said.append(Utterance("user", question))
            if turn.get("answer"):
                said.append(Utterance("agent", turn["answer"]))
    yield f"{'':20}{'changed':>9}{'by us':>8}{'new':>8}{'F1':>8}{'as typed':>10}{'alone':>8}{'left so':>9}"
    for name in [*sorted(figures), "all"]:
        rows = figures[name] if name != "all" else [row for of_set in figures.values() for row in of_set]
        left = alone[name] if name != "all" else [one for of_set in alone.values() for one in of_set]
        recalled, ours, typed, ways = (sum(row[place] for row in rows) / len(rows) for place in range(4))
        kept = sum(left) / max(1, len(left))
        yield f"{name:20}{len(rows):>9}{ways:>8.2f}{recalled:>8.3f}{ours:>8.3f}{typed:>10.3f}{len(left):>8}{kept:>9.2f}"


def side_by_side(cases: Sequence[Mapping[str, Any]], answers: Mapping[tuple[str, int], str]) -> Iterator[str]:
    """The follow-ups, and of the others those that were changed."""
    said: dict[str, list[Utterance]] = defaultdict(list)
    for case in cases:
        history = said[case["conversation"]]
        made = stand_alone(case["question"], extract(history))
        if case["followup"] or made.why:
            yield f"{case['conversation']}.{case['turn']}{'' if case['followup'] else ' (no follow-up)'}"
            yield f"    asked  {case['question']}"
            yield f"    shown  {tidy(made.text)}" + (f"   [{made.why}]" if made.why else "")
            yield f"    wanted {case['standalone']}"
        history.append(Utterance("user", case["question"]))
        if answer := answers.get((case["conversation"], case["turn"])):
            history.append(Utterance("agent", answer))


def _f1(made: str, wanted: str) -> float:
    """Over the stems of all words, each counted once."""
    one, other = set(stemmed_words(made)), set(stemmed_words(wanted))
    return 2 * len(one & other) / max(1, len(one) + len(other))


def _answers(folder: Path) -> Iterator[tuple[tuple[str, int], str]]:
    for file in folder.glob("*/intermediate/*.jsonl"):
        for row in _rows(file):
            conversation, turn = row["_id"].split("<::>")
            if not row["outcome"].startswith("nothing"):
                yield (conversation, int(turn)), " ".join(claim["text"] for claim in row["claims"])


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    yield from (json.loads(line) for line in data.decode("utf-8").splitlines() if line.strip())


if __name__ == "__main__":
    main()
