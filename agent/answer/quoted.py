"""Makes answers without a language model: it chooses the sentences that answer, quotes them, and cites each."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from clew.agent.answer.citations import numbered, same_words
from clew.agent.answer.evidence import READ, Evidence, Request, encoded_request, question_for_models, request_of
from clew.agent.answer.judge import JudgeVerdict, ask_back, foreign_judge, judge, refused, shipped_judge, signals
from clew.agent.answer.reader import read, with_bold
from clew.agent.answer.selection import AnswerParameters, Excerpt, Picked, is_relevant, pick
from clew.agent.answer.times import asked_years
from clew.agent.llm.prompt_passages import SENTENCES, best_sentences
from clew.agent.search.lookups import held_language
from clew.agent.services import Services, TurnContext
from clew.agent.state import Answer, Claim, Made, Quote, Turn
from clew.memory.datatypes import Document, Passage
from clew.memory.dialogue.rewriting import own_words
from clew.memory.instructions import neutralised
from clew.memory.knowledge.document_parts import RUNNING_HEAD, dedented, ranges, region_of
from clew.memory.knowledge.library import LibraryStore
from clew.memory.language.answer_type import answer_type
from clew.memory.language.telling import language_of, may_be_english
from clew.memory.text import ITEM, NAMED, content_words, held_word_sets, written_words

_MARKS = ".,;:!?"
"""A part of a quotation that begins with one of these follows without a space."""

FOREIGN_BEHIND = 1.5
"""How much less likely than the first a second quotation may be, in other languages than English."""

LIKELY = 2.0
"""Log odds from which a sentence, read together with the question, counts as its answer: 88 in 100."""

PATH_BEHIND = 3.0
"""How much less likely than the first another triple of a path may be: no triple of a path answers alone."""


def quoted(turn: Turn, run: TurnContext) -> Made:
    """The answer without a language model: what needed no search, else what is quoted from the passages of
    documents."""
    if turn.search.corpus:
        return turn.search.corpus
    answer = in_library(_judged(turn.documented, run), run.services.library.store)
    return Made(with_bold(answer, turn.rewritten))


def _judged(turn: Turn, run: TurnContext) -> Answer:
    """The judge decides whether the evidence is quoted, refused, or a question is asked back. What a tool answers
    itself is not judged if a passage says it."""
    services, store = run.services, run.services.library.store
    evidence, tool_answer = evidence_for(turn, services), turn.search.tool_answer
    passages, parameters, request = turn.passages, services.answer, request_of(turn)
    language = language_of(request.rewritten)
    own_language = language if language == held_language(services) else ""
    verdict: JudgeVerdict = "answer"
    if own_language or not evidence.foreign:
        verdict = judge(signals(turn, evidence), foreign_judge() if evidence.foreign else shipped_judge())
    if verdict == "ask back" and not (tool_answer or turn.search.within):
        said = [sentence.text for sentence in turn.recalled.extracted]
        return ask_back(turn.meant, said, passages, turn.language)
    if store.of_triples and tool_answer:
        parameters = replace(parameters, behind=PATH_BEHIND, beside=math.inf, unlikely=math.inf)
    elif store.of_triples and any(call.tool == "clues" for call in turn.calls):
        verdict = "refuse"
    made = quote(request, passages, evidence, parameters, own_language)
    if verdict == "refuse" and not made.refused:
        lacked = [word for word in evidence.lacked(request.question) if not word.islower()]
        made = refused(passages, lacked, request.rewritten)
    return led_by(made, tool_answer, passages)


def evidence_for(turn: Turn, services: Services) -> Evidence:
    """The passages of a turn, as the judge and the selection need them."""
    passages = tuple(turn.passages[:READ])
    store, language = services.library.store, language_of(turn.rewritten)
    documents = store.documents(list(dict.fromkeys(passage.document for passage in passages)))
    foreign = services.multilingual and not {language, held_language(services)} <= {"", "en"}
    encoder, language = (services.encoder, language) if foreign else (services.fitted, "")
    by_id = {document.id: document for document in documents}
    return Evidence(passages, encoder, by_id, turn.today, store.vocabulary, language, foreign)


def likely_answered(turn: Turn, services: Services) -> bool:
    """Whether a single sentence that was found is likely to answer the question."""
    evidence = evidence_for(turn, services)
    return bool((read(encoded_request(request_of(turn), evidence), evidence).odds >= LIKELY).any())


def best_candidates(turn: Turn, services: Services) -> dict[str, str]:
    """For each passage that is read, by its id, its few likeliest sentences, items and rows as one text, in their
    order; none that speaks to a language model."""
    evidence, units = evidence_for(turn, services), dict[str, str]()
    question = question_for_models(turn)
    scores = read(encoded_request(request_of(turn), evidence), evidence).scores
    for number, passage in enumerate(evidence.passages):
        text = neutralised(passage.text).text
        own = [place for place, one in enumerate(evidence.candidates) if one.passage == number]
        told = [place for place in own if evidence.plain_texts[place] in same_words(text)]
        told = [place for place in told if evidence.candidates[place].block.kind != "field"] or told
        best = sorted(sorted(told, key=lambda place: -scores[place])[:SENTENCES])
        units[passage.id] = " ".join(evidence.texts[place] for place in best) or best_sentences(question, text)
    return units


def quote(
    request: Request,
    passages: Sequence[Passage],
    evidence: Evidence,
    parameters: AnswerParameters,
    own_language: str = "",
) -> Answer:
    """The answer made of a few excerpts, those of the best passage first, in the order of the document. Refuses, naming
    words that no document has and the nearest titles, if nothing fits the question. `passages` are all that were found;
    the evidence has the best of them. `own_language` is the question's, if most documents are in it."""
    alone = content_words(request.question) == content_words(request.rewritten)
    asked = replace(request, expanded=request.expanded if alone else "")
    if not request.with_history:
        put_in = asked_years(request.rewritten) > asked_years(request.question)  # a year, and it was not typed
        asked = replace(asked, question=request.question if put_in else request.rewritten, said=())
    if _names_an_author(asked.rewritten, evidence):
        return refused(passages, (), asked.rewritten)
    lacks, english = evidence.lacked(asked.question), may_be_english(asked.rewritten)
    if english and not evidence.foreign:
        told = True
    elif evidence.foreign and own_language:  # in German all nouns have capitals
        told = own_language == "de" or not {*_names_of(asked.question)}.intersection(lacks)
    elif evidence.foreign:  # no judge was asked
        told = read(encoded_request(asked, evidence), evidence).scores.max(initial=-math.inf) >= 0
    else:
        told = _is_told(asked.question, own_language, evidence) or is_relevant(asked, evidence)
    if evidence.foreign:  # its reader is less sure of the first
        parameters = replace(parameters, units=2, behind=FOREIGN_BEHIND, beside=math.inf)
    elif not english:  # the reader, which was fitted on English, tells less of a second excerpt
        parameters = replace(parameters, units=1)
    picked = pick(asked, evidence, parameters) if told else []
    defined = {*content_words(answer_type(asked.rewritten).defined)}
    if not picked or (defined and defined <= {*content_words(" ".join(lacks))}):
        lacked = lacks if english else [word for word in lacks if not word.islower()]
        return refused(passages, lacked, asked.rewritten)
    form = answer_type(asked.rewritten).form
    return replace(composed_of(picked, evidence, named=form == "comparison"), form=form)


