"""Answers about documents, and not about what stands in one place of them: an overview of the library, the summary of a
document, how many there are. Quoted, and in a few words of Clew's own that name documents and count them. How they are
asked for stands in a table for each language (`corpus_answers.LANGUAGE.txt`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from clew.agent.answer.excerpts import whole_region
from clew.agent.answer.offered import bare, made_of
from clew.agent.answer.summary import SummaryLine, summary_of
from clew.agent.state import Answer, Claim, Quote
from clew.agent.talk.lines import line
from clew.memory.datatypes import Document, Passage, Vectors
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.knowledge.catalogue import KINDS, Catalogue, Listed
from clew.memory.knowledge.library import LibraryStore
from clew.memory.language.esperanto_words import nominative
from clew.memory.language.telling import language_of
from clew.memory.ports import Encoder
from clew.memory.text import BELOW, ITEM, LANGUAGES, Span, content_words, split, written_words
from clew.tools.base import passages_of

WHOLE_TITLE = 0.99
"""The share of a title's words and of those that name it, from which nothing but that document is named."""

PASSAGES = 10
"""Of a summarised document, beside those that are quoted."""

LONGEST_TITLE = 12
"""Words of a title that is shown."""

MOST_WORDS = 115
"""Words of an overview."""

MOST_FOLDERS = 10
"""Folders that are counted one by one."""

DETAILS = 300
"""Titles that the step of an answer lists."""

_WORD = re.compile(r"\b[^\W\dA-Z_]{3,}\b")


CHOSEN = ", regarding "
"""Behind which a question that was asked back has what was chosen."""


@dataclass(frozen=True, slots=True)
class CorpusAnswer:
    """`passages` are the evidence; `why` and `details` are for the steps."""

    answer: Answer
    passages: tuple[Passage, ...] = ()
    why: str = ""
    details: tuple[str, ...] = ()


# What is asked ----------------------------------------------------------------------------------------------------

CorpusKind = Literal["overview", "summary", "count"]


@dataclass(frozen=True, slots=True)
class CorpusQuestion:
    """`of` names the document of a summary. `plainly`: a summary is asked for in this word or one like it. `points`:
    `of` is a pronoun, or a document that was spoken of."""

    kind: CorpusKind
    of: str = ""
    plainly: bool = True
    points: bool = False
    language: str = "en"


def corpus_question(text: str) -> CorpusQuestion | None:
    """None for a question about what stands in documents, as most are."""
    spoken = language_of(text)
    each = (_question_in(language, text) for language in sorted(LANGUAGES, key=lambda one: one != spoken))
    return next(filter(None, each), None)


@cache
def _patterns(language: str, name: str) -> tuple[re.Pattern[str], ...]:
    """Those of one list of the table."""
    words: dict[str, str] = {}
    lists: dict[str, list[re.Pattern[str]]] = {}
    for row in Path(__file__).with_suffix(f".{language}.txt").read_text("utf-8").splitlines():
        if row.startswith("[") and row.endswith("]") and row[1:-1].isalpha():
            found = lists.setdefault(row[1:-1], [])
        elif row.strip() and not row.startswith("# "):
            filled = re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], row)
            if lists:
                found.append(re.compile(filled))
            else:
                key, _, value = filled.partition(" = ")
                words[key] = value
    return tuple(lists[name])


