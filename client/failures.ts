/** An error of a runtime's HTTP client. */
interface HttpError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  /** One for each address that was tried. */
  readonly errors?: readonly Error[];
}

/** Why a request failed. */
export interface Failure {
  /** In words. */
  readonly reason: string;
  /** True if there was no connection, so the request was not sent. If false, it may have been. */
  readonly isUnsent: boolean;
}

/** Causes, as the runtimes name them, in plain words. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/refused/i, "connection refused"],
  [/ENOENT|OpenSocket/, "no such socket"],
  [/dns|ENOTFOUND|EAI_/, "unknown host"],
  [
    /Issuer|AsEndEntity|SELF_SIGNED|UNABLE_TO/,
    "the certificate's authority is not trusted; set DENO_CERT or NODE_EXTRA_CA_CERTS",
  ],
];

/**
 * Failures before a request was sent: the reasons of Deno without a connection or a permission, those of `fetch` for a
 * port or a URL that it does not accept, the codes of Node and Bun for a handshake that failed, and system calls.
 */
const UNSENT =
  /^client error \(Connect|CONNECT_TIMEOUT|^Requires |\bport|URL|CERT|SELF_SIGNED|UNABLE_TO|ionRefused|OpenSocket|,(connect|getaddrinfo)$/;

/** Explains the error of a request. The outer errors only say that it failed. */
export function failureOf(error: unknown): Failure {
  let reason = String(error);
  let names = "";
  let isUnsent = false;
  for (let cause = error as HttpError; cause instanceof Error;) {
    const { message, code = "", syscall } = cause;
    reason = message.replace(/^error sending .*?\): /, "") || code;
    names = String([reason, code, syscall]);
    isUnsent ||= UNSENT.test(names);
    cause = (cause.errors?.[0] ?? cause.cause) as HttpError;
  }
  return { reason: isUnsent && WORDS.find(([pattern]) => pattern.test(names))?.[1] || reason, isUnsent };
}
