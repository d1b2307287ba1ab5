const FRAMING_FIELD =
  /((?:^|\n)(?:connection|content-length|transfer-encoding):[^\r\n]*?)([ \t]+)(?=\r\n|\r?$)/gi;
const LATER_VERSION = / HTTP\/1\.[2-9](?=[\r\n]|$)/g;

/**
 * Rewrites a request for Node's parser, without changing its length. Node's parser rejects a tab after the value of a
 * field that delimits a message, and every version but 1.0 and 1.1. Ours follows RFC 9110 and 9112.
 */
export function asForNode(text: string): string {
  return text
    .replace(FRAMING_FIELD, (_, line: string, blanks: string) => line + " ".repeat(blanks.length))
    .replace(LATER_VERSION, " HTTP/1.1");
}
