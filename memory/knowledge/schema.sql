-- The tables of a library: what was read (sources to triples), the layers (sentences to verbs), the communities.
-- A chunk's row is its place in the vectors and in the keyword indexes, a sentence's row its place in the vectors.
-- The chunk of a triple is NULL where the library does not use the triples that its documents carry.
CREATE TABLE sources (
    path TEXT PRIMARY KEY, digest TEXT NOT NULL);
CREATE TABLE documents (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL, place TEXT NOT NULL, pages TEXT NOT NULL,
    headings TEXT NOT NULL, date TEXT NOT NULL, status TEXT NOT NULL, digest TEXT NOT NULL, source TEXT NOT NULL,
    position INTEGER NOT NULL, author TEXT NOT NULL, tags TEXT NOT NULL);
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

CREATE TABLE sentences (
    document TEXT NOT NULL, n INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, digest BLOB NOT NULL,
    row INTEGER, chunk INTEGER, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE UNIQUE INDEX sentences_by_row ON sentences (row);
CREATE TABLE names (
    document TEXT NOT NULL, n INTEGER NOT NULL, sentence INTEGER NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL,
    given INTEGER NOT NULL, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE TABLE relations (
    document TEXT NOT NULL, n INTEGER NOT NULL, sentence INTEGER NOT NULL, subject INTEGER NOT NULL, verb TEXT NOT NULL,
    object INTEGER NOT NULL, given INTEGER NOT NULL, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE TABLE entities (number INTEGER PRIMARY KEY, id TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL);
CREATE INDEX entities_by_id ON entities (id);
CREATE TABLE verbs (number INTEGER PRIMARY KEY, text TEXT NOT NULL);

CREATE TABLE communities (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, report TEXT NOT NULL, author TEXT NOT NULL, first INTEGER NOT NULL,
    last INTEGER NOT NULL, parent INTEGER NOT NULL, entities TEXT NOT NULL, digest BLOB NOT NULL);

-- Chunks before they are put in order; dropped then.
CREATE TABLE staged (
    id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, n INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    page TEXT NOT NULL, heading TEXT NOT NULL, digest BLOB NOT NULL);

-- The tables of documents (tables.py): columns and cells are lists in JSON, as written and as values. A word of a table
-- stands with the cell that has it; without a value it is of a head, and in the column -1 of the table's names.
CREATE TABLE tables (
    document TEXT NOT NULL, n INTEGER NOT NULL, title TEXT NOT NULL, place TEXT NOT NULL, size INTEGER NOT NULL,
    columns TEXT NOT NULL, PRIMARY KEY (document, n)) WITHOUT ROWID;
CREATE TABLE table_rows (
    document TEXT NOT NULL, n INTEGER NOT NULL, number INTEGER NOT NULL, cells TEXT NOT NULL, "values" TEXT NOT NULL,
    PRIMARY KEY (document, n, number)) WITHOUT ROWID;
CREATE TABLE table_words (
    word TEXT NOT NULL, document TEXT NOT NULL, n INTEGER NOT NULL, column INTEGER NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (word, document, n, column, value)) WITHOUT ROWID;
