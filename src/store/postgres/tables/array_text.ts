/** An array of numbers or of tokens, in the form in which PostgreSQL reads it. */
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
