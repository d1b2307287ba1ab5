const KEY_BYTES = 32;

/** Decodes master keys with commas or white space between them. @returns them in Base64, or what is wrong with which one */
export function masterKeysIn(
  text: string,
): { readonly keys: readonly string[] } | { readonly fault: string } {
  const keys = text.split(/[\s,]+/).filter((key) => key !== "");
  if (keys.length === 0) return { fault: "there is none" };
  for (const [i, key] of keys.entries()) {
    const bytes = bytesIn(key);
    if (bytes === undefined) return { fault: `key ${i + 1} is not Base64` };
    if (bytes !== KEY_BYTES) return { fault: `key ${i + 1} has ${bytes} bytes` };
  }
  return { keys };
}

/** @returns how many bytes a text in Base64 has; undefined for any other text */
function bytesIn(text: string): number | undefined {
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" }).length;
  } catch {
    return undefined;
  }
}
