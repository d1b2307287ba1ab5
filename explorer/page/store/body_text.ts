/** The body of an answer, or its beginning. */
export interface BodyText {
  readonly text: string;
  /** True when the rest of the body was not read. */
  readonly isLeft: boolean;
}

/** Reads a body, and stops after `bytesMax`, but not before the end of the first line. */
export async function bodyText(response: Response, bytesMax = Infinity): Promise<BodyText> {
  if (response.body === null) return { text: "", isLeft: false };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isLeft: false };
    text += decoder.decode(value, { stream: true });
    bytes += value.length;
    if (bytes <= bytesMax || !text.includes("\n")) continue;
    await reader.cancel();
    return { text, isLeft: true };
  }
}
