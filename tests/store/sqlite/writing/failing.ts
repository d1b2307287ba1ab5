/** SQL that breaks the statement which stores an event of type `bad`. */
export const FAILING_INSERT =
  `CREATE TRIGGER failing BEFORE INSERT ON event WHEN instr(NEW.body, '"type":"bad"')
  BEGIN SELECT RAISE(ABORT, 'marked to fail'); END`;

/** SQL that lets an event of type `bad` in, but not the COMMIT that carries it. */
export const FAILING_COMMIT = `PRAGMA foreign_keys = ON;
  CREATE TABLE parent (id INTEGER PRIMARY KEY);
  CREATE TABLE child (id INTEGER REFERENCES parent DEFERRABLE INITIALLY DEFERRED);
  CREATE TRIGGER orphan AFTER INSERT ON event WHEN instr(NEW.body, '"type":"bad"')
    BEGIN INSERT INTO child VALUES (1); END`;

export const FAILING_FENCE = `CREATE TRIGGER no_fence BEFORE UPDATE OF fence ON store
  BEGIN SELECT RAISE(ABORT, 'no fence'); END`;
