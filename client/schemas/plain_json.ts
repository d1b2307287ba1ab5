import { partPath, ROOT } from "./payload_path.ts";

/**
 * Returns the first part of a value that does not come back from JSON as it was, such as a date; undefined when there
 * is none. Keys without a value disappear in JSON, which is no loss.
 * @param path names the value
 */
export function lossIn(value: unknown, path = ROOT): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} (${value})`;
  if (Array.isArray(value)) return firstOf(value.entries(), path);
  if (isPlain(value)) return firstOf(Object.entries(value).filter(([, part]) => part !== undefined), path);
  return `${path} (${typeof value === "object" ? value!.constructor?.name : typeof value})`;
}

function firstOf(parts: Iterable<readonly [PropertyKey, unknown]>, path: string): string | undefined {
  for (const [key, part] of parts) {
    const loss = lossIn(part, partPath(path, key));
    if (loss) return loss;
  }
  return undefined;
}

/** True for objects of literals, also of another realm, such as that of a test runner. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
