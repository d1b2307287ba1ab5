import type { Random } from "./random.ts";

type Mutation = (random: Random, text: string) => string;

const BYTES = '\r\n\t \0\x7f\x0b\x80\xa0:;,="#%/*+-0159aAfFxX';

const LINES = [
  "Content-Length: 0",
  "Content-Length: 5",
  "Content-Length : 5",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding:\x0bchunked",
  "Connection: close",
  "Connection: close, keep-alive",
  "Connection: upgrade",
  "Expect: 100-continue",
  "Expect: something",
  "Host: b",
  "Host: a b",
  " continued",
  "\tcontinued",
  "nocolon",
  ": empty",
  "",
];

const LENGTHS = [
  "0",
  "1",
  "4",
  "6",
  "+5",
  "-5",
  "0x5",
  "5 5",
  "5,5",
  "5;",
  "05",
  "5.0",
  "9".repeat(15),
  "1".repeat(20),
  "",
];

const SIZES = [
  "0",
  "1",
  "ff",
  "00000005",
  "000000005",
  "5 ",
  " 5",
  "+5",
  "-1",
  "0x5",
  "ffffffff",
  "fffffffff",
  "5;",
  "5; a",
  "5;a b",
  "5;a=\x01",
  "",
];

const REQUEST_LINES = [
  "GET http://a/ HTTP/1.1",
  "GET http://b:80?c HTTP/1.1",
  "GET HTTP://[::1] HTTP/1.0",
  "GET http://b@a/ HTTP/1.1",
  "GET http:///a HTTP/1.1",
  "GET https://a/ HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "CONNECT a:80 HTTP/1.1",
  "CONNECT / HTTP/1.1",
  "GET / HTTP/1.2",
  "GET / HTTP/2.0",
  "GET / HTTP/0.9",
  "GET / http/1.1",
  "GET /",
  "GET  / HTTP/1.1",
  "GET / HTTP/1.1 ",
  "GET /a b HTTP/1.1",
  "GET /a#b HTTP/1.1",
  " GET / HTTP/1.1",
  "PRI * HTTP/2.0",
];

const atByte = (change: (random: Random, byte: string) => string): Mutation => (random, text) => {
  const at = random.below(text.length);
  return text.slice(0, at) + change(random, text[at]!) + text.slice(at + 1);
};

/** Replaces one match, if there is any. */
const atMatch =
  (pattern: RegExp, change: (random: Random, match: string) => string): Mutation => (random, text) => {
    const matches = [...text.matchAll(pattern)];
    if (matches.length === 0) return text;
    const { 0: match, index } = random.pick(matches);
    return text.slice(0, index) + change(random, match) + text.slice(index + match.length);
  };

const flipped = (random: Random, byte: string): string =>
  String.fromCharCode(byte.charCodeAt(0) ^ (1 << random.below(8)));

const MUTATIONS: readonly Mutation[] = [
  atByte(flipped),
  atByte((random) => random.pick([...BYTES])),
  atByte((random, byte) => byte + random.pick([...BYTES])),
  atByte(() => ""),
  atByte((_, byte) => byte + byte),
  (random, text) => text.slice(0, random.below(text.length)),
  // Lines: repeated, removed, merged, added.
  atMatch(/[^\n]*\r\n/g, (_, line) => line + line),
  atMatch(/[^\n]*\r\n/g, () => ""),
  atMatch(/\r\n/g, (random) => random.pick(["", " ", ", "])),
  atMatch(/\r\n/g, (random) => `\r\n${random.pick(LINES)}\r\n`),
  // Ends of lines.
  atMatch(
    /\r\n/g,
    (random) =>
      random.pick(["\n", "\r", "\r\r\n", "\n\r", "\r\n\r\n", "\n\n", "\r\n ", " \r\n", "\t\r\n", "\0\r\n"]),
  ),
  // A line before a request.
  atMatch(/(?<=^|\n)(?=[A-Z]+ [^ \r]+ HTTP)/g, (random) => random.pick(["\r\n", "\r\n\r\n", "\n", " \r\n"])),
  // Lengths and sizes.
  atMatch(/(?<=content-length: ?)\d+/gi, (random) => random.pick(LENGTHS)),
  atMatch(/(?<=\r\n)[0-9a-f]+(?=[;\r])/gi, (random) => random.pick(SIZES)),
  atMatch(
    /(?<=\r\n[0-9a-f]+)(;[^\r]*)?(?=\r)/gi,
    (random) =>
      random.pick([
        ";",
        ";a",
        ";a=",
        ';"a"',
        ';a="b',
        "; a=b",
        ";a =b",
        ";a=b ",
        "\t;a",
        ";a;;b",
        ';a="\\""',
        ';a="\\\x01"',
      ]),
  ),
  atMatch(
    /chunked/gi,
    (random) =>
      random.pick([
        "chunked ",
        " chunked",
        "xchunked",
        "chunke",
        "chunked,",
        "chunked, chunked",
        '"chunked"',
        "\x0cchunked",
        "identity",
      ]),
  ),
  atMatch(/^[^\n]*HTTP\/1\.[01]/gm, (random) => random.pick(REQUEST_LINES)),
  atMatch(
    /HTTP\/1\.[01]/g,
    (random) =>
      random.pick([
        "HTTP/1.0",
        "HTTP/1.1",
        "HTTP/1.2",
        "HTTP/1.9",
        "HTTP/1.10",
        "HTTP/11",
        "HTTP/01.1",
        "HTTP/1,1",
        "HTTP /1.1",
      ]),
  ),
  atMatch(/: ?/g, (random) => random.pick([":", " :", ":  ", "\t:", ":\t", "", "::", ":\x0b"])),
];

/** Changes a valid text in one to three places, or, now and then, not at all. */
export function mutated(random: Random, text: string): string {
  if (random.chance(0.05)) return text;
  let result = text;
  do {
    if (result !== "") result = random.pick(MUTATIONS)(random, result);
  } while (random.chance(0.3));
  return result;
}
