/*
 * DER, the encoding of certificates. Each element has a tag, the length of its content, and the content. Elements
 * can be nested.
 */

export interface Element {
  readonly tag: number;
  readonly content: Uint8Array<ArrayBuffer>;
  /** The content, with the tag and the length before it. */
  readonly whole: Uint8Array<ArrayBuffer>;
}

/**
 * Splits bytes into elements.
 * @throws Error for other bytes
 */
export function elementsIn(bytes: Uint8Array<ArrayBuffer>): Element[] {
  const elements: Element[] = [];
  for (let start = 0; start < bytes.length;) {
    const { contentStart, end } = extentOf(bytes, start);
    const content = bytes.subarray(contentStart, end);
    elements.push({ tag: bytes[start]!, content, whole: bytes.subarray(start, end) });
    start = end;
  }
  return elements;
}

function extentOf(bytes: Uint8Array, start: number): { contentStart: number; end: number } {
  const first = bytes[start + 1] ?? 0xff;
  // From 0x80 on, it contains the number of bytes that hold the length.
  const count = first < 0x80 ? 0 : first - 0x80;
  if (count > 4) throw new Error("it is not DER");
  let length = count === 0 ? first : 0;
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[start + 2 + i] ?? 0);
  const contentStart = start + 2 + count;
  const end = contentStart + length;
  if (end > bytes.length) throw new Error("it is not DER");
  return { contentStart, end };
}
