"""Which questions of a data set the agent answers, in part or whole, and which it refuses, by their answerability.

python -m tests.benchmarks.outcomes DATASET LIBRARY

With another set's library every answer is to a question that these documents were not written for.
"""

from collections import Counter, defaultdict

from rich.console import Console
from rich.progress import track

from clew.agent.assistant import Assistant
from clew.agent.evaluation.dataset import read_questions
from clew.agent.evaluation.evaluate import answered
from clew.agent.settings import read_settings
from clew.memory.json_lines import read_objects
from tests.benchmarks.inputs import paths


def main() -> None:
    dataset, library = paths(__doc__ or "", "dataset", "library")
    labels = {row["_id"]: row.get("answerability", "all") for _, row in read_objects(dataset / "queries.jsonl")}
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    with Assistant.open(read_settings(library=library)) as assistant:
        for question in track(read_questions(dataset), console=Console(stderr=True)):
            turn = answered(assistant.services, question.text, question.history)
            outcomes[labels[question.id]][turn.answer.outcome] += 1
    for label, counts in sorted(outcomes.items()):
        shares = "   ".join(f"{name} {count / counts.total():.3f}" for name, count in sorted(counts.items()))
        print(f"{label:16} {counts.total():5} questions   {shares}")


if __name__ == "__main__":
    main()
