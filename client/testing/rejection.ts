/** An error answer, as the server gives it. */
export class Rejection extends Error {
  override readonly name = "Rejection";

  /** @param facts further keys of the answer, such as `conflict` */
  constructor(
    readonly status: 400 | 404 | 409 | 413,
    readonly code: string,
    message: string | undefined,
    readonly facts: object = {},
  ) {
    super(message);
  }
}

/** The error for a request, or an item of it, that is not valid. */
export function invalid(message: string): Rejection {
  return new Rejection(400, "InvalidRequest", message);
}

/** The error for a condition or a version that does not hold. */
export function conflict(message: string, conflict: object): Rejection {
  return new Rejection(409, "ConcurrencyException", message, { conflict });
}
