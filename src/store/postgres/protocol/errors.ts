/**
 * PostgreSQL has rejected a statement. The session continues: an open transaction is aborted, and waits for its
 * ROLLBACK.
 */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** Five characters, the SQLSTATE. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The session has ended. It is unknown whether PostgreSQL has executed the last statements. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}
