"""The sentences of a conversation (seed 003): user turns whole, answers by sentence, without conversational filler."""

import re
from collections.abc import Iterator, Sequence

from clew.memory.datatypes import Sentence, Utterance
from clew.memory.sentences import split

FEWEST_WORDS = 3
"""Shorter phrases of an answer are dropped."""

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""A letter of a script that has no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""

_CITATION = re.compile(r"\s*\[\d+(?:\s*[,;]\s*\d+)*\]")
_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_CLAUSE_END = re.compile(r"[,;:](?=\s)|[.!?…]+(?=\s|$)|\s[-\u2013\u2014]+\s|\u2014|\b(?:but|however|although|though)\b")

_THANKED_FOR = "your|the|this|that|asking|sharing|clarifying|pointing|letting|reaching|bringing|waiting|understanding"
_NOT = "do not|dont|cannot|can not|cant|could not|couldnt|did not|didnt"
_NOT_DONE = "have|know|see|find|understand|provide|access|answer|help|say|tell|determine|offer|give|assist|locate"
_PRAISE = "interesting|great|good|true|right|correct|fine|nice|cool|amazing|fascinating|wonderful|awesome|excellent"

_FILLER = re.compile(
    "|".join(
        (
            r"(?:oh |ah )?(?:sure|okay|ok|alright|all right|yes|yeah|no|well|hello|hi|hey|sorry|certainly|indeed)",
            r"sure thing|of course|no problem|my pleasure|absolutely|unfortunately|got it|i see|i understand|please",
            r"(?:and|so|then)",
            rf"(?:thats |that is |how |very |really |wow )*(?:{_PRAISE}|good to know|too bad|wow)",
            rf"(?:(?:thats|that is|this is|what) )?(?:an? )?(?:very |really )?(?:(?:{_PRAISE}) )?(?:question|point)",
            rf"(?:thank you|thanks|many thanks)(?: so much| very much| a lot| again)?(?: for (?:{_THANKED_FOR})\b.*)?",
            r"(?:youre|you are)(?: very| most)? welcome\b.*",
            r"(?:my |sincere )*apologies(?: for\b.*)?|(?:i |we )?apologi[sz]e(?: for\b.*)?",
            r"(?:im |i am |we are |were )?(?:so |very |really |truly )*sorry(?: (?:for|to|if|about|that)\b.*)?",
            r"(?:im |i am )(?:just |only )?afraid(?: so| not)?|as an ai\b.*",
            rf"(?:(?:im |i am )(?:afraid|sorry) )?(?:that )?i (?:currently |really )?(?:{_NOT})"
            rf" (?:currently |really |actually )?(?:{_NOT_DONE})\b.*",
            r"(?:(?:im |i am )(?:afraid|sorry) )?(?:that )?i(?:m| am| was) (?:not able|unable) to\b.*",
            r"i have no (?:specific |further |more )?(?:information|idea|data|knowledge|access|details|record)\b.*",
            r"(?:please )?(?:let me know|feel free|dont hesitate|do not hesitate)\b.*",
            r"i hope (?:this|that|it|my|the|you)\b.*|hope (?:this|that|it) helps\b.*",
            r"(?:im |i am )?(?:happy|glad) (?:to help|i could help|that helped)\b.*",
            r"(?:is there )?anything else\b.*|how (?:can|may) i (?:help|assist)\b.*",
        )
    )
)
"""A clause of filler, whole, in lower case and without apostrophes."""


def extract(utterances: Sequence[Utterance], first_turn: int = 1) -> list[Sentence]:
    """The sentences in the order last said, none twice. A user's utterance begins a turn, the first being `first_turn`;
    an agent's belongs to the turn that it answers."""
    sentences: list[Sentence] = []
    turn = first_turn - 1
    for utterance in utterances:
        turn += utterance.speaker == "user"
        texts = _whole(utterance.text) if utterance.speaker == "user" else answer_sentences(utterance.text)
        sentences.extend(Sentence(text, utterance.speaker, max(turn, first_turn)) for text in texts)
    return [sentences[index] for index in unique(sentences)]


def unique(sentences: Sequence[Sentence]) -> list[int]:
    """The indices of the sentences that are not said again later in the same words, whatever their case and spacing:
    what is said again is what the conversation is about now."""
    last = {same_words(sentence.text): index for index, sentence in enumerate(sentences)}
    return sorted(last.values())


def same_words(text: str) -> str:
    """The same for texts that differ only in case and spacing."""
    return " ".join(text.casefold().split())


def answer_sentences(text: str) -> Iterator[str]:
    """The sentences of an answer that say something: no citations, list marks, filler or phrases under 3 words."""
    bare = _CITATION.sub("", text)
    for start, end in split(bare):
        sentence = _LIST_MARK.sub("", " ".join(bare[start:end].split()))
        if words_of(sentence) >= FEWEST_WORDS and not is_filler(sentence):
            yield sentence


def words_of(text: str) -> int:
    """How many there are; where words are not parted by spaces each letter counts as one."""
    return max(len(text.split()), len(_UNSPACED.findall(text)))


def is_filler(sentence: str) -> bool:
    """Whether every clause of it is courtesy, acknowledgement or confessed ignorance, with nothing said beside."""
    plain = re.sub("['\u2019`]", "", sentence.casefold())
    clauses = (clause.strip(' \t\n"\u201c\u201d()*') for clause in _CLAUSE_END.split(plain))
    return all(_FILLER.fullmatch(clause) for clause in clauses if clause)


def _whole(text: str) -> list[str]:
    turn = " ".join(text.split())
    return [turn] if turn else []
