"""SQLite FTS5 in the place of bm25s: the peer of the keyword engine. Not a part of Clew."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from clew.memory.datatypes import Hit
from clew.memory.knowledge.store import EmbeddedStore
from clew.memory.knowledge.tokens import ENGLISH_STOP_WORDS, WORD, KeywordParameters

MOST = 2.2
"""FTS5's k1 is 1.2, and its score of a word nears k1 + 1 times the word's idf."""


class Fts5Store(EmbeddedStore):
    """A library's store whose keyword search is FTS5: Porter's stemmer, the title with weight 2, Clew's stop words.

    The table is built in memory over the same chunks. Scores are shares of the most that a query could reach.
    """

    def __init__(self, generation: Path, keywords: KeywordParameters) -> None:
        super().__init__(generation, keywords)
        self._words = sqlite3.connect(":memory:")
        self._words.execute("ATTACH ? AS library", (str(generation / "library.sqlite"),))
        self._words.executescript("""
            CREATE VIRTUAL TABLE words USING fts5(title, text, tokenize = 'porter unicode61');
            INSERT INTO words (rowid, title, text)
                SELECT c.row, d.title, substr(d.text, c.start + 1, c.end - c.start)
                FROM library.chunks c JOIN library.documents d ON d.id = c.document;
        """)
        self._size = len(self._vectors)
        self.idf = cache(self._idf)

    def close(self) -> None:
        self._words.close()
        super().close()

    def keyword_search(
        self,
        queries: Sequence[str],
        k: int,
        *,
        scope: frozenset[str] | None = None,
        among: Sequence[str] | None = None,
        fields: Mapping[str, float] | None = None,
    ) -> list[list[Hit]]:
        if scope is not None or fields is not None:
            raise NotImplementedError("the peer searches whole libraries only, in one text")
        if among is None:
            return [[Hit(id_, share) for id_, share in self.found(query, k)] for query in queries]
        covered = super().keyword_search(queries, k, among=among)  # of the title: the same for both engines
        coverage = [{hit.chunk: hit.title_coverage for hit in hits} for hits in covered]
        return [
            [Hit(id_, share, title_coverage=of_query.get(id_, 0.0)) for id_, share in self.found(query, k, among)]
            for query, of_query in zip(queries, coverage, strict=True)
        ]

    def found(self, query: str, k: int, among: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """At most k chunks and their shares, best first."""
        words = [word for word in dict.fromkeys(WORD.findall(query.lower())) if word not in ENGLISH_STOP_WORDS]
        most = MOST * sum(self.idf(word) for word in words)
        if not most:
            return []
        wanted = " AND +rowid IN (SELECT row FROM library.chunks WHERE id IN (SELECT value FROM json_each(?)))"
        rows = self._words.execute(
            "SELECT c.id, -score FROM (SELECT rowid, bm25(words, 2.0, 1.0) AS score FROM words WHERE words MATCH ?"
            f"{'' if among is None else wanted} ORDER BY score LIMIT ?) JOIN library.chunks c ON c.row = rowid"
            " ORDER BY score",
            (" OR ".join(f'"{word}"' for word in words), *([] if among is None else [json.dumps(list(among))]), k),
        )
        return [(id_, score / most) for id_, score in rows]

    def _idf(self, word: str) -> float:
        """As FTS5 reckons it; 0 for a word that no chunk holds."""
        (holding,) = self._words.execute("SELECT count(*) FROM words WHERE words MATCH ?", (f'"{word}"',)).fetchone()
        return max(1e-6, float(np.log((self._size - holding + 0.5) / (holding + 0.5)))) if holding else 0.0
