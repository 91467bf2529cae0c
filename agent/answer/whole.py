"""Answers over documents, and not over passages: an overview of the library, the summary of a document, which
documents mention something. Quoted, and in a few words of Clew's own that name documents and count them."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.agent.answer.holdings import Holdings, WholeAnswer, first_chunks, number_of, quote
from clew.agent.answer.library_questions import WholeQuestion, library_question
from clew.agent.answer.overview import DETAILS, counted, overview_of
from clew.agent.answer.sections import Section, named_section, number_of_section, section_of
from clew.agent.answer.summary import SummaryLine, summary_of
from clew.agent.search.phrases import holding
from clew.agent.state import Answer, Claim, Quote, Says
from clew.memory.datatypes import Document, Floats, Passage
from clew.memory.dates import asked_times
from clew.memory.dialogue.utterances import MOST_CHOICES, clarifying_question
from clew.memory.knowledge.catalogue import KINDS, Listed
from clew.memory.text import ITEM, content_words, split, written_words

LISTED, QUOTED, LONGEST_QUOTE = 10, 3, 35
"""Documents that are named of those that mention something, those of them that are quoted, and words of a quotation."""

NEAR = 0.45
"""The cosine with what is asked for from which a sentence is about it without its words."""

MOST_NEAR = 3
WHOLE_TITLE = 0.99
"""The share of a title's words and of those that name it, from which nothing but that document is named."""

TOLD_OF, OF_ONE_THING = 0.4, 12
"""Of a document that is summarised where its title is not given: how near a chunk of it is, and how many there are."""

READ_FOR_SECTION = 5
"""Documents with the words of a heading, the nearest first, that are read for the section under it."""

PASSAGES = 10
"""Of a summarised document, beside those that are quoted."""

_ORDINAL = re.compile(
    r"(?:the )?(?P<place>first|second|third|fourth|fifth|last)"
    r"(?: (?:one|document|paper|note|file|article|text|page|of (?:them|these|those)))?"
)
_PLACES = ("first", "second", "third", "fourth", "fifth")
_OF_CHOICE = re.compile(r"^.*, regarding (?P<choice>.+)$")
_FOLDER = re.compile(
    r"(?:the )?(?:(?:folder|directory) (?P<a>[\w .-]+)|(?P<b>[\w .-]+) (?:folder|directory))", re.IGNORECASE
)
_SPOKEN_OF = re.compile(r"(?:his|her|its|their) \w.*|(?:the|that|this) [a-z]+", re.IGNORECASE)
"""'her life', 'the film', for which the question that stands alone may have a name."""

_OR = re.compile(r",? or ")


def whole_answer(question: str, rewritten: str, holdings: Holdings) -> WholeAnswer | None:
    """None where what is asked is not about documents as a whole, or names none that there is."""
    asked = library_question(question)
    if asked and asked.points and asked.kind in ("mentions", "count"):
        asked = library_question(rewritten)
    elif asked and _SPOKEN_OF.fullmatch(asked.of):
        asked = library_question(rewritten) or asked
    if asked:
        holdings = replace(holdings, language=asked.language)
    if asked is None or not holdings.documents or (asked.points and asked.kind in ("mentions", "count")):
        return None
    if asked.kind == "overview":
        alone = holdings.documents[0] if len(holdings.documents) == 1 else None
        return (alone and _summarised(alone, holdings)) or overview_of(holdings)
    if asked.kind == "summary":
        return _summary(asked, holdings)
    return _counted(asked, holdings) if not asked.of else mentions(asked, holdings)


# Summary ----------------------------------------------------------------------------------------------------------


def _summary(asked: WholeQuestion, holdings: Holdings) -> WholeAnswer | None:
    choice = _OF_CHOICE.match(asked.of)
    of = choice["choice"] if choice else asked.of
    if (folder := _FOLDER.fullmatch(of)) and (inside := _in_folder(folder["a"] or folder["b"], holdings)):
        ids = frozenset(one.id for one in inside)
        return overview_of(replace(holdings, scope=ids), folder["a"] or folder["b"])
    meant = _without_copies(_meant(of, asked, holdings), holdings)
    if asked.points and not meant and holdings.before() is None:
        return overview_of(holdings)  # "What is this about?", as the first question
    if len(meant) == 1:
        return _summarised(meant[0], holdings)
    if len(meant) > 1 and (asked.plainly or len(meant) <= MOST_CHOICES):
        choices = [holdings.title(one).replace(";", ",") for one in meant[:MOST_CHOICES]]
        kinds = [word for word in written_words(of) if set(content_words(word)) & KINDS]
        back = Claim(clarifying_question(kinds[0] if kinds and not asked.points else "document", choices))
        return WholeAnswer(Answer("unclear", (back,), nearest=tuple(choices), form="summary"), (), "which document?")
    words = named_section(of) or (of if asked.plainly or number_of_section(of) else "")
    if asked.points or meant:
        return None
    return (_of_section(words, holdings) if words else None) or (_of_nearest(of, holdings) if asked.plainly else None)


