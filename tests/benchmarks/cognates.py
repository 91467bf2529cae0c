"""What a question in another language finds: `python -m tests.benchmarks.cognates DATA`.

XQuAD's English passages (splits `train` and `dev` of DATA/qa) are indexed into a folder of their own, and its German
and Spanish questions asked of `hybrid`: as they are, with their cognates beside them, and in English. Prints the share
of questions whose passage is first, and among the first five.
"""

import gzip
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from clew.memory.datatypes import Wording
from clew.memory.dialogue.rewriting import rewritten
from clew.memory.dialogue.variants import with_cognates
from clew.memory.encoding import MINILM, load_encoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import open_library
from clew.tools.base import encode_query
from clew.tools.hybrid import Hybrid

LANGUAGES = ("de", "es")


@click.command(help=__doc__)
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@click.option("--most", default=250, show_default=True, help="Questions of a language.")
def main(data: Path, most: int) -> None:
    with gzip.open(data / "qa" / "spans_multilingual.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [one for one in map(json.loads, lines) if one["set"] == "xquad" and one["lang"] in ("en", *LANGUAGES)]
    english = {one["id"]: one for one in records if one["lang"] == "en"}
    with tempfile.TemporaryDirectory() as folder:
        encoder = load_encoder(MINILM, Path(folder) / "cache")
        texts = {one["passage"]: one["title"] for one in english.values()}
        rows = (json.dumps({"_id": text[:80], "title": title, "text": text}) for text, title in texts.items())
        (Path(folder) / "passages.jsonl").write_text("\n".join(rows), "utf-8")
        for _ in index([Path(folder) / "passages.jsonl"], Path(folder) / "library", encoder):
            pass
        library = open_library(Path(folder) / "library", encoder)
        hybrid, words = Hybrid(library.store), library.store.vocabulary

        def found(wordings: Sequence[Wording]) -> list[str]:
            passages = hybrid.search(encode_query("", wordings, encoder, None), 10).passages
            return list(dict.fromkeys(passage.document.split(":")[-1] for passage in passages))[:5]

        for language in LANGUAGES:
            asked = [one for one in records if one["lang"] == language and one["id"] in english]
            asked = asked[:: max(1, len(asked) // most)][:most]
            for name in ("as it is", "with cognates", "in English"):
                places = list(_places(name, language, asked, english, found, words))
                first, five = (sum(place < k for place in places) / len(places) for k in (1, 5))
                click.echo(f"{language} {name:14} {len(places)} questions: first {first:.3f}, of five {five:.3f}")


def _places(name, language, asked, english, found, words) -> Iterator[int]:  # type: ignore[no-untyped-def]
    for one in asked:
        text = english[one["id"]]["question"] if name == "in English" else one["question"]
        made = rewritten(text, (Wording("question", text, 1.0),))
        if name == "with cognates":
            made = with_cognates(made, language, "en", words)
        ids = found(made.wordings)
        yield next((n for n, id_ in enumerate(ids) if english[one["id"]]["passage"].startswith(id_)), 9)


if __name__ == "__main__":
    main()
