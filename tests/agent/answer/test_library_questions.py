"""Which questions are about documents, and which about what stands in one place of them."""

import gzip
import json
from pathlib import Path

import pytest

from clew.agent.answer.library_questions import library_question


def asks_for_the_whole(question: str) -> bool:
    found = library_question(question)
    return found is not None and found.kind == "overview"


@pytest.mark.parametrize(
    "question",
    [
        "What is this collection about?",
        "what are the main themes?",
        "Summarise everything.",
        "Summarize all the documents, please",
        "Give me an overview",
        "whats in these notes, just roughly",
        "can you give me an overview of what I've got in here?",
        "What topics are covered here?",
        "What do these documents talk about?",
        "Tell me about everything",
        "What's in the library?",
        "What are the key topics in this corpus?",
        "What's in here?",
        "So what do you have in here?",
        "Which subjects do the papers deal with?",
        "what do you have?",
        "What do I keep in this folder?",
        "what documents are there",
        "What are these papers about?",
        "what can I read about here",
        "Which files do I have?",
        "Could you list all my notes, please?",
        "what kinds of documents are in here",
        "What have I got written down here?",
        "Which stories have you got?",
        "What sort of things does this FAQ deal with?",
        "Which topics does the manual cover?",
    ],
)
def test_of_the_whole(question: str) -> None:
    assert asks_for_the_whole(question)


@pytest.mark.parametrize(
    "question",
    [
        "What are the main themes of Metropolis?",
        "Who directed Metropolis?",
        "Summarise the life of Laika",
        "What is this about?",
        "Give me an overview of the Apollo programme",
        "Which document mentions Vienna?",
        "What subjects does the speech cover?",
        "",
        "and why?",
        "Who is in here?",
        "What is here?",
        "What is he doing in here?",
        "What was in here?",
        "What is the subject of the second film?",
        "Where is the library of Alexandria?",
        "Tell me all about Ham",
        "and how many at most in all?",
        "how much is it all together?",
        "What books did he write?",
        "what do you need?",
        "what papers do I have to sign?",
        "Who else?",
        "what is the whole thing made of",
        "How many pages are there in the report?",
    ],
)
def test_of_a_part(question: str) -> None:
    assert not asks_for_the_whole(question)


@pytest.mark.parametrize(
    ("question", "kind", "of", "besides"),
    [
        ("summarise the meeting of 3 September", "summary", "the meeting of 3 September", ""),
        ("tell me in short what happens in the tale of the mill", "summary", "the tale of the mill", ""),
        ("In a few words, what is the lease about?", "summary", "the lease", ""),
        ("Could you please sum up the Lease for me in three sentences?", "summary", "the Lease", ""),
        ("give me a short summary of the zoo FAQ", "summary", "the zoo FAQ", ""),
        ("what is this paper about", "summary", "this paper", ""),
        ("is there anything about allergies?", "mentions", "allergies", ""),
        ("which of my notes mention Osman but not Tilde?", "mentions", "Osman", "Tilde"),
        ("Which documents talk about the boiler except the offer", "mentions", "boiler", "offer"),
        ('which files contain the phrase "swarm list"?', "mentions", '"swarm list"', ""),
        ("does any document mention beeswax", "mentions", "beeswax", ""),
        ("how many of my notes mention honey?", "count", "honey", ""),
        ("how many papers are there about time series in the library?", "count", "time series", ""),
        ("How many documents do you have in total?", "count", "", ""),
        ("Where is the smoker mentioned?", "mentions", "smoker", ""),
    ],
)
def test_what_is_asked_of_documents(question: str, kind: str, of: str, besides: str) -> None:
    found = library_question(question)
    assert found is not None and (found.kind, found.of, found.besides) == (kind, of, besides)


