/** An array of numbers or tokens, in PostgreSQL's text form. */
export function arrayText(elements: readonly (number | string)[]): string {
  return `{${elements.join(",")}}`;
}

/** An array of arrays of numbers or tokens of different lengths, as an array of texts. */
export function nestedArrayText(elements: readonly (readonly (number | string)[])[]): string {
  return `{${elements.map((inner) => `"${arrayText(inner)}"`).join(",")}}`;
}

/** An array of `bytea`. */
export function bytesArrayText(elements: readonly Uint8Array[]): string {
  return `{${elements.map((bytes) => `"\\\\x${bytes.toHex()}"`).join(",")}}`;
}
