"""Who wrote a paper, told from the lines above its abstract."""

import pytest

from clew.agent.answer.byline import byline
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.library import Library, open_library

PAPERS = {
    "ropes.md": "# Ropes: tension, knots\n\nAda Kern University of Quito Ole van Rud\n\nAbstract\n\nWe pull.\n",
    "faq.md": "# Ropes FAQ\n\nRopes Development Team\n\nAbstract\n\nQuestions about ropes.\n",
    "tale.md": "# The mill\n\nThere was once a poor miller. He wrote a letter to the king.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, encoder: CachedEncoder) -> Library:
    folder = tmp_path_factory.mktemp("papers")
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    for _ in index([folder], folder.parent / f"{folder.name}-library", encoder):
        pass
    return open_library(folder.parent / f"{folder.name}-library", encoder)


@pytest.mark.parametrize("question", ["Who wrote the ropes paper?", "Who are the authors of the paper on knots?"])
def test_it_is_quoted_from_above_the_abstract(question: str, library: Library) -> None:
    said = byline(question, (), library.store)
    assert said is not None and said.plain == "Ada Kern University of Quito Ole van Rud"
    [claim] = said.claims
    text = library.store.documents(["ropes.md"])[0].text
    assert [text[one.start : one.end] for one in claim.quotes] == [claim.quotes[0].text]
    assert said.sources[0].document == "ropes.md"


@pytest.mark.parametrize(
    "question",
    ["Who wrote the letter?", "Who wrote the mill?", "Who pulls ropes?", "Who wrote the zoo paper?", "What are knots?"],
)
def test_no_other_question_is_answered_so(question: str, library: Library) -> None:
    assert byline(question, (), library.store) is None
