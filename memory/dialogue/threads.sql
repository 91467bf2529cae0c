-- The tables of the conversations of a user.
CREATE TABLE threads (
    thread TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    updated TEXT NOT NULL,
    library TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE TABLE turns (
    thread TEXT NOT NULL REFERENCES threads ON DELETE CASCADE,
    turn INTEGER NOT NULL,
    question TEXT NOT NULL,
    record TEXT NOT NULL,
    encoder TEXT NOT NULL,
    PRIMARY KEY (thread, turn)
) STRICT;
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
    vectors BLOB NOT NULL
) STRICT;
