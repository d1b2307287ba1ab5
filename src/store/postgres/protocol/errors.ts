/**
 * What PostgreSQL rejected. The session goes on: an open transaction is aborted, and waits for its ROLLBACK.
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

/** The session is over. Whether the statements that were sent last were carried out is unknown. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
}
