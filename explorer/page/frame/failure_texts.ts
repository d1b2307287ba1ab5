import type { About, CallError } from "../store/store_calls.ts";

/** Says in one sentence why the page is not up to date, and what helps. */
export function failureText({ code, status, message }: CallError, about: About | undefined): string {
  if (status === 401) {
    const has = about?.hasToken === true
      ? "not the one that the explorer has"
      : "which the explorer does not have";
    return `The store wants a token, ${has}: start the explorer with --token-file and the server's token.`;
  }
  // Another key: the explorer was started again.
  if (status === 403) return message;
  if (code === "Gone") {
    return "The explorer does not answer. Until it does, the page shows what it had. If it has ended, start it again.";
  }
  const reason = message.replace(/\.$/, "");
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. Until it answers, the page shows what it had.`;
}
