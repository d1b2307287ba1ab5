/** The path of a whole payload. */
export const ROOT = "payload";

/** Returns the path of a part, such as `payload.items[0].price`. */
export function partPath(path: string, key: PropertyKey): string {
  if (typeof key === "number") return `${path}[${key}]`;
  const name = String(key);
  return /^[\w$]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
}