def _names_of(question: str) -> list[str]:
    said = question.lstrip("\u00bf\u00a1 ")
    return [word for word in written_words(question) if not (word.islower() or said.startswith(word))]


def _is_told(question: str, language: str, evidence: Evidence) -> bool:
    """Whether a passage has the rarest word of the question that the library knows, and the library has all its names
    and numbers. Needed where the cosines of an English encoder say nothing. `language` is empty if it is not that of
    the library."""
    own = own_words(question, language) if language else []
    counts = dict(zip(own, evidence.vocabulary.counts(own), strict=True)) if evidence.vocabulary else {}
    known = [word for word in own if counts.get(word)]
    if not known or not {*_names_of(question)}.intersection(own) <= {*known}:
        return False
    rarest = {*content_words(min(known, key=lambda word: counts[word]), evidence.language)}
    return any(rarest <= held for held in evidence.passage_words)


def _names_an_author(question: str, evidence: Evidence) -> bool:
    """Whether the question names a person who only appears in the running heads of pages: the author of a text is not
    what the text is about."""
    heads = held_word_sets([RUNNING_HEAD.sub("", head) for head in evidence.heads], evidence.language)
    told = frozenset[str]().union(*evidence.candidate_words, *evidence.title_words, *heads)
    running = " ".join(match[0] for one in evidence.passages for match in RUNNING_HEAD.finditer(one.text))
    authors = {*content_words(running, evidence.language)} - told
    return not authors.isdisjoint(content_words(" ".join(NAMED.findall(question)), evidence.language))


def led_by(quoted: Answer, tool_answer: str, passages: Sequence[Passage]) -> Answer:
    """The answer with what a tool itself answers (a name, a number) in front, if a passage says that word for word."""
    words = f" {' '.join(content_words(tool_answer))} "
    holder = next((p for p in passages if words.strip() and words in f" {' '.join(content_words(p.text))} "), None)
    if holder is None:
        return quoted
    kept = Answer("answered", ()) if quoted.refused else quoted
    sources = kept.sources if holder in kept.sources else (*kept.sources, holder)
    number = sources.index(holder) + 1
    first = Claim(tool_answer if tool_answer[-1] in ".!?" else f"{tool_answer}.", (number,))
    return replace(kept, claims=(first, *kept.claims), sources=sources)