def _question_in(language: str, text: str) -> CorpusQuestion | None:
    """By the patterns of one language, over the words in lower case and without accents, which are as many."""
    written = " ".join(text.replace("\u2019", "'").split()).strip("\u00bf\u00a1 ").rstrip("?!. ")
    plain = _plain(written)
    tail, courtesy = _patterns(language, "tail")[0].search(plain), _patterns(language, "courtesy")[0].match(plain)
    start, end = courtesy.end() if courtesy else 0, tail.start() if tail else len(plain)
    written, plain = written[start:end], plain[start:end]

    def matched(name: str) -> re.Match[str] | None:
        return next(filter(None, (pattern.fullmatch(plain) for pattern in _patterns(language, name))), None)

    if matched("overview"):
        return CorpusQuestion("overview", language=language)
    if matched("count"):
        return CorpusQuestion("count", language=language)
    for name in ("summarised", "about"):
        if match := matched(name):
            of = written[slice(*match.span("of"))].strip()
            points = any(pattern.fullmatch(_plain(of)) for pattern in _patterns(language, "pronoun"))
            if not points and language != LANGUAGES[0]:  # English articles are no names
                of = _named(of, language)
            return CorpusQuestion("summary", of, name == "summarised", points, language)
    return None


def _named(text: str, language: str) -> str:
    """Without articles before it, nor endings of the accusative."""
    text = text.strip(" ,\"'\u201c\u201d")
    match = _patterns(language, "article")[0].match(_plain(text))
    text = text[match.end() :] if match else text
    return _WORD.sub(lambda word: nominative(word[0]), text) if language == "eo" else text


def _plain(text: str) -> str:
    """Letter by letter in lower case and without accents."""
    return "".join(unicodedata.normalize("NFD", letter)[0].lower()[0] for letter in text.replace("\u00df", "s"))


# What answers are made of -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Corpus:
    """The documents of a library. `scope`: those that may be told of (None: all); `before` is the last answer of the
    thread, None where there is none; `subject` what all documents are about, empty where none is told; `language` that
    of what is said of them, by default the question's."""

    store: LibraryStore
    encoder: Encoder
    scope: frozenset[str] | None = None
    before: Callable[[], Answer | None] = field(default=lambda: None)
    subject: str = ""
    language: str = ""

    @property
    def catalogue(self) -> Catalogue:
        return self.store.catalogue

    @property
    def documents(self) -> list[Listed]:
        return [one for one in self.catalogue.documents if self.scope is None or one.id in self.scope]

    def line(self, key: str, count: int = 0, **values: str) -> str:
        """A line that counts documents."""
        of = line("document" if count == 1 else "documents", self.language, count=f"{count:,}")
        return line(key, self.language, count=f"{count:,}", documents=of, **values)

    def title(self, one: Listed) -> str:
        words = self.catalogue.shown[one.id].split()
        return " ".join(words[:LONGEST_TITLE]).rstrip(" ,;:") + ("\u2026" if len(words) > LONGEST_TITLE else "")

    def sentences(self, document: Document) -> tuple[list[Span], Vectors, list[int]]:
        """Of a document in their order: spans, vectors, and the chunk of each by number; made anew where the library
        keeps none."""
        graph = self.store.part()
        layers = graph.layers
        chunks = layers.chunk_documents == layers.document_ids.index(document.id)
        rows = np.flatnonzero(chunks[layers.sentence_chunks]) if len(layers.sentence_chunks) else np.zeros(0, np.int64)
        if len(rows):
            units = graph.sentences(rows.tolist())
            vectors = np.asarray(graph.sentence_vectors[rows], np.float32)
            return [(u.start, u.end) for u in units], vectors, layers.sentence_chunks[rows].tolist()
        numbers = np.flatnonzero(chunks).tolist()
        found = self.store.chunks([layers.chunk_ids[number] for number in numbers])
        spans = {(c.start + s, c.start + e): n for n, c in zip(numbers, found, strict=True) for s, e in split(c.text)}
        texts = [document.text[start:end] for start, end in sorted(spans)]
        return sorted(spans), self.encoder.encode(texts, "passage"), [spans[span] for span in sorted(spans)]

    def passages(self, chunks: Iterable[int], tool: str) -> list[Passage]:
        ids = self.store.part().layers.chunk_ids
        return passages_of(self.store.chunks([ids[number] for number in dict.fromkeys(chunks)]), tool)

    def first_chunks(self, ids: Sequence[str]) -> dict[str, int]:
        """Document -> the number of its first chunk."""
        layers = self.store.part().layers
        numbers = {id_: number for number, id_ in enumerate(layers.document_ids)}
        documents, first = np.unique(layers.chunk_documents, return_index=True)
        chunk = dict(zip(documents.tolist(), first.tolist(), strict=True))
        return {id_: chunk[numbers[id_]] for id_ in ids if numbers.get(id_) in chunk}