@pytest.mark.parametrize(
    ("question", "kind", "of", "besides", "language"),
    [
        ("Worum geht es in diesen Dokumenten?", "overview", "", "", "de"),
        ("Was steht in der Bibliothek?", "overview", "", "", "de"),
        ("Kannst du mir das Protokoll vom 4. Mai bitte zusammenfassen?", "summary", "Protokoll vom 4. Mai", "", "de"),
        ("Steht irgendwo etwas über die Heizung?", "mentions", "Heizung", "", "de"),
        ("Welche meiner Notizen erwähnen Osman, aber nicht Tilde?", "mentions", "Osman", "Tilde", "de"),
        ("Wie viele Dokumente hast du insgesamt?", "count", "", "", "de"),
        ("De quoi parlent ces documents ?", "overview", "", "", "fr"),
        ("Résume la lettre de mai en trois phrases", "summary", "lettre de mai", "", "fr"),
        ("Est-ce qu'il y a quelque chose à propos des chiens ?", "mentions", "chiens", "", "fr"),
        ("Lesquelles de mes notes parlent d'Osman ?", "mentions", "Osman", "", "fr"),
        ("Combien de documents y a-t-il ?", "count", "", "", "fr"),
        ("¿De qué tratan estos documentos?", "overview", "", "", "es"),
        ("Resume el acta, por favor", "summary", "acta", "", "es"),
        ("¿Hay algo sobre perros?", "mentions", "perros", "", "es"),
        ("Di cosa parlano questi documenti?", "overview", "", "", "it"),
        ("Riassumi il verbale", "summary", "verbale", "", "it"),
        ("C'è qualcosa sui cani?", "mentions", "cani", "", "it"),
        ("Quali documenti menzionano il parcheggio?", "mentions", "parcheggio", "", "it"),
        ("Pri kio temas ĉi tiuj dokumentoj?", "overview", "", "", "eo"),
        ("Resumu la leteron", "summary", "letero", "", "eo"),
        ("Kiuj dokumentoj mencias la parkejon?", "mentions", "parkejo", "", "eo"),
        ("Kiom da dokumentoj estas?", "count", "", "", "eo"),
    ],
)
def test_documents_are_asked_for_in_six_languages(
    question: str, kind: str, of: str, besides: str, language: str
) -> None:
    found = library_question(question)
    assert found is not None
    assert (found.kind, found.of, found.besides, found.language) == (kind, of, besides, language)


@pytest.mark.parametrize(
    ("question", "of", "among", "dated", "lacking"),
    [
        ("How many documents are from 2024?", "2024", "", True, False),
        ("which letters are not from May 2024?", "May 2024", "letters", True, True),
        ("Which letters do not mention the roof?", "roof", "letters", False, True),
        ("Which of my notes don't mention owls?", "owls", "", False, True),
        ("Welche Briefe erwähnen das Dach nicht?", "Dach", "briefe", False, True),
        ("Quelles lettres ne mentionnent pas le toit ?", "toit", "lettres", False, True),
        ("¿Qué cartas no mencionan el tejado?", "tejado", "cartas", False, True),
        ("Quali lettere non parlano del tetto?", "tetto", "lettere", False, True),
        ("Kiuj leteroj ne mencias la tegmenton?", "tegmento", "leteroj", False, True),
    ],
)
def test_documents_are_asked_for_by_their_time_and_by_what_they_lack(
    question: str, of: str, among: str, dated: bool, lacking: bool
) -> None:
    found = library_question(question)
    assert found is not None and found.kind == "mentions"
    assert (found.of, found.among, found.dated, found.lacking) == (of, among, dated, lacking)


@pytest.mark.parametrize(
    "question",
    [
        "Was gibt es zum Frühstück?",
        "Wie viele Seiten hat das Buch?",
        "Wer hat etwas über Katzen geschrieben?",
        "Combien de pages le livre a-t-il ?",
        "Combien coûte une nuit ?",
        "¿Cuántas páginas tiene el libro?",
        "Quante pagine ha il libro?",
        "Kiom da paĝoj havas la libro?",
        "how many papers did he publish?",
        "How many books are in the trilogy?",
        "which papers do I need for the passport?",
        "Who mentions it first?",
        "what do I need to know about the lease?",
        "how many hives are there in the orchard?",
        "In which year was the fair?",
        "does the lease mention pets?",
        "Do you have any information about how the old towns dealt with floods?",
        "Is there anything about why they moved the fair?",
    ],
)
def test_what_stands_in_a_document_is_searched(question: str) -> None:
    assert library_question(question) is None


def test_a_summary_of_what_is_no_document_is_not_plainly_asked_for() -> None:
    for question in ("what happened in 1977?", "What was the marriage about?", "Tell me about its founding."):
        found = library_question(question)
        assert found is not None and not found.plainly


def test_few_questions_of_other_people_are_taken_for_the_whole(data: Path) -> None:
    """Over the questions of reading comprehension, which are about what stands in a text."""
    questions = set()
    with gzip.open(data / "qa" / "spans.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            questions.add(json.loads(line)["question"])
    asked = sorted(questions)[:5000]
    found = [question for question in asked if asks_for_the_whole(question)]
    counted = [q for q in asked if (one := library_question(q)) and one.kind in ("mentions", "count")]
    assert len(asked) == 5000 and len(found) <= 2 and len(counted) <= 5


def test_no_question_of_reading_comprehension_in_other_languages_is_taken(data: Path) -> None:
    questions: dict[str, None] = {}
    with gzip.open(data / "qa" / "spans_multilingual.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if record["lang"] in ("de", "es", "it"):
                questions[record["question"]] = None
    asked = list(questions)[::3]
    taken = [q for q in asked if (one := library_question(q)) and one.kind != "summary"]
    assert len(asked) > 2500 and taken == []