# Composed ---------------------------------------------------------------------------------------------------------


def in_library(answer: Answer, store: LibraryStore) -> Answer:
    """The answer with the page and the heading of each source, and all paths of its file."""
    documents = store.documents([one.document for one in answer.sources if one.document])
    made = placed(answer, {document.id: document for document in documents})
    return replace(made, sources=tuple(replace(one, copies=store.copies(one.source)) for one in made.sources))


def placed(answer: Answer, documents: Mapping[str, Document]) -> Answer:
    """The answer with page and heading at each source. A source that is quoted under several headings is listed once
    for each, except in a summary, which names the headings. `documents` are by id."""
    sources, numbers = [*answer.sources], dict[tuple[int, str], int]()

    def place_of(number: int, claim: Claim) -> int:
        """The number of the source with the heading that the claim stands under."""
        source = answer.sources[number - 1]
        if claim.start is None or not source.document or source.start >= source.end:  # no range of its document
            return number
        document = documents[source.document]
        heading = document.heading_at(claim.start) or region_of(source, document).heading_at(claim.start)
        of_heading = number, "" if answer.form == "summary" else heading
        if of_heading not in numbers:
            first = all(one != number for one, _ in numbers)
            place = numbers[of_heading] = number if first else len(sources) + 1
            sources[place - 1 : place] = [replace(source, page=document.page_at(claim.start), heading=heading)]
        return numbers[of_heading]

    claims = [replace(claim, cites=tuple(place_of(number, claim) for number in claim.cites)) for claim in answer.claims]
    in_order, passages = numbered(claims, sources)
    return replace(answer, claims=in_order, sources=passages)


def composed_of(chosen: Sequence[Picked], evidence: Evidence, named: bool) -> Answer:
    """The answer made of these excerpts: passages in the order of their best excerpt, excerpts in the order of the
    document. With `named`, each document is named before what is quoted from it."""
    passages = evidence.passages
    order = [*dict.fromkeys(one.excerpt.candidate.passage for one in chosen)]
    in_order = sorted(chosen, key=lambda one: one.excerpt.candidate.position)
    told = {passages[place].document for place in (*order, *(one.older for one in chosen)) if place is not None}
    claims, last = list[Claim](), ""
    for one in sorted(in_order, key=lambda one: order.index(one.excerpt.candidate.passage)):
        place = one.excerpt.candidate.passage
        known = {quote for claim in claims for quote in claim.quotes}
        quotes = list(excerpt_claims(one.excerpt, passages[place].document, place + 1, known))
        name = passages[place].title or passages[place].document
        if named and len(told) > 1 and quotes and name != last:
            claims.append(Claim(f"\u201c{name}\u201d:", new_line=bool(claims)))
            last = name
        if claims and quotes and ITEM.match(quotes[0].text):
            quotes[0] = replace(quotes[0], new_line=True)
        claims += quotes
        if one.aside:
            cites = dict.fromkeys((place, place if one.older is None else one.older))
            claims.append(Claim(one.aside, tuple(number + 1 for number in cites), "supported"))
    return Answer("answered", *numbered([_cited_where_held(claim, passages) for claim in claims], passages))


def _cited_where_held(claim: Claim, passages: Sequence[Passage]) -> Claim:
    """The claim, citing the passage that holds all of its quotation: an excerpt may go on past the end of its own
    passage."""

    def holds(passage: Passage) -> bool:
        return all(
            quote.document == passage.document and passage.start <= quote.start and quote.end <= passage.end
            for quote in claim.quotes
        )

    if not claim.quotes or holds(passages[claim.cites[0] - 1]):
        return claim
    return replace(claim, cites=next(((number,) for number, one in enumerate(passages, 1) if holds(one)), claim.cites))


def excerpt_claims(excerpt: Excerpt, document: str, source: int, known: set[Quote]) -> Iterator[Claim]:
    """A claim for each part of an excerpt that is not quoted already."""
    region = excerpt.candidate.region
    parts = excerpt.parts[-1:] if excerpt.kind == "row" else excerpt.parts  # without the heads
    for place, (start, end) in enumerate(parts):
        code = excerpt.is_code((start, end))
        quotes = tuple(
            Quote(document, region.offset + first, region.offset + last, region.text[first:last])
            for first, last in ranges(region, start, end, code)
        )
        if not known.isdisjoint(quotes):
            continue
        text = "".join(quote.text if quote.text[0] in _MARKS else f" {quote.text}" for quote in quotes)
        shown = dedented(region.text, start, end).strip("\n") if code else " ".join(text.split())
        fenced = f"```\n{shown}\n```" if "\n" in shown else ""
        line = place and (code or excerpt.kind in ("list", "code", "row") or ITEM.match(quotes[0].text))
        made = Claim(shown, (source,), start=quotes[0].start, new_line=bool(line or fenced), quotes=quotes)
        yield replace(made, markup=fenced or region.in_table(start, end))