def _without_copies(meant: list[Listed], holdings: Holdings) -> list[Listed]:
    """Of a few documents that have the same text the first: nobody can say which of these is meant."""
    if not 1 < len(meant) <= MOST_CHOICES:
        return meant
    texts = [one.text for one in holdings.store.documents([one.id for one in meant])]
    return [one for place, one in enumerate(meant) if texts.index(texts[place]) == place]


def _in_folder(name: str, holdings: Holdings) -> list[Listed]:
    folders = {folder.casefold(): inside for folder, inside in holdings.catalogue.folders(holdings.scope).items()}
    return folders.get(name.strip().casefold(), [])


def _meant(of: str, asked: WholeQuestion, holdings: Holdings) -> list[Listed]:
    """The documents that may be meant: one that was spoken of, or those that the words name."""
    if asked.points:
        spoken = _spoken_of(holdings)
        one = spoken[:1] if asked.plainly or len(spoken) == 1 else []
        return one or (holdings.documents if len(holdings.documents) == 1 else [])
    if place := _ORDINAL.fullmatch(of.casefold()):
        spoken, name = _spoken_of(holdings), place["place"]
        at = len(spoken) - 1 if name == "last" else _PLACES.index(name)
        if len(spoken) > 1 and at < len(spoken):
            return [spoken[at]]
    named = holdings.catalogue.named(of)
    documents = [one for one in named.documents if holdings.scope is None or one.id in holdings.scope]
    sure = named.by_file or (named.kind and named.coverage >= 0.8 and (named.dated or named.of_title > 0))
    sure = sure or min(named.coverage, named.of_title) >= WHOLE_TITLE
    return documents if asked.plainly or sure else []


def _spoken_of(holdings: Holdings) -> list[Listed]:
    """The documents that the last answer cites, in its order."""
    before = holdings.before()
    if before is None:
        return []
    cited = [before.sources[number - 1].document for claim in before.claims for number in claim.cites]
    known = {one.id: one for one in holdings.documents}
    return [known[id_] for id_ in dict.fromkeys(cited) if id_ in known]


def _of_nearest(told: str, holdings: Holdings) -> WholeAnswer | None:
    """The summary of a document that no title names, the one with the chunk that is nearest in meaning; None where that
    is not near, or the document is long, and tells of other things too."""
    layers, cosines = holdings.store.part().layers, _cosines(told, holdings)
    known = {one.id: one for one in holdings.documents}
    inside = np.array([id_ in known for id_ in layers.document_ids], bool)[layers.chunk_documents]
    nearest = int(np.where(inside, cosines, -1.0).argmax())
    document = int(layers.chunk_documents[nearest])
    if not inside[nearest] or cosines[nearest] < TOLD_OF or (layers.chunk_documents == document).sum() > OF_ONE_THING:
        return None
    return _summarised(known[layers.document_ids[document]], holdings)


def _of_section(words: str, holdings: Holdings) -> WholeAnswer | None:
    """The summary of the section of a document whose heading says that; by a number alone, of the document that was
    spoken of."""
    if number_of_section(words):
        near = [one.id for one in _spoken_of(holdings) or (holdings.documents if len(holdings.documents) == 1 else [])][
            :1
        ]
    else:
        near = list(_holding(words, (), holdings))[:READ_FOR_SECTION]
    found = section_of(words, sorted(holdings.store.documents(near), key=lambda one: near.index(one.id)))
    listed = next((one for one in holdings.documents if found and one.id == found.document.id), None)
    return _summarised(listed, holdings, found) if listed else None


def _summarised(one: Listed, holdings: Holdings, section: Section | None = None) -> WholeAnswer | None:
    (document,) = holdings.store.documents([one.id])
    spans, vectors, chunks = holdings.sentences(document)
    if section:
        inside = [n for n, (start, end) in enumerate(spans) if section.span[0] <= start and end <= section.span[1]]
        spans, vectors, chunks = [spans[n] for n in inside], vectors[inside], [chunks[n] for n in inside]
    lines = summary_of(document, spans, vectors)
    if section:  # whose heading is told above all of them
        lines = [replace(line, label=line.label if line.label not in section.heading else "") for line in lines]
    if not lines:
        return None
    of_end = {end: chunk for (_, end), chunk in zip(spans, chunks, strict=True)}
    quoted = list(dict.fromkeys(of_end[line.end] for line in lines))
    passages = holdings.passages(
        [*quoted, *(number for number in chunks if number not in quoted)][:PASSAGES], "summary"
    )
    claims = _lines(document, lines, [quoted.index(of_end[line.end]) + 1 for line in lines])
    title = f"{section.heading}: {holdings.title(one)}" if section else holdings.title(one)
    head = Claim(holdings.line("in short", title=title))
    answer = Answer("summary", (head, *claims), tuple(passages[: len(quoted)]), form="summary")
    return WholeAnswer(answer, tuple(passages), f"a summary of {title}")


