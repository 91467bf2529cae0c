"""Quotations are true, by all loaders and over all collections: a quote is the document's text as it is stored, a
claim's text is its quotes, runs of white space apart; what is no quotation is Clew's own."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agent.answer.quoted import excerpt_claims
from clew.agent.answer.selection import excerpt_of
from clew.agent.assistant import Assistant
from clew.agent.settings import Settings, read_settings
from clew.agent.state import Claim
from clew.memory.datatypes import Chunk, Document, Passage, Vectors
from clew.memory.encoding import CachedEncoder
from clew.memory.knowledge.chunking import ChunkerParameters, chunks_of
from clew.memory.knowledge.document_parts import candidates_of
from clew.memory.knowledge.index.run import index
from clew.memory.knowledge.loaders.registry import LOADERS, discover, read
from clew.memory.ports import Role
from clew.memory.text import BELOW
from tests.agent.conftest import turn_of
from tests.benchmarks.indexing import RandomEncoder
from tests.memory.dialogue.cases import hashed_vectors
from tests.memory.knowledge.loaders.dump import dump
from tests.memory.knowledge.loaders.test_fuzz import SEEDS
from tests.memory.knowledge.loaders.test_pdf import as_bytes, written

CODE = "numbers = [5, 2, 3, 1, 4]\nnumbers.sort()\nprint(numbers[0], numbers [1])\n# [1, 2, 3, 4, 5] ."
AWKWARD = (
    "The harbour of Ta\u0308by\r\n\r\nThe harbour was built in 1911 [1]. It has 12 berths [2, 3], a crane [4] and a "
    "well-\r\nknown bar .\r\n22 DR. SMITH : WRITINGS AND SPEECHES\r\nThe toll is 40 crowns ; it was 35 [5] .\r\n\r\n"
    "- \u2067\u05e9\u05dc\u05d5\u05dd\u2069 is the name of the ferry [6]. It sails daily.\r\n- \u202eBoats\u202c may "
    "moor until 18:00 .\r\n\r\nReason: storms, shal\u00adlows and \u201cold\u201d\u00a0piers\u2028line the coast.\x0c"
    "\r\nHow deep is it?\r\n\r\nSix metres [7]!\r\n\r\nTo sort the berths, write:\r\n\r\n" + CODE.replace("\n", "\r\n")
)
HTML = f"""<html><head><title>Berths</title></head><body><nav>Home</nav><h1>Berths &amp; tolls</h1>
<p>The berths   are\r\nlet by the month [1]. A <b>berth</b>&nbsp;costs 40 &lt;crowns&gt; [2, 3], with wa&shy;ter.</p>
<table><tr><th>berth</th><th>length</th></tr><tr><td>A [1]</td><td>12 m</td></tr><tr><td>B</td><td>9 m</td></tr></table>
<ul><li>Bring a rope.<li>Bring \u202edaeh\u202c.</ul><pre>{CODE}</pre>
<h2>How is it paid?</h2><p>By card.</p></body></html>"""
MARKDOWN = (
    f"# Ropes\r\n\r\nRopes are kept for 5 years [1].\r\n\r\n| rope | load |\r\n|---|---|\r\n| hemp | 300 kg |\r\n"
    f"| nylon | 900 kg |\r\n\r\n## Sorting\r\n\r\nSort the ropes so:\r\n\r\n```python\r\n{CODE}\r\n```\r\n\r\n"
    "1. Wash it.\r\n2. Dry it [2].\r\n   - in the shade\r\n"
)
PAGES = [
    (f"HARBOUR NOTES {n}", *lines, f"page {n}")
    for n, lines in enumerate(
        [
            ("The harbour master keeps the log of all ves-", "sels that enter [1]. Each vessel pays a", "toll."),
            ("22 DR. SMITH : WRITINGS AND SPEECHES", "The log of 1911 was lost [2, 3]. Nobody found", "it."),
            ("A well-", "known captain was Anna Berg. She sailed", "the ship Aurora in 1912."),
        ],
        1,
    )
]
ROWS = [
    {"_id": f"row {n}", "title": f"Ship {n}", "text": f"{AWKWARD} Ship {n} sailed in 19{n}0 [{n}]."} for n in (1, 2)
]


def lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


SAMPLES: Mapping[str, Mapping[str, bytes]] = SEEDS | {
    "text": SEEDS["text"] | {"harbour.txt": AWKWARD.encode(), "wide.txt": AWKWARD.encode("utf-16")},
    "markdown": {"ropes.md": MARKDOWN.encode()},
    "html": {"berths.html": HTML.encode()},
    "pdf": {"log.pdf": as_bytes(written(*PAGES, title="The log"))},
    "graph": {
        "graph/nodes.jsonl": lines([{"id": row["_id"], "title": row["title"], "text": row["text"]} for row in ROWS]),
        "graph/edges.jsonl": lines([{"source": "row 1", "target": "row 2", "relation": "after"}]),
    },
    "beir": {"set/corpus.jsonl": lines(ROWS), "set/queries.jsonl": lines([{"_id": "q", "text": "Which ship?"}])},
    "jsonl": {"notes.jsonl": lines([{"text": row["text"]} for row in ROWS])},
    "table": {"tolls.csv": b'berth,toll [1],"paid, by"\r\nA [2],"1,40",Berg\r\nB,[3],\r\n', "t.tsv": b"a\tb\n1 \t\n"},
    "json": SEEDS["json"]
    | {"facts.json": b'[["Aurora", "was  built in", "Oslo [1]"], ["Oslo", "lies in", "Norway"]]'},
    "mediawiki": {"dump.xml": dump().encode()},
}  # fmt: skip


def made(folder: Path, files: Mapping[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def documents_of(*paths: Path) -> Iterator[Document]:
    for source in discover(paths).sources:
        yield from (item for item in read(source) if isinstance(item, Document))


def false(claim: Claim, texts: Mapping[str, str]) -> list[str]:
    """What is not true of a claim that quotes; nothing of one that does not."""
    wrong = [
        f"{quote.text!r} is not {stored!r}"
        for quote in claim.quotes
        for stored in [texts[quote.document][quote.start : quote.end]]
        if quote.text != stored or not stored
    ]
    joined = "".join("".join(quote.text for quote in claim.quotes).split())
    if claim.quotes and "".join(claim.text.split()) != joined:
        wrong.append(f"{claim.text!r} is not {joined!r}")
    return wrong


def false_units(document: Document, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Of all that could be quoted of these chunks."""
    passages = [Passage(one.id, document.id, "", one.text, 1.0, "t", start=one.start, end=one.end) for one in chunks]
    for candidate in candidates_of(passages, {document.id: document}):
        for asked in ({}, {"whole_list": True}):
            unit = excerpt_of(candidate, **asked)
            for claim in excerpt_claims(unit, document.id, 1, set()):
                yield from false(claim, {document.id: document.text})


