"""The tables of a library's database, and a document as it stands there."""

import json
from collections.abc import Sequence

from clew.memory.datatypes import Document, Mark
from clew.memory.knowledge.communities.community_index import SCHEMA as COMMUNITIES
from clew.memory.knowledge.layering import SCHEMA as LAYERS

SCHEMA = (
    """
CREATE TABLE sources (
    path TEXT PRIMARY KEY, digest TEXT NOT NULL);
CREATE TABLE documents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, place TEXT NOT NULL, pages TEXT NOT NULL,
    headings TEXT NOT NULL, digest TEXT NOT NULL, source TEXT NOT NULL, position INTEGER NOT NULL);
CREATE INDEX documents_by_source ON documents (source, position);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, start INTEGER NOT NULL,
    end INTEGER NOT NULL, page TEXT NOT NULL, heading TEXT NOT NULL, digest BLOB NOT NULL);
CREATE INDEX chunks_by_document ON chunks (document);
CREATE TABLE edges (
    source TEXT NOT NULL, target TEXT NOT NULL, relation TEXT NOT NULL, origin TEXT NOT NULL,
    PRIMARY KEY (source, target, relation, origin)) WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (target);
CREATE TABLE triples (
    document TEXT NOT NULL, n INTEGER NOT NULL, subject TEXT NOT NULL, relation TEXT NOT NULL, object TEXT NOT NULL,
    chunk TEXT, PRIMARY KEY (document, n)) WITHOUT ROWID;
"""
    + LAYERS
    + COMMUNITIES
)


def document_of(row: Sequence[str]) -> Document:
    """Of the columns id, title, text, place, pages, headings."""
    id_, title, text, place, pages, headings = row
    return Document(id_, title, text, place, _marks(pages), _marks(headings))


def _marks(text: str) -> tuple[Mark, ...]:
    return tuple(Mark(start, title) for start, title in json.loads(text))
