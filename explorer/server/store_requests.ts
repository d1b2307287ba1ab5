/*
 * The requests that the page may send to the store. The explorer rejects all others: no request of the browser can
 * reset or pause a store, or delete events.
 */

interface Known {
  readonly method: string;
  readonly path: RegExp;
}

/** @param path with `*` for a percent-encoded segment, and `{id}` for an ID that the server generates */
function known(method: string, path: string): Known {
  const pattern = path.replaceAll("*", "[^/]+").replaceAll("{id}", "[\\w-]+");
  return { method, path: new RegExp(`^${pattern}$`) };
}

const READS: readonly Known[] = [
  known("GET", "/whoami"),
  known("GET", "/health"),
  known("GET", "/metrics"),
  known("GET", "/debug"),
  known("GET", "/debug/conflicts"),
  known("QUERY", "/events"),
  known("QUERY", "/events/stored"),
  known("GET", "/proof"),
  known("GET", "/catalog"),
  known("GET", "/position"),
  known("GET", "/projections"),
  known("GET", "/projections/*/*"),
];

const WRITES: readonly Known[] = [
  // Edition A.
  known("POST", "/write"),
  // Edition B.
  known("POST", "/tx"),
  known("QUERY", "/tx/{id}/events"),
  known("POST", "/tx/{id}/events"),
  known("POST", "/tx/{id}/commit"),
  known("DELETE", "/tx/{id}"),
  // Edition C.
  known("POST", "/begin"),
  known("POST", "/events"),
  known("POST", "/commit"),
  known("POST", "/rollback"),
];

/** Decides if a request may go to the store: `readOnly` when it could if writes were allowed. */
export function permissionFor(
  method: string,
  path: string,
  allowWrites: boolean,
): "allowed" | "readOnly" | "unknown" {
  const isIn = (list: readonly Known[]): boolean =>
    list.some((known) => known.method === method && known.path.test(path));
  if (isIn(READS)) return "allowed";
  if (!isIn(WRITES)) return "unknown";
  return allowWrites ? "allowed" : "readOnly";
}
