-- A tournament's state. Written by one process at a time; what is here is durable.

CREATE TABLE tournament (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    arena       TEXT NOT NULL,              -- version of the arena that made it
    created     TEXT NOT NULL,              -- UTC, ISO 8601
    game        TEXT NOT NULL,
    rules       TEXT NOT NULL,              -- JSON: the options that differ from the game's own
    options     TEXT NOT NULL,              -- JSON: flag name -> value as shown; fixed for the tournament's life
    seed        TEXT NOT NULL,              -- hex; secret until the tournament is closed
    commitment  TEXT NOT NULL,
    guessable   INTEGER NOT NULL CHECK (guessable IN (0, 1)),
    closed      TEXT                        -- UTC when the seed was revealed: nothing can be added then
) STRICT;

CREATE TABLE bot (
    digest      TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    version     TEXT NOT NULL,
    owner       TEXT NOT NULL DEFAULT '',
    language    TEXT NOT NULL DEFAULT '',
    source      TEXT NOT NULL DEFAULT '',   -- the folder it came from
    started     INTEGER NOT NULL DEFAULT 0 CHECK (started IN (0, 1)),  -- had a good start in this tournament
    breaks      INTEGER NOT NULL DEFAULT 0  -- blocks in which it was shown to have brought a slot down
) STRICT, WITHOUT ROWID;

-- A tournament that was merged into this one under a seed of its own.
CREATE TABLE part (
    commitment  TEXT PRIMARY KEY,
    seed        TEXT NOT NULL,
    guessable   INTEGER NOT NULL CHECK (guessable IN (0, 1))
) STRICT, WITHOUT ROWID;

-- One pairing. A is the bot with the lower digest. The sums are those of the games that count, so that
-- standings read one row a pairing.
CREATE TABLE match (
    id          INTEGER PRIMARY KEY,
    match_id    TEXT NOT NULL UNIQUE,
    a           TEXT NOT NULL REFERENCES bot (digest),
    b           TEXT NOT NULL REFERENCES bot (digest),
    games       INTEGER NOT NULL DEFAULT 0,
    pairs       INTEGER NOT NULL DEFAULT 0, -- pairs with both legs
    cell0       INTEGER NOT NULL DEFAULT 0, -- pairs by A's score: 0, 1/4, 1/2, 3/4, 1
    cell1       INTEGER NOT NULL DEFAULT 0,
    cell2       INTEGER NOT NULL DEFAULT 0,
    cell3       INTEGER NOT NULL DEFAULT 0,
    cell4       INTEGER NOT NULL DEFAULT 0,
    hands       INTEGER NOT NULL DEFAULT 0,
    points_a    INTEGER NOT NULL DEFAULT 0,
    points_b    INTEGER NOT NULL DEFAULT 0,
    forfeits_a  INTEGER NOT NULL DEFAULT 0,
    forfeits_b  INTEGER NOT NULL DEFAULT 0,
    margin      INTEGER NOT NULL DEFAULT 0, -- sum over pairs of A's points minus B's, both legs
    margin2     INTEGER NOT NULL DEFAULT 0, -- and of its square
    decisions   INTEGER NOT NULL DEFAULT 0,
    seconds     REAL NOT NULL DEFAULT 0,
    part        TEXT NOT NULL DEFAULT '',   -- commitment of the part that it was played in; '' for this one
    CHECK (a < b),
    UNIQUE (a, b, part)
) STRICT;

-- One run of one block, written before its first frame is sent.
CREATE TABLE attempt (
    match       INTEGER NOT NULL REFERENCES match (id),
    block       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    logged      INTEGER NOT NULL,           -- its number in its log: another one where it was merged in
    kind        TEXT NOT NULL CHECK (kind IN ('block', 'trial', 'forfeit')),
    status      TEXT NOT NULL CHECK (status IN ('running', 'finished', 'lost')),
    games       INTEGER NOT NULL,           -- how many it was to play
    played      INTEGER NOT NULL DEFAULT 0,
    log         TEXT NOT NULL,              -- relative to the tournament's folder
    bytes       INTEGER NOT NULL DEFAULT 0, -- how much of the log counts
    head        TEXT NOT NULL DEFAULT '',   -- hash of the last line that counts
    why         TEXT NOT NULL DEFAULT '',   -- of a lost one
    bot         TEXT NOT NULL DEFAULT '',   -- name of the bot that caused it, or that a trial tries
    text        TEXT NOT NULL DEFAULT '',
    facts       TEXT NOT NULL DEFAULT '{}', -- JSON: host lateness, CPU by seat
    began       TEXT NOT NULL,
    ended       TEXT,
    PRIMARY KEY (match, block, attempt)
) STRICT, WITHOUT ROWID;

CREATE INDEX attempt_status ON attempt (status) WHERE status <> 'finished';

CREATE TABLE game (
    id          INTEGER PRIMARY KEY,
    match       INTEGER NOT NULL REFERENCES match (id),
    block       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    pair        INTEGER NOT NULL CHECK (pair >= 0),
    leg         INTEGER NOT NULL CHECK (leg IN (0, 1)),
    status      TEXT NOT NULL CHECK (status IN ('counts', 'superseded', 'void')),
    score_a     REAL NOT NULL CHECK (score_a IN (0.0, 0.5, 1.0)),
    points_a    INTEGER NOT NULL,
    points_b    INTEGER NOT NULL,
    hands       INTEGER NOT NULL,
    decisions   INTEGER NOT NULL,
    reason      TEXT NOT NULL CHECK (reason IN ('target', 'hand_limit', 'forfeit')),
    fault_code  TEXT,
    fault_bot   TEXT CHECK (fault_bot IN ('a', 'b')),
    fault_seat  INTEGER,
    fault_text  TEXT,
    fault_stderr TEXT,
    seconds     REAL NOT NULL,
    facts       TEXT NOT NULL DEFAULT '{}', -- JSON: whatever else the slot said of the game
    log_offset  INTEGER NOT NULL,
    log_bytes   INTEGER NOT NULL,
    FOREIGN KEY (match, block, attempt) REFERENCES attempt (match, block, attempt)
) STRICT;

CREATE UNIQUE INDEX game_counts ON game (match, pair, leg) WHERE status = 'counts';
CREATE INDEX game_repeats ON game (match, pair, leg) WHERE status <> 'counts';
CREATE INDEX game_faults ON game (fault_code, fault_bot, match) WHERE fault_code IS NOT NULL AND status = 'counts';
