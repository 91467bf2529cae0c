"""A finished turn as a line of a file: seed 003's `datasets/` and `intermediate/`, and an evaluation's answers."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from clew.agent.state import Answer, Turn
from clew.memory.datatypes import Passage, Sentence


def dataset_row(name: str, turn: Turn) -> dict[str, Any]:
    """`agent_response` is the answer as it was shown, citations and all."""
    return {"_id": name, "text": f"|user|: {turn.rewritten}", "agent_response": turn.answer.text}


def intermediate_row(name: str, turn: Turn) -> dict[str, Any]:
    """Seed 003's fields in its order, then what Clew adds."""
    recalled = turn.recalled
    return {
        "_id": name,
        "original_query": turn.question,
        "rewritten_query": turn.rewritten,
        "num_extracted_sentences": len(recalled.extracted),
        "extracted_sentences": _texts(recalled.extracted),
        "num_clusters": len(recalled.cluster_sizes),
        "cluster_sizes": list(recalled.cluster_sizes),
        "representative_sentences": _texts(recalled.representatives),
        "selected_sentences": [
            {"sentence": one.text, "speaker": one.speaker, "turn": one.turn, "cluster_id": one.cluster_id}
            for one in recalled.selected
        ],
        "contexts": [_context(passage) for passage in turn.passages],
        "agent_response": turn.answer.text,
        "outcome": turn.answer.outcome,
        "refused": turn.answer.refused,
        "claims": [
            {"text": claim.text, "cites": list(claim.cites), "verdict": claim.verdict, "start": claim.start}
            for claim in turn.answer.claims
        ],
        "citations": _citations(turn.answer),
        "missing": list(turn.answer.missing),
        "wordings": [asdict(one) for one in turn.wordings],
        "calls": [{"tool": call.tool, "found": call.found, "ms": round(call.ms, 3)} for call in turn.calls],
        "steps": [{"node": step.node, "summary": step.summary, "ms": round(step.ms, 3)} for step in turn.steps],
        "model": turn.model,
        "degraded": [asdict(one) for one in turn.degraded],
        "walk": asdict(turn.walk) if turn.walk else None,
        "paths": list(turn.paths),
        "thread": turn.thread,
        "library": turn.library,
        "created": turn.created,
        "today": turn.today,
    }


def answer_row(name: str, turn: Turn) -> dict[str, Any]:
    """`cites` are the documents cited, each once, in the answer's order."""
    citations = _citations(turn.answer)
    return {
        "_id": name,
        "answer": turn.answer.text,
        "outcome": turn.answer.outcome,
        "refused": turn.answer.refused,
        "cites": list(dict.fromkeys(citation["document"] for citation in citations)),
        "citations": citations,
        "rewritten": turn.rewritten,
        "library": turn.library,
    }


def _texts(sentences: Sequence[Sentence]) -> list[str]:
    return [sentence.text for sentence in sentences]


def _context(passage: Passage) -> dict[str, Any]:
    return {
        "title": passage.title,
        "text": passage.text,
        "score": float(passage.score),
        "url": passage.source,
        "document": passage.document,
        "tool": passage.tool,
    }


def _citations(answer: Answer) -> list[dict[str, Any]]:
    """One for each source that a claim cites, in the answer's order."""
    return [
        {
            "n": number,
            "document": source.document,
            "title": source.title,
            "source": source.source,
            "page": source.page,
            "start": source.start,
            "end": source.end,
            "claim": position,
            "verdict": claim.verdict,
        }
        for position, claim in enumerate(answer.claims)
        for number in claim.cites
        for source in [answer.sources[number - 1]]
    ]