def corpus_answer(question: str, rewritten: str, corpus: Corpus) -> CorpusAnswer | None:
    """None where what is asked is not about documents as a whole, or names none that there is."""
    if offered := _offered(question, corpus) or _offered(rewritten, corpus):
        return offered
    asked = corpus_question(question)
    if asked and asked.of and not (asked.points and asked.kind == "summary"):  # "summarise it": of what was cited last
        asked = corpus_question(rewritten) or asked
    if asked is None or not corpus.documents:
        return None
    corpus = replace(corpus, language=corpus.language or asked.language)
    if asked.kind == "overview":
        alone = corpus.documents[0] if len(corpus.documents) == 1 else None
        return (alone and _summarised(alone, corpus)) or _overview(corpus)
    if asked.kind == "summary":
        return _summary(asked, corpus)
    return _counted(corpus)


def _offered(question: str, corpus: Corpus) -> CorpusAnswer | None:
    """To a question that was made of a title, a heading, or both; None where it was not, or they are not there."""
    titles, heading, language = made_of(question)
    corpus = replace(corpus, language=corpus.language or language)
    leans = heading and not titles  # on the last answer
    titled = _spoken_of(corpus) if leans else [one for one in corpus.documents if titles == (one.title,)]
    return next(filter(None, (_summarised(one, corpus, heading) for one in titled)), None)


# Summary ----------------------------------------------------------------------------------------------------------


def _summary(asked: CorpusQuestion, corpus: Corpus) -> CorpusAnswer | None:
    of = asked.of.rpartition(CHOSEN)[2]
    folders = {folder.casefold(): inside for folder, inside in corpus.catalogue.folders(corpus.scope).items() if folder}
    named = re.sub(r"^(?:the )?(?:folder|directory) | (?:folder|directory)$", "", of.casefold())
    if named != of.casefold() and (inside := folders.get(named.removeprefix("the "))):
        return _overview(replace(corpus, scope=frozenset(one.id for one in inside)))
    meant = _meant(of, asked, corpus)
    if asked.points and not meant and corpus.before() is None:
        return _overview(corpus)  # "What is this about?", as the first question
    if len(meant) == 1:
        return _summarised(meant[0], corpus)
    if len(meant) > 1 and (asked.plainly or len(meant) <= MOST_CHOICES):
        choices = [corpus.title(one).replace(";", ",") for one in meant[:MOST_CHOICES]]
        kinds = [word for word in written_words(of) if set(content_words(word)) & KINDS]
        back = Claim(clarifying_question(kinds[0] if kinds and not asked.points else "document", choices))
        return CorpusAnswer(Answer("unclear", (back,), nearest=tuple(choices), form="summary"), (), "which document?")
    return None


def _meant(of: str, asked: CorpusQuestion, corpus: Corpus) -> list[Listed]:
    """The documents that may be meant: one that was spoken of, or those that the words name; copies once."""
    if asked.points:
        spoken = _spoken_of(corpus)
        one = spoken[:1] if asked.plainly or len(spoken) == 1 else []
        return one or (corpus.documents if len(corpus.documents) == 1 else [])
    named = corpus.catalogue.named(of)
    documents = [one for one in named.documents if corpus.scope is None or one.id in corpus.scope]
    sure = named.by_file or (named.kind and named.coverage >= 0.8 and (named.dated or named.of_title > 0))
    sure = sure or min(named.coverage, named.of_title) >= WHOLE_TITLE
    if not (asked.plainly or sure) or not 1 < len(documents) <= MOST_CHOICES:
        return documents if asked.plainly or sure else []
    texts = [one.text for one in corpus.store.documents([one.id for one in documents])]
    return [one for place, one in enumerate(documents) if texts.index(texts[place]) == place]


