"""Answers about documents as a whole: an overview of the library, or the summary of a document. They are made of
quotations and a few words of Clew's own. The ways to ask for them are in a table for each language
(`corpus_answers.LANGUAGE.txt`); Clew also offers such questions itself, made of titles and headings."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from clew.agent.state import UNANSWERED, Answer, Claim, Made, Quote
from clew.agent.talk.lines import line
from clew.memory.datatypes import Document, Passage, Vectors
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.knowledge.catalogue import Listed
from clew.memory.knowledge.document_parts import whole_region
from clew.memory.knowledge.library import LibraryStore
from clew.memory.knowledge.summary import NUMBERING, SummaryLine, summary_of
from clew.memory.language.telling import language_of
from clew.memory.text import BELOW, ITEM, LANGUAGES, Span, read_patterns
from clew.tools.base import passages_of

WHOLE_TITLE = 0.99
"""A document is meant for certain if this share of its title is in the question's words, and of those in the title."""

PASSAGES = 10
"""Of a summarised document, beside those that are quoted."""

FEW = 3
"""Sentences under a heading, or with its words, that are quoted where none of them reads as one."""

LONGEST_TITLE = 12
"""Words of a title that are shown."""

TITLES, FOLDERS = 9, 8
"""How many titles an overview lists, spread over the folders; how many folders it lists, the largest first."""

CHOSEN = ", regarding "
"""In a question that was completed by a person's choice, the choice stands behind this."""


# What is asked ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CorpusQuestion:
    """A question about documents. `of` names the document to summarise. `plainly`: it says "summary" or the like.
    `points`: `of` is a pronoun, or stands for a document that was mentioned before."""

    kind: Literal["overview", "summary"]
    of: str = ""
    plainly: bool = True
    points: bool = False
    language: str = "en"


def corpus_question(text: str) -> CorpusQuestion | None:
    """The question as one about documents; None if it asks what stands in them, as most questions do."""
    spoken = language_of(text)
    each = (_question_in(language, text) for language in sorted(LANGUAGES, key=lambda one: one != spoken))
    return next(filter(None, each), None)


@cache
def _patterns(language: str) -> Mapping[str, Sequence[re.Pattern[str]]]:
    """The patterns of a language's table by kind, which is the first word of their names."""
    kinds = defaultdict[str, list[re.Pattern[str]]](list)
    for name, pattern in read_patterns(Path(__file__).with_suffix(f".{language}.txt")).items():
        kinds[name.partition(" ")[0]].append(re.compile(pattern))
    return kinds


def _question_in(language: str, text: str) -> CorpusQuestion | None:
    """The same by the table of one language; it is matched in lower case and without accents."""
    written = " ".join(text.replace("\u2019", "'").split()).strip("\u00bf\u00a1 ").rstrip("?!. ")
    plain = _plain(written)
    lists = _patterns(language)
    tail, courtesy = lists["tail"][0].search(plain), lists["courtesy"][0].match(plain)
    start, end = courtesy.end() if courtesy else 0, tail.start() if tail else len(plain)
    written, plain = written[start:end], plain[start:end]

    def matched(name: str, said: str) -> re.Match[str] | None:
        return next(filter(None, (pattern.fullmatch(said) for pattern in lists[name])), None)

    if matched("overview", plain):
        return CorpusQuestion("overview", language=language)
    for name in ("summarised", "about"):
        if match := matched(name, plain):
            of = written[slice(*match.span("of"))].strip(" ,\"'\u201c\u201d")
            points = matched("pronoun", _plain(of)) is not None
            if not points and language != LANGUAGES[0]:  # English articles are no names
                article = lists["article"][0].match(_plain(of))
                of = of[article.end() :] if article else of
            return CorpusQuestion("summary", of, name == "summarised", points, language)
    return None


def _plain(text: str) -> str:
    """The text in lower case and without accents, letter by letter, so that positions stay the same."""
    return "".join(unicodedata.normalize("NFD", letter)[0].lower()[0] for letter in text.replace("\u00df", "s"))


# Questions of Clew's own --------------------------------------------------------------------------------------------


class MadeOf(NamedTuple):
    """What an offered question was made of: titles, a heading or none, and the language."""

    titles: tuple[str, ...] = ()
    heading: str = ""
    language: str = ""


def offer(language: str, heading: str = "", *titles: str) -> str:
    """A question to offer: with a heading, what is said of it in one or two documents, or in the last answer's; without
    one, what a document is about; without both, what all documents are about."""
    kind = ("and about", "says", "both")[len(titles)] if heading else ("all", "about")[len(titles)]
    title, other = (*titles, "", "")[:2]
    return line(f"offer {kind}", language, title=title, other=other, heading=heading)