def _lines(document: Document, lines: Sequence[SummaryLine], cites: Sequence[int]) -> list[Claim]:
    made, label = [], ""
    for line, cite in zip(lines, cites, strict=True):
        fresh = line.label != label
        label = line.label
        if fresh and label:
            made.append(Claim(label if label[-1] in "?!:" else f"{label}:", new_line=True))
        said = quote(document, (line.start, line.end))
        text = " ".join(said.text.split())
        item = bool(ITEM.match(text)) or (fresh and not label)
        made.append(Claim(text, (cite,), start=said.start, new_line=item, quotes=(said,)))
    return [replace(claim, new_line=True) if not place else claim for place, claim in enumerate(made)]


# Over the library -------------------------------------------------------------------------------------------------


def _counted(asked: WholeQuestion, holdings: Holdings) -> WholeAnswer | None:
    """How many documents there are, or how many of a kind, where some are called so."""
    if not asked.among:
        return counted(holdings)
    listed = _called(asked.among, holdings)
    return _listed(listed, first_chunks([one.id for one in listed], holdings), asked, holdings) if listed else None


def _called(among: str, holdings: Holdings) -> list[Listed]:
    return [one for one in holdings.catalogue.called(among) if holdings.scope is None or one.id in holdings.scope]


def mentions(asked: WholeQuestion, holdings: Holdings) -> WholeAnswer | None:
    """All documents with all words of what is asked for in one passage, or with the words in quotation marks as they
    are; beside them what is near in meaning. Without those that mention what is to be left out. Or all that are of a
    time, or that lack what is asked for."""
    if asked.dated and not asked_times(asked.of):
        return None
    asked = asked if asked.phrases else replace(asked, of=asked.of.strip("\"'\u201c\u201d "))
    if asked.dated:
        found = first_chunks([one.id for one in holdings.catalogue.of_time(asked.of)], holdings)
    else:
        found = _holding(asked.of, asked.phrases, holdings)
    out = _holding(asked.besides, (), holdings) if asked.besides else {}
    documents = holdings.documents
    if asked.dated or asked.lacking:
        documents = (_called(asked.among, holdings) if asked.among else []) or documents
    if asked.lacking:
        found = {id_: n for id_, n in first_chunks([one.id for one in documents], holdings).items() if id_ not in found}
    by_id = {one.id: one for one in documents}
    listed = [by_id[id_] for id_ in found if id_ in by_id and id_ not in out]
    near: list[tuple[Listed, int]] = []
    if asked.about and not (asked.phrases or asked.kind == "count" or asked.lacking):
        near = _near(asked.of, {*found, *out}, holdings)
    return _listed(listed, found, asked, holdings, near)


def _listed(
    listed: Sequence[Listed],
    found: dict[str, int],
    asked: WholeQuestion,
    holdings: Holdings,
    near: Sequence[tuple[Listed, int]] = (),
) -> WholeAnswer:
    """Told of documents that were `found`, each in a chunk, and of those that are `near`."""
    why = f"{number_of(len(listed), 'document')} of {len(holdings.documents)} with {asked.of or asked.among}"
    told = asked.of if asked.phrases or asked.dated else f"\u201c{asked.of or asked.among}\u201d"
    if asked.besides:
        told = holdings.line("but not", what=told, besides=f"\u201c{asked.besides}\u201d")
    if not listed and not near:
        return WholeAnswer(_none(told, asked.of, asked, holdings), (), why)
    claims, sources = _told(listed, found, near, told, asked, holdings)
    details = tuple(holdings.title(one) for one in listed[:DETAILS])
    says: Says | None = "yes" if listed and asked.of else None
    answer = Answer("answered", tuple(claims), tuple(sources), form="list", says=says)
    return WholeAnswer(answer, tuple(sources), why, details)


def _none(told: str, wanted: str, asked: WholeQuestion, holdings: Holdings) -> Answer:
    as_it_is = " as it is" if asked.phrases else ""
    text = f"None of the {number_of(len(holdings.documents), 'document')} mentions {told}{as_it_is}."
    return Answer("nothing-found", (Claim(text),), missing=(wanted,), form="list", says="no")