def _spoken_of(corpus: Corpus) -> list[Listed]:
    """The documents that the last answer cites, in its order."""
    before = corpus.before()
    if before is None:
        return []
    cited = [before.sources[number - 1].document for claim in before.claims for number in claim.cites]
    known = {one.id: one for one in corpus.documents}
    return [known[id_] for id_ in dict.fromkeys(cited) if id_ in known]


def _summarised(one: Listed, corpus: Corpus, heading: str = "") -> CorpusAnswer | None:
    """Of all of it, or of what stands under a heading."""
    (document,) = corpus.store.documents([one.id])
    spans, vectors, chunks = corpus.sentences(document)
    if heading:
        above = (document.heading_at(start).split(BELOW) for start, _ in spans)
        rows = [row for row, headings in enumerate(above) if heading in map(bare, headings)]
        spans, vectors, chunks = [spans[row] for row in rows], vectors[rows], [chunks[row] for row in rows]
    lines = summary_of(document, spans, vectors)
    lines = [replace(line, label="") if line.label == heading else line for line in lines]
    if not lines:
        return None
    of_end = {end: chunk for (_, end), chunk in zip(spans, chunks, strict=True)}
    quoted = list(dict.fromkeys(of_end[line.end] for line in lines))
    passages = corpus.passages([*quoted, *(n for n in chunks if n not in quoted)][:PASSAGES], "summary")
    claims = _lines(document, lines, [quoted.index(of_end[line.end]) + 1 for line in lines])
    title = ": ".join(filter(None, (corpus.title(one), heading)))
    tables = [] if heading else _of_tables(document, corpus)
    head = Claim(corpus.line("in short", title=title))
    answer = Answer("summary", (head, *tables, *claims), tuple(passages[: len(quoted)]), form="summary")
    return CorpusAnswer(answer, tuple(passages), f"a summary of {title}")


def _of_tables(document: Document, corpus: Corpus) -> list[Claim]:
    """How many rows its tables have, and what their columns are called."""
    tables = corpus.store.tables.of(document.id)[:MOST_CHOICES]
    said = (
        (one.title, corpus.line("rows of", one.size, rows=f"{one.size:,}", heads=", ".join(one.heads)))
        for one in tables
    )
    return [Claim(f"{title}: {rows}" if title else rows, new_line=True) for title, rows in said]


def _lines(document: Document, lines: Sequence[SummaryLine], cites: Sequence[int]) -> list[Claim]:
    made, label, region = [], "", whole_region(document)
    for one, cite in zip(lines, cites, strict=True):
        fresh = one.label != label
        label = one.label
        if fresh and label:
            made.append(Claim(label if label[-1] in "?!:" else f"{label}:", new_line=True))
        said = Quote(document.id, one.start, one.end, document.text[one.start : one.end])
        text = " ".join(said.text.split())
        item = bool(ITEM.match(text)) or (fresh and not label)
        shown = region.in_table(one.start, one.end)
        made.append(Claim(text, (cite,), start=said.start, new_line=item, quotes=(said,), markup=shown))
    return [replace(claim, new_line=True) if not place else claim for place, claim in enumerate(made)]


# Count ------------------------------------------------------------------------------------------------------------


def _counted(corpus: Corpus) -> CorpusAnswer:
    """How many documents there are, and in which folders."""
    folders = corpus.catalogue.folders(corpus.scope)
    by_size = sorted(folders.items(), key=lambda item: -len(item[1]))[:MOST_FOLDERS]
    parts = ", ".join(f"{name or corpus.line('not in a folder')} {len(inside):,}" for name, inside in by_size)
    how = f"{corpus.line('in folders', len(folders))}: {parts}" if folders else ""
    how += f" {corpus.line('and more', len(folders) - MOST_FOLDERS)}" if len(folders) > MOST_FOLDERS else ""
    are = "is" if len(corpus.documents) == 1 else "are"
    text = corpus.line("all documents", len(corpus.documents), here="here", how=how, are=are)
    return CorpusAnswer(Answer("answered", (Claim(f"{text}."),), form="fact"), (), "all documents counted")