def made_of(question: str) -> MadeOf:
    """What an offered question was made of; an empty `MadeOf` for any other question."""
    *titles, last = re.findall("“([^“”]+)”", question)[:3] or [""]
    for language in LANGUAGES if last else ():
        about_title = [] if titles else [MadeOf((last,), "", language)]
        for made in (MadeOf(tuple(titles), last, language), *about_title):
            if offer(language, made.heading, *made.titles) == question.strip():
                return made
    return MadeOf()


def bare(heading: str) -> str:
    """A heading without those above it, its number and its marks."""
    return NUMBERING.sub("", heading.rpartition(BELOW)[2]).strip(" .:#*")


# What answers are made of -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Corpus:
    """The documents of a library. `scope`: the ids that may be mentioned (None: all); `before` gives the last answer of
    the thread, or None; `language` is the language to answer in, by default the question's."""

    store: LibraryStore
    scope: frozenset[str] | None = None
    before: Callable[[], Answer | None] = field(default=lambda: None)
    language: str = ""

    @property
    def documents(self) -> list[Listed]:
        return self.within(self.store.catalogue.documents)

    def within(self, documents: Sequence[Listed]) -> list[Listed]:
        """The documents of these that are in scope."""
        return [one for one in documents if self.scope is None or one.id in self.scope]

    def line(self, key: str, count: int = 0, **values: str) -> str:
        """A line of `lines.txt` that says how many documents there are."""
        of = line("document" if count == 1 else "documents", self.language, count=f"{count:,}")
        return line(key, self.language, count=f"{count:,}", documents=of, **values)

    def title(self, one: Listed) -> str:
        words = self.store.catalogue.shown[one.id].split()
        return " ".join(words[:LONGEST_TITLE]).rstrip(" ,;:") + ("\u2026" if len(words) > LONGEST_TITLE else "")

    def sentences(self, document: Document) -> tuple[list[Span], Vectors, list[int]]:
        """The sentences of a document in order: their spans, vectors, and the numbers of their chunks."""
        graph = self.store.part()
        layers = graph.layers
        chunks = layers.chunk_documents == layers.document_ids.index(document.id)
        rows = np.flatnonzero(chunks[layers.sentence_chunks])
        spans = [(one.start, one.end) for one in graph.sentences(rows.tolist())]
        return spans, np.asarray(graph.sentence_vectors[rows], np.float32), layers.sentence_chunks[rows].tolist()

    def passages(self, chunks: Iterable[int], tool: str) -> list[Passage]:
        ids = self.store.part().layers.chunk_ids
        return passages_of(self.store.chunks([ids[number] for number in dict.fromkeys(chunks)]), tool)

    def first_chunks(self, ids: Sequence[str]) -> list[int]:
        """The number of the first chunk of each of these documents."""
        layers = self.store.part().layers
        documents, first = np.unique(layers.chunk_documents, return_index=True)
        by_id = {layers.document_ids[n]: chunk for n, chunk in zip(documents.tolist(), first.tolist(), strict=True)}
        return [by_id[id_] for id_ in ids if id_ in by_id]


def corpus_answer(question: str, rewritten: str, corpus: Corpus) -> Made | None:
    """The answer; None if the question is not about documents as a whole, or names none that exists."""
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
    return _summary(asked, corpus)


def _offered(question: str, corpus: Corpus) -> Made | None:
    """The answer to an offered question; None if it is no such question, or its documents are gone."""
    titles, heading, language = made_of(question)
    corpus = replace(corpus, language=corpus.language or language)
    leans = heading and not titles  # on the last answer
    titled = _spoken_of(corpus) if leans else [one for one in corpus.documents if titles == (one.title,)]
    return next(filter(None, (_summarised(one, corpus, heading) for one in titled)), None)


# Summary ----------------------------------------------------------------------------------------------------------


def _summary(asked: CorpusQuestion, corpus: Corpus) -> Made | None:
    meant = _meant(asked.of.rpartition(CHOSEN)[2], asked, corpus)
    if asked.points and not meant and corpus.before() is None:
        return _overview(corpus)  # "What is this about?", as the first question
    if len(meant) == 1:
        return _summarised(meant[0], corpus)
    if len(meant) > 1 and (asked.plainly or len(meant) <= MOST_CHOICES):
        choices = [corpus.title(one).replace(";", ",") for one in meant[:MOST_CHOICES]]
        back = Claim(clarifying_question("document", choices, corpus.language))
        return Made(Answer("unclear", (back,), nearest=tuple(choices), form="summary"), why="which document?")
    return None


def _meant(of: str, asked: CorpusQuestion, corpus: Corpus) -> list[Listed]:
    """The documents that may be meant: one that was mentioned, or those that the words name; of copies only one."""
    if asked.points:
        spoken = _spoken_of(corpus)
        one = spoken[:1] if asked.plainly or len(spoken) == 1 else []
        return one or (corpus.documents if len(corpus.documents) == 1 else [])
    named = corpus.store.catalogue.named(of)
    sure = named.by_file or (named.kind and named.coverage >= 0.8 and (named.dated or named.of_title > 0))
    sure = sure or min(named.coverage, named.of_title) >= WHOLE_TITLE
    documents = corpus.within(named.documents) if asked.plainly or sure else []
    if not 1 < len(documents) <= MOST_CHOICES:
        return documents
    texts = [one.text for one in corpus.store.documents([one.id for one in documents])]
    return [one for place, one in enumerate(documents) if texts.index(texts[place]) == place]