def test_every_loader_has_a_sample() -> None:
    assert set(SAMPLES) == {loader.name for loader in LOADERS}


@pytest.mark.parametrize("loader", [loader.name for loader in LOADERS])
def test_of_every_loader(loader: str, tmp_path: Path, encoder: CachedEncoder) -> None:
    documents = list(documents_of(made(tmp_path, SAMPLES[loader])))
    assert documents
    for document in documents:
        assert not [*false_units(document, chunks_of(document, encoder, ChunkerParameters(size=60)))]


@given(st.text(alphabet="ab .,:?!\r\n\t-|[12]()=\u202e\u2067\u2069\u00ad\u05d0\u0308\x0c\u2028", max_size=300))
def test_of_any_text(text: str) -> None:
    document = Document("d", "", text)
    assert not [*false_units(document, [Chunk("d#0", "d", "", text, 0, len(text))])]


QUESTIONS = (
    *("What is here?", "Summarise harbour.txt", "Summarise log.pdf", "Which documents mention the harbour?"),
    *("How much is the toll?", "shorter", "more", "in other words", "are you sure?", "where does it say that?"),
    *("How deep is the harbour?", "How do I sort the berths?", "What does a berth cost?", "What loads do ropes bear?"),
    *("Which things should I bring?", "Who sailed the Aurora?", "When was the harbour built and how deep is it?"),
    *("What is the difference between hemp and nylon?", "Is the log of 1911 there?", "What orbits the Earth?"),
)  # fmt: skip


