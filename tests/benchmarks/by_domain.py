"""A run of `clew evaluate --run`, measured for each domain of the questions.

python -m tests.benchmarks.by_domain DATASET RUN
"""

from collections import defaultdict

from clew.agent.evaluation.dataset import read_dataset
from clew.agent.evaluation.ranking import measure
from clew.memory.json_lines import read_lines, read_objects
from tests.benchmarks.inputs import paths


def main() -> None:
    dataset_folder, run_file = paths(__doc__ or "", "dataset", "run")
    dataset = read_dataset(dataset_folder)
    rankings: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for _, line in read_lines(run_file):
        question, _, document, _, score, _ = line.split(" ")
        rankings[question].append((document, float(score)))
    domains: dict[str, list[str]] = defaultdict(list)
    for _, row in read_objects(dataset_folder / "queries.jsonl"):
        if row["_id"] in dataset.golds:
            domains[row.get("domain", "")].append(row["_id"])
    for domain, ids in sorted(domains.items()):
        metrics = measure({id_: dataset.golds[id_] for id_ in ids}, rankings)
        print(f"{domain:12} {len(ids):4} questions   nDCG@5 {metrics['ndcg@5']:.3f}   R@5 {metrics['recall@5']:.3f}")


if __name__ == "__main__":
    main()
