/*
 * What the page may ask of the store. Everything else ends here: nothing that the browser sends can reset a store,
 * pause it or delete from it.
 */

interface Known {
  readonly method: string;
  readonly path: RegExp;
}

/** @param path with `*` for a segment that is percent-encoded, and `{id}` for one that the server makes up */
function known(method: string, path: string): Known {
  const pattern = path.replaceAll("*", "[^/]+").replaceAll("{id}", "[\\w-]+");
  return { method, path: new RegExp(`^${pattern}$`) };
}

const READS: readonly Known[] = [
  known("GET", "/health"),
  known("GET", "/metrics"),
  known("GET", "/debug"),
  known("QUERY", "/events"),
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

/** Whether a request may go to the store: `readOnly` when it could if writes were allowed. */
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
