"""`answer` with a language model: written from the passages, or quoted where the model fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.agent import answering, observing
from clew.agent.answer.model_answer import ModelAnswer, Task, write
from clew.agent.answer.prompt_passages import reported
from clew.agent.gathering import evidence_of
from clew.agent.llm.ledger import RecordedWriter
from clew.agent.picking import has_earlier_turns
from clew.agent.quoting import placed, quoted
from clew.agent.services import Services
from clew.agent.state import Answer, Doing, Fallback, Piece, Prompted, TurnState
from clew.memory.datatypes import Passage, Recalled
from clew.memory.errors import ServiceUnreachable
from clew.memory.ports import Writer

Tell = Callable[[Piece | Doing], object]


@dataclass(frozen=True, slots=True)
class Written:
    """`model` is empty where the answer is quoted; then `degraded` says why, if a model should have written it.
    `details` are for the step."""

    answer: Answer
    model: str = ""
    degraded: tuple[Fallback, ...] = ()
    ledger: tuple[Prompted, ...] = ()
    details: tuple[str, ...] = ()


def written(state: TurnState, services: Services, writer: Writer, tell: Tell) -> Written:
    """By the model; where it fails, or finds nothing where a passage plainly answers, quoted. Raises `Cancelled`."""
    recorded = RecordedWriter(writer, "answer", tell)
    read = evidence_of(state, services)[: services.answer.passages]
    context = state.get("recalled", Recalled()).selected
    question, rewritten = state["wordings"][0].text, state["rewritten"]
    with_history = has_earlier_turns(question, rewritten)
    task = Task(question, rewritten, read, tuple(state.get("paths", ())), tuple(context), with_history)
    try:
        draft = write(task, recorded, services.unsupported, tell, services.cancel)
    except ServiceUnreachable as error:
        return _instead(state, services, recorded, tell, error.message)
    details = _details(draft, read)
    if draft.answer is None:
        if observing.answers(read, services.observe):
            return _instead(state, services, recorded, tell, f"{writer.name} found no answer in the passages", details)
        nothing = answering.nothing(state["rewritten"], state["passages"])
        return Written(nothing, writer.name, ledger=recorded.ledger, details=details)
    degraded = (Fallback("answer", f"it breaks off: {draft.broke}"),) if draft.broke else ()
    return Written(placed(draft.answer, services), writer.name, degraded, recorded.ledger, details)


def _instead(
    state: TurnState, services: Services, recorded: RecordedWriter, tell: Tell, why: str, details: Sequence[str] = ()
) -> Written:
    """Quoted, in the place of whatever the model may have begun to say."""
    tell(Piece("", restart=True))
    degraded = (Fallback("answer", why),)
    return Written(quoted(state, services), "", degraded, recorded.ledger, (*details, f"quoted, as {why}"))


def _details(draft: ModelAnswer, passages: Sequence[Passage]) -> tuple[str, ...]:
    """Instructions in documents, and citations of passages that there are not."""
    number = draft.unknown
    dropped = f"{number} citation{'' if number == 1 else 's'} of passages that there are not: dropped"
    return (*reported(passages, draft.removed), *((dropped,) if number else ()))