# Overview ---------------------------------------------------------------------------------------------------------


def _spread(documents: Sequence[Listed], most: int) -> Sequence[Listed]:
    """At most so many, spread over all of them."""
    return documents[:: -(-len(documents) // most)]


def _overview(corpus: Corpus) -> CorpusAnswer:
    """A line a folder where the documents lie in several, else a line a title; of titles as many as there is room for.
    The step has all of them."""
    documents, folders = corpus.documents, corpus.catalogue.folders(corpus.scope)
    groups, how = {"": documents}, ""
    if 1 < len(folders) <= max(2, len(documents) / 2):
        groups = {name or corpus.line("not in a folder"): inside for name, inside in folders.items()}
        how = corpus.line("in folders", len(groups))
    here = f"here on {corpus.subject}" if corpus.subject and len(documents) > 1 else "here"
    are = "is" if len(documents) == 1 else "are"
    text = corpus.line("all documents", len(documents), here=here, how=how, are=are) + ":"
    claims, sources = _fitted(groups, corpus, MOST_WORDS - len(text.split()))
    listed = [f"{name or 'documents'}: {corpus.title(one)}" for name, inside in groups.items() for one in inside]
    details = (*listed[:DETAILS], *([f"and {len(listed) - DETAILS} more"] if len(listed) > DETAILS else ()))
    answer = Answer("answered", (Claim(text), *claims), tuple(sources), form="overview")
    return CorpusAnswer(answer, tuple(sources), f"an overview of {len(documents):,} documents", details)


def _fitted(groups: Mapping[str, Sequence[Listed]], corpus: Corpus, words: int) -> tuple[list[Claim], list[Passage]]:
    """As many titles of each group as so many words have room for; of the largest groups, where they have none for
    all."""
    by_size = sorted(groups, key=lambda name: -len(groups[name]))
    titles = (3, 2, 1) if len(groups) > 1 else (10, 7, 5)
    for most, lines in (*((number, len(groups)) for number in titles), (titles[-1], 12), (titles[-1], 8)):
        largest = {*by_size[:lines]}
        told = [name for name in groups if name in largest]
        claims = [claim for name in told for claim in _titles(name, groups[name], most, corpus)]
        if sum(len(claim.text.split()) for claim in claims) <= words:
            break
    shown = [one for name in told for one in _spread(groups[name], most)]
    sources = corpus.passages(corpus.first_chunks([one.id for one in shown]).values(), "overview")
    numbers, documents = {source.document: n for n, source in enumerate(sources, 1)}, iter(shown)
    made = [replace(one, cites=(numbers[next(documents).id],)) if one.cites else one for one in claims]
    if left := by_size[lines:]:
        rest = sum(len(groups[name]) for name in left)
        made.append(Claim(corpus.line("more elsewhere", rest, folders=str(len(left))), new_line=True))
    return made, sources


def _titles(name: str, documents: Sequence[Listed], most: int, corpus: Corpus) -> list[Claim]:
    """`club, 4 documents:`, then titles, each to be cited, then how many there are more."""
    shown, count = _spread(documents, most), len(documents)
    number = corpus.line("documents" if count > 1 else "document", count)
    head = [Claim(f"{name}, {number}:", new_line=True)] if name else []
    claims = [Claim(f"\u201c{corpus.title(one)}\u201d", (0,), new_line=not name) for one in shown]
    more = [Claim(corpus.line("and more", count - len(shown)))] if count > len(shown) else []
    return [*head, *claims, *more]