def _spoken_of(corpus: Corpus) -> list[Listed]:
    """The documents that the last answer cites, in its order."""
    before, known = corpus.before() or UNANSWERED, {one.id: one for one in corpus.documents}
    cited = (before.sources[number - 1].document for claim in before.claims for number in claim.cites)
    return [known[id_] for id_ in dict.fromkeys(cited) if id_ in known]


def _summarised(one: Listed, corpus: Corpus, heading: str = "") -> Made | None:
    """The summary of a document, of what stands under one heading of it, or, without such a heading, of what has these
    words."""
    (document,) = corpus.store.documents([one.id])
    spans, vectors, chunks = corpus.sentences(document)
    if heading:
        above = (document.heading_at(start).split(BELOW) for start, _ in spans)
        rows = [row for row, headings in enumerate(above) if heading in map(bare, headings)]
        rows = rows or [row for row, (start, end) in enumerate(spans) if heading in document.text[start:end]]
        spans, vectors, chunks = [spans[row] for row in rows], vectors[rows], [chunks[row] for row in rows]
    lines = summary_of(document, spans, vectors) or [SummaryLine("", *span) for span in spans[: FEW * bool(heading)]]
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
    return Made(answer, passages=tuple(passages), why=f"a summary of {title}")


def _of_tables(document: Document, corpus: Corpus) -> list[Claim]:
    """Lines that say how many rows the document's tables have, and the names of their columns."""
    tables = corpus.store.tables.of(document.id)[:MOST_CHOICES]
    rows = [corpus.line("rows of", one.size, rows=f"{one.size:,}", heads=", ".join(one.heads)) for one in tables]
    said = (f"{one.title}: {of}" if one.title else of for one, of in zip(tables, rows, strict=True))
    return [Claim(text, new_line=True) for text in said]


def _lines(document: Document, lines: Sequence[SummaryLine], cites: Sequence[int]) -> list[Claim]:
    made, label, region = list[Claim](), "", whole_region(document)
    for one, cite in zip(lines, cites, strict=True):
        fresh, label = one.label != label, one.label
        if fresh and label:
            made.append(Claim(label if label[-1] in "?!:" else f"{label}:", new_line=True))
        said = Quote(document.id, one.start, one.end, document.text[one.start : one.end])
        text, shown = " ".join(said.text.split()), region.in_table(one.start, one.end)
        begins = not made or bool(ITEM.match(text)) or (fresh and not label)
        made.append(Claim(text, (cite,), start=said.start, new_line=begins, quotes=(said,), markup=shown))
    return made


# Overview ---------------------------------------------------------------------------------------------------------


def _overview(corpus: Corpus) -> Made:
    """The number of documents, then a line for each folder if there are several, else a line for each title."""
    documents, folders = corpus.documents, corpus.store.catalogue.folders(corpus.scope)
    in_folders = 1 < len(folders) <= max(2, len(documents) / 2)
    groups = folders if in_folders else {"": documents}
    how, are = corpus.line("in folders", len(groups)) if in_folders else "", "is" if len(documents) == 1 else "are"
    claims = [Claim(f"{corpus.line('all documents', len(documents), how=how, are=are)}:")]
    told, shown = sorted(groups, key=lambda name: -len(groups[name]))[:FOLDERS], list[Listed]()
    for name in (one for one in groups if one in told):
        inside, new_line = groups[name], not in_folders
        if in_folders:
            number = corpus.line("documents" if len(inside) > 1 else "document", len(inside))
            claims.append(Claim(f"{name or corpus.line('not in a folder')}, {number}:", new_line=True))
        its = inside[:: -(-len(inside) * len(told) // TITLES)]  # spread over all of them
        for shown_one in its:
            shown.append(shown_one)
            claims.append(Claim(f"\u201c{corpus.title(shown_one)}\u201d", (len(shown),), new_line=new_line))
        if len(its) < len(inside):
            claims.append(Claim(corpus.line("and more", len(inside) - len(its))))
    if left := [len(groups[name]) for name in groups if name not in told]:
        claims.append(Claim(corpus.line("more elsewhere", sum(left), folders=str(len(left))), new_line=True))
    sources = tuple(corpus.passages(corpus.first_chunks([one.id for one in shown]), "overview"))
    answer = Answer("answered", tuple(claims), sources, form="overview")
    return Made(answer, passages=sources, why=f"an overview of {len(documents):,} documents")
