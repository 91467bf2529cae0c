-- The tables of the conversations of a user. The turns of a thread are a tree: turns.turn counts those of the thread,
-- turns.number those from the root, and threads.leaf is the turn that the thread is at. turns.liked is what the person
-- said of the answer: 1 good, -1 bad, 0 nothing.
CREATE TABLE threads (
    thread TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    updated TEXT NOT NULL,
    library TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT '',
    leaf INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL DEFAULT '',
    pinned INTEGER NOT NULL DEFAULT 0,
    deleted TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE turns (
    thread TEXT NOT NULL REFERENCES threads ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    question TEXT NOT NULL,
    record TEXT NOT NULL,
    encoder TEXT NOT NULL,
    parent INTEGER NOT NULL DEFAULT 0,
    number INTEGER NOT NULL DEFAULT 0,
    liked INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (thread, turn)
) STRICT;
CREATE INDEX tree ON turns (thread, turn, parent, number);
CREATE TABLE sentences (
    thread TEXT NOT NULL,
    turn INTEGER NOT NULL,
    position INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    text TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (thread, turn, position),
    FOREIGN KEY (thread, turn) REFERENCES turns ON DELETE CASCADE
) STRICT;
CREATE TABLE centroids (
    thread TEXT PRIMARY KEY REFERENCES threads ON DELETE CASCADE,
    encoder TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vectors BLOB NOT NULL,
    turn INTEGER NOT NULL DEFAULT 0
) STRICT;
