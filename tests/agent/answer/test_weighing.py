"""What a core gains and loses by rules."""

from clew.agent.answer.evidence import evidence_of
from clew.agent.answer.wanted import Wanted, sought_of
from clew.agent.answer.weighing import AnswerParameters, by_rules
from clew.memory.datatypes import Passage
from clew.memory.encoding import CachedEncoder


def test_a_row_with_all_words_of_the_question_is_likelier_and_what_stands_in_brackets_less(
    encoder: CachedEncoder,
) -> None:
    rows = "| Key | Does |\n|---|---|\n| r | reply to the sender |\n| g | reply to all |"
    text = f"{rows}\n\nTo answer, press a key. (That is a shortcut for what the menu of replies has, too.)"
    keys = [Passage("k#0", "k", "Keys", text, 0.7, "hybrid", start=0, end=len(text))]
    evidence, question = evidence_of(keys, encoder), "How do I reply to the sender?"
    wanted = Wanted(question, question)
    gained = by_rules(wanted, sought_of(wanted, evidence), evidence, AnswerParameters())
    told = {core.text.strip("| ")[:5]: gain for core, gain in zip(evidence.cores, gained, strict=True)}
    assert told["r | r"] > told["g | r"] == told["To an"] == 0 > told["(That"]


def test_a_sentence_that_lists_what_is_asked_for_is_likelier(encoder: CachedEncoder) -> None:
    text = (
        "It can convert to and from any format by a command. It has commands for the most common audio formats: mp3, "
        "alac, flac, ogg, wmv."
    )
    formats = [Passage("f#0", "f", "Convert", text, 0.7, "hybrid", start=0, end=len(text))]
    evidence, question = evidence_of(formats, encoder), "Which formats can the convert plugin make?"
    wanted = Wanted(question, question)
    gained = by_rules(wanted, sought_of(wanted, evidence), evidence, AnswerParameters())
    assert gained[1] > gained[0] == 0
