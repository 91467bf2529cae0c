"""Answers about documents, and not about what stands in one place of them: an overview of the library, the summary of a
document, how many there are. Quoted, and in a few words of Clew's own that name documents and count them. How they are
asked for stands in a table for each language (`corpus_answers.LANGUAGE.txt`), or Clew itself has made and offered the
question, of titles and headings.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from clew.agent.answer.excerpts import whole_region
from clew.agent.answer.summary import SummaryLine, summary_of
from clew.agent.state import UNANSWERED, Answer, Claim, Quote
from clew.agent.talk.lines import line
from clew.memory.datatypes import Document, Passage, Vectors
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.knowledge.catalogue import KINDS, Listed
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
_NAME, _NUMBERING = "\0", re.compile(r"^[\s#*]*(?:\(?\d+(?:\.\d+)*[.)]?\s+)?")

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
def _patterns(language: str) -> Mapping[str, Sequence[re.Pattern[str]]]:
    """Those of a table by their list. Above the lists stand words, that a pattern has in braces."""
    words, lists, name = dict[str, str](), defaultdict[str, list[re.Pattern[str]]](list), ""
    for row in Path(__file__).with_suffix(f".{language}.txt").read_text("utf-8").splitlines():
        filled = re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], "" if row.startswith("# ") else row.rstrip())
        if row.startswith("[") and row.endswith("]") and row[1:-1].isalpha():
            name = row[1:-1]
        elif name and filled:
            lists[name].append(re.compile(filled))
        elif filled:
            key, _, words[key] = filled.partition(" = ")
    return lists


def _question_in(language: str, text: str) -> CorpusQuestion | None:
    """By the patterns of one language, over the words in lower case and without accents, which are as many."""
    written = " ".join(text.replace("\u2019", "'").split()).strip("\u00bf\u00a1 ").rstrip("?!. ")
    plain = _plain(written)
    lists = _patterns(language)
    tail, courtesy = lists["tail"][0].search(plain), lists["courtesy"][0].match(plain)
    start, end = courtesy.end() if courtesy else 0, tail.start() if tail else len(plain)
    written, plain = written[start:end], plain[start:end]

    def matched(name: str, said: str) -> re.Match[str] | None:
        return next(filter(None, (pattern.fullmatch(said) for pattern in lists[name])), None)

    for kind in ("overview", "count"):
        if matched(kind, plain):
            return CorpusQuestion(kind, language=language)
    for name in ("summarised", "about"):
        if match := matched(name, plain):
            of = written[slice(*match.span("of"))].strip()
            points = matched("pronoun", _plain(of)) is not None
            if not points and language != LANGUAGES[0]:  # English articles are no names
                of = _named(of, language)
            return CorpusQuestion("summary", of, name == "summarised", points, language)
    return None


def _named(text: str, language: str) -> str:
    """Without articles before it, nor endings of the accusative."""
    text = text.strip(" ,\"'\u201c\u201d")
    match = _patterns(language)["article"][0].match(_plain(text))
    text = text[match.end() :] if match else text
    return _WORD.sub(lambda word: nominative(word[0]), text) if language == "eo" else text


def _plain(text: str) -> str:
    """Letter by letter in lower case and without accents."""
    return "".join(unicodedata.normalize("NFD", letter)[0].lower()[0] for letter in text.replace("\u00df", "s"))


# Questions of Clew's own --------------------------------------------------------------------------------------------


class MadeOf(NamedTuple):
    """The titles that a question was made of, the heading if it has one, and its language."""

    titles: tuple[str, ...] = ()
    heading: str = ""
    language: str = ""


def offer(language: str, heading: str = "", *titles: str) -> str:
    """The question of what is said of a heading, in one or two documents of these titles or on from the last answer; of
    what one is about; without either, of what all are about."""
    kind = ("and about", "says", "both")[len(titles)] if heading else ("all", "about")[len(titles)]
    title, other = (*titles, "", "")[:2]
    return line(f"offer {kind}", language, title=title, other=other, heading=heading)


@cache
def _forms() -> list[tuple[int, bool, str, re.Pattern[str]]]:
    """How many titles each has, whether a heading, in which language."""
    kinds = [(n, h, one) for n, h in ((0, True), (1, False), (1, True), (2, True)) for one in LANGUAGES]
    said = [re.escape(offer(one, _NAME * h, *[_NAME] * n)).replace(re.escape(_NAME), "([^“”]+)") for n, h, one in kinds]
    return [(*kind, re.compile(pattern)) for kind, pattern in zip(kinds, said, strict=True)]


def made_of(question: str) -> MadeOf:
    """Nothing for any other question."""
    for titles, headed, language, form in _forms():
        if match := form.fullmatch(question.strip()):
            return MadeOf(match.groups()[:titles], match.groups()[-1] if headed else "", language)
    return MadeOf()


def bare(heading: str) -> str:
    """A heading without those above it, its number and its marks."""
    return _NUMBERING.sub("", heading.rpartition(BELOW)[2]).strip(" .:#*")


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
    def documents(self) -> list[Listed]:
        return self.within(self.store.catalogue.documents)

    @property
    def folders(self) -> dict[str, list[Listed]]:
        return self.store.catalogue.folders(self.scope)

    def within(self, documents: Sequence[Listed]) -> list[Listed]:
        """Those of the scope."""
        return [one for one in documents if self.scope is None or one.id in self.scope]

    def counted(self, how: str, here: str = "here") -> str:
        """How many documents there are, and `how` they lie."""
        count = len(self.documents)
        return self.line("all documents", count, here=here, how=how, are="is" if count == 1 else "are")

    def line(self, key: str, count: int = 0, **values: str) -> str:
        """A line that counts documents."""
        of = line("document" if count == 1 else "documents", self.language, count=f"{count:,}")
        return line(key, self.language, count=f"{count:,}", documents=of, **values)

    def title(self, one: Listed) -> str:
        words = self.store.catalogue.shown[one.id].split()
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

    def first_chunks(self, ids: Sequence[str]) -> list[int]:
        """Of these documents, by number."""
        layers = self.store.part().layers
        documents, first = np.unique(layers.chunk_documents, return_index=True)
        by_id = {layers.document_ids[n]: chunk for n, chunk in zip(documents.tolist(), first.tolist(), strict=True)}
        return [by_id[id_] for id_ in ids if id_ in by_id]


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
    folders = {folder.casefold(): inside for folder, inside in corpus.folders.items() if folder}
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
    named = corpus.store.catalogue.named(of)
    documents = corpus.within(named.documents)
    sure = named.by_file or (named.kind and named.coverage >= 0.8 and (named.dated or named.of_title > 0))
    sure = sure or min(named.coverage, named.of_title) >= WHOLE_TITLE
    if not (asked.plainly or sure) or not 1 < len(documents) <= MOST_CHOICES:
        return documents if asked.plainly or sure else []
    texts = [one.text for one in corpus.store.documents([one.id for one in documents])]
    return [one for place, one in enumerate(documents) if texts.index(texts[place]) == place]


def _spoken_of(corpus: Corpus) -> list[Listed]:
    """The documents that the last answer cites, in its order."""
    before, known = corpus.before() or UNANSWERED, {one.id: one for one in corpus.documents}
    cited = (before.sources[number - 1].document for claim in before.claims for number in claim.cites)
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


# Count ------------------------------------------------------------------------------------------------------------


def _counted(corpus: Corpus) -> CorpusAnswer:
    """How many documents there are, and in which folders."""
    folders = corpus.folders
    by_size = sorted(folders.items(), key=lambda item: -len(item[1]))[:MOST_FOLDERS]
    parts = ", ".join(f"{name or corpus.line('not in a folder')} {len(inside):,}" for name, inside in by_size)
    how = f"{corpus.line('in folders', len(folders))}: {parts}" if folders else ""
    how += f" {corpus.line('and more', len(folders) - MOST_FOLDERS)}" if len(folders) > MOST_FOLDERS else ""
    said = Claim(f"{corpus.counted(how)}.")
    return CorpusAnswer(Answer("answered", (said,), form="fact"), (), "all documents counted")


# Overview ---------------------------------------------------------------------------------------------------------


def _overview(corpus: Corpus) -> CorpusAnswer:
    """A line a folder where the documents lie in several, else a line a title; of titles as many as there is room for.
    The step has all of them."""
    documents, folders = corpus.documents, corpus.folders
    groups, how = {"": documents}, ""
    if 1 < len(folders) <= max(2, len(documents) / 2):
        groups = {name or corpus.line("not in a folder"): inside for name, inside in folders.items()}
        how = corpus.line("in folders", len(groups))
    here = f"here on {corpus.subject}" if corpus.subject and len(documents) > 1 else "here"
    text = f"{corpus.counted(how, here)}:"
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
        largest = [name for name in groups if name in by_size[:lines]]
        told = {name: groups[name][:: -(-len(groups[name]) // most)] for name in largest}  # spread over all of them
        claims = [one for name, shown in told.items() for one in _titles(name, shown, len(groups[name]), corpus)]
        if sum(len(claim.text.split()) for claim in claims) <= words:
            break
    shown = [*chain.from_iterable(told.values())]
    sources = corpus.passages(corpus.first_chunks([one.id for one in shown]), "overview")
    numbers, documents = {source.document: n for n, source in enumerate(sources, 1)}, iter(shown)
    made = [replace(one, cites=(numbers[next(documents).id],)) if one.cites else one for one in claims]
    if left := by_size[lines:]:
        rest = sum(len(groups[name]) for name in left)
        made.append(Claim(corpus.line("more elsewhere", rest, folders=str(len(left))), new_line=True))
    return made, sources


def _titles(name: str, shown: Sequence[Listed], count: int, corpus: Corpus) -> list[Claim]:
    """`club, 4 documents:`, then titles, each to be cited, then how many there are more."""
    number = corpus.line("documents" if count > 1 else "document", count)
    head = [Claim(f"{name}, {number}:", new_line=True)] if name else []
    claims = [Claim(f"\u201c{corpus.title(one)}\u201d", (0,), new_line=not name) for one in shown]
    more = [Claim(corpus.line("and more", count - len(shown)))] if count > len(shown) else []
    return [*head, *claims, *more]
