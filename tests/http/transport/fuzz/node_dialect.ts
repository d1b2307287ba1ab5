const FRAMING_FIELD =
  /((?:^|\n)(?:connection|content-length|transfer-encoding):[^\r\n]*?)([ \t]+)(?=\r\n|\r?$)/gi;
const LATER_VERSION = / HTTP\/1\.[2-9](?=[\r\n]|$)/g;

/**
 * The same request in words that Node's parser knows, each as long as what it replaces: it takes no tab behind the
 * value of a field that delimits a message, and no version but 1.0 and 1.1, where ours follows RFC 9110 and 9112.
 */
export function asForNode(text: string): string {
  return text
    .replace(FRAMING_FIELD, (_, line: string, blanks: string) => line + " ".repeat(blanks.length))
    .replace(LATER_VERSION, " HTTP/1.1");
}