def _told(
    listed: Sequence[Listed],
    found: dict[str, int],
    near: Sequence[tuple[Listed, int]],
    told: str,
    asked: WholeQuestion,
    holdings: Holdings,
) -> tuple[list[Claim], list[Passage]]:
    shown = listed[:LISTED]
    passages = holdings.passages([*(found[one.id] for one in shown), *(chunk for _, chunk in near)], "library")
    number = {passage.document: n for n, passage in enumerate(passages, 1)}
    claims = [Claim(_count(len(listed), told, asked, holdings))]
    for place, one in enumerate(shown):
        claims.append(Claim(f"\u201c{holdings.title(one)}\u201d", (number[one.id],), new_line=True))
        if place < QUOTED and (said := _saying(one, passages[number[one.id] - 1], asked.of)):
            text = " ".join(said.text.split())
            claims.append(Claim(text, (number[one.id],), start=said.start, quotes=(said,)))
    if len(listed) > len(shown):
        claims.append(Claim(holdings.line("and more", len(listed) - len(shown)) + ".", new_line=True))
    if near:
        claims.append(Claim(holdings.line("near to it" if listed else "nearest to it"), new_line=True))
        claims += [Claim(f"\u201c{holdings.title(one)}\u201d", (number[one.id],)) for one, _ in near]
    return claims, passages


def _count(number: int, told: str, asked: WholeQuestion, holdings: Holdings) -> str:
    """Of how many documents what follows is."""
    if not number:
        return holdings.line("no document", what=told)
    if asked.dated:
        key = "are not of" if asked.lacking else "are of"
    else:
        key = "do not mention" if asked.lacking else "mention" if asked.of else "are called"
    verbs = {"mention": "mentions", "are": "is"} if number == 1 else {"mention": "mention", "are": "are"}
    return holdings.line(key, len(holdings.documents), found=f"{number:,}", what=told, **verbs)


def _holding(wanted: str, phrases: Sequence[str], holdings: Holdings) -> dict[str, int]:
    """Document -> a chunk of it that holds the words (of one of several that `or` joins), the
    nearest in meaning first."""
    layers = holdings.store.part().layers
    parts = [wanted] if phrases else _OR.split(wanted)
    held = {id_ for part in parts for id_ in holdings.store.vocabulary.holding(written_words(part), holdings.scope)}
    if phrases:
        ids = [{one.id for one in holding(phrase, holdings.store, holdings.scope)} for phrase in phrases]
        held = held.intersection(*ids)
    chunks = np.array(sorted(layers.chunk_numbers[id_] for id_ in held), np.int64)
    order = chunks[np.argsort(-_cosines(wanted, holdings)[chunks], kind="stable")]
    best: dict[str, int] = {}
    for chunk in order.tolist():
        best.setdefault(layers.document_ids[layers.chunk_documents[chunk]], chunk)
    if not phrases:
        named = [one.id for part in parts for one in holdings.catalogue.called(part) if one.id not in best]
        best |= first_chunks([id_ for id_ in named if holdings.scope is None or id_ in holdings.scope], holdings)
    return best


def _cosines(wanted: str, holdings: Holdings) -> Floats:
    vector = holdings.encoder.encode([wanted], "query")[0]
    return np.asarray(holdings.store.part().vectors @ vector, np.float64)


def _near(wanted: str, known: set[str], holdings: Holdings) -> list[tuple[Listed, int]]:
    """Documents with a sentence near in meaning (a passage, where the library keeps none), the nearest first, and the
    chunk that it is in."""
    graph = holdings.store.part()
    layers, vector = graph.layers, holdings.encoder.encode([wanted], "query")[0]
    kept = len(layers.sentence_chunks) > 0
    cosines = (graph.sentence_vectors if kept else graph.vectors) @ vector
    near = np.flatnonzero(cosines >= NEAR)
    chunks = near[np.argsort(-cosines[near], kind="stable")]
    chunks = layers.sentence_chunks[chunks] if kept else chunks
    by_id = {one.id: one for one in holdings.documents}
    found: dict[str, int] = {}
    for chunk in chunks.tolist():
        id_ = layers.document_ids[layers.chunk_documents[chunk]]
        if id_ in by_id and id_ not in known:
            found.setdefault(id_, chunk)
    return [(by_id[id_], chunk) for id_, chunk in list(found.items())[:MOST_NEAR]]


def _saying(one: Listed, passage: Passage, wanted: str) -> Quote | None:
    """The sentence of a passage that holds most of the words."""
    stems = set(content_words(wanted))
    spans = [
        (start, end) for start, end in split(passage.text) if len(passage.text[start:end].split()) <= LONGEST_QUOTE
    ]
    held = [len(stems & set(content_words(passage.text[start:end]))) for start, end in spans]
    if not held or not max(held):
        return None
    start, end = spans[held.index(max(held))]
    text = passage.text[start:end]
    if " ".join(text.split()).casefold().strip("# ") == one.title.casefold():
        return None
    return Quote(one.id, passage.start + start, passage.start + end, text)