class WordEncoder(RandomEncoder):
    """Of the words alone: a model takes most of the time, and what is quoted has to be true whatever was found."""

    name, hash = "words", "1" * 64

    def encode(self, texts: Sequence[str], role: Role) -> Vectors:
        return hashed_vectors(texts, self.dimension)


@pytest.fixture
def settings(tmp_path: Path, encoder: CachedEncoder, cache: Path) -> Callable[..., Settings]:
    def indexed(*documents: Path) -> Settings:
        for _ in index([*documents], tmp_path / "library", encoder):
            pass
        return read_settings(library=tmp_path / "library", home=tmp_path / "home", cache=cache)

    return indexed


def false_turns(settings: Settings, questions: Sequence[str], tool: str = "") -> Iterator[str]:
    with Assistant.open(settings) as assistant:
        store = assistant.services.library.store
        texts = {one.id: one.text for one in store.documents([one.id for one in store.catalogue.documents])}
        quoting = 0
        for question in questions:
            turn = turn_of(assistant, "t", question, tool=tool)
            quoting += any(claim.quotes for claim in turn.answer.claims)
            yield from (f"{question} {one}" for claim in turn.answer.claims for one in false(claim, texts))
        assert quoting >= len(questions) / 3, "it answers"


def test_of_whole_turns(tmp_path: Path, settings: Callable[..., Settings]) -> None:
    files = {name: content for sample in SAMPLES.values() for name, content in sample.items()}
    assert not [*false_turns(settings(made(tmp_path / "documents", files)), QUESTIONS[1::2])]


MOST = 100
"""Documents of a collection that is not indexed."""

GROUPS = 5
"""Of collections, each in a library of its own."""


def collections() -> list[Path]:
    data = Path(os.environ.get("CLEW_DATA", Path(__file__).parents[3].parent / "shared" / "data"))
    own = Path(__file__).parents[2] / "training" / "conversations" / "documents"
    return [
        path
        for folder in (own, data, data.parent / "talk" / "collections")
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.is_dir() and path.name != "qa"
    ]


@pytest.mark.parametrize("collection", collections(), ids=lambda path: path.name)
def test_of_a_few_documents_of_each_collection(collection: Path, encoder: CachedEncoder) -> None:
    for document in islice(documents_of(collection), 0, 40, 8):
        chunks = chunks_of(document, encoder, ChunkerParameters())[:40]
        assert not [*false_units(document, chunks)]


@pytest.mark.soak
@pytest.mark.parametrize("tool", ["", "communities", "local", "walk", "clues"])
def test_of_whole_turns_by_every_tool(tmp_path: Path, settings: Callable[..., Settings], tool: str) -> None:
    files = {name: content for sample in SAMPLES.values() for name, content in sample.items()}
    questions = QUESTIONS[4 if tool else 0 :]
    assert not [*false_turns(settings(made(tmp_path / "documents", files)), questions, tool)]


@pytest.mark.soak
@pytest.mark.parametrize("group", range(GROUPS))
def test_of_whole_turns_over_each_collection(
    group: int, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every so-manieth of them in one library."""
    encoder = CachedEncoder(WordEncoder(), tmp_path / "cache")
    monkeypatch.setattr("clew.agent.assistant.encoder_for", lambda _: encoder)
    taken, about = [], []
    for collection in collections()[group::GROUPS]:
        documents = [*islice(documents_of(collection), MOST)]
        if len(documents) == MOST:
            continue  # it takes long to index
        taken.append(collection)
        marks = [mark.text.rpartition(BELOW)[2] for document in documents for mark in document.headings][
            :: max(1, len(documents) // 4)
        ]
        about += [f"Summarise {document.title}" for document in documents[:2]]
        about += [f"What is said of {mark}?" for mark in marks[:4]]
    for _ in index(taken, tmp_path / "library", encoder):
        pass
    settings = read_settings(library=tmp_path / "library", home=tmp_path / "home", cache=cache)
    assert not [*false_turns(settings, [*QUESTIONS[:1], *about, *QUESTIONS[5:10]])]


@pytest.mark.soak
@pytest.mark.parametrize("collection", collections(), ids=lambda path: path.name)
def test_of_every_third_document_of_each_collection(collection: Path, encoder: CachedEncoder) -> None:
    for document in islice(documents_of(collection), 0, 3000, 3):
        assert not [*false_units(document, chunks_of(document, encoder, ChunkerParameters()))]
