"""The per-user database of threads: one SQLite file for every interface; turns are upserted by (thread, turn)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from memory.datatypes import Sentence, Vectors


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation: `title` is made from its first question, `updated` is ISO 8601 in UTC."""

    id: str
    title: str
    turns: int
    updated: str


class Threads:
    """Opens or makes the database at `path`, in memory for `None`. Safe from several threads and processes."""

    def __init__(self, path: Path | None) -> None: ...

    def new_id(self) -> str:
        """A short id that is not in use."""
        raise NotImplementedError

    def recent(self) -> list[Thread]:
        """Newest first."""
        raise NotImplementedError

    def get(self, thread: str) -> Thread | None:
        raise NotImplementedError

    def save(
        self, thread: str, turn: int, question: str, record: str, sentences: Sequence[Sentence], vectors: Vectors
    ) -> None:
        """Write a turn whole, in one transaction, over what (thread, turn) had. `record` is JSON; the sentences are
        those of the question and of its answer, `vectors` of shape (len(sentences), d) their embeddings."""
        raise NotImplementedError

    def records(self, thread: str) -> list[str]:
        """The JSON of each turn, oldest first."""
        raise NotImplementedError

    def sentences(self, thread: str) -> tuple[list[Sentence], Vectors]:
        """All sentences of the thread in the order said, with vectors of shape (n, d); (0, 0) where there are none."""
        raise NotImplementedError

    def delete(self, thread: str) -> None:
        raise NotImplementedError

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
