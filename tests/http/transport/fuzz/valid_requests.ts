import type { Random } from "./random.ts";

/** Every field name that these requests carry, in lower case. */
export const FIELD_NAMES = [
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "expect",
  "authorization",
  "upgrade",
  "accept",
  "x-a",
  "x_b",
] as const;

const METHODS = ["GET", "POST", "QUERY", "HEAD", "DELETE", "PUT", "OPTIONS", "M-SEARCH", "FOO", "x!~"];
const TARGETS = [
  "/",
  "/write",
  "/events?a=1&b",
  "/%2e%2e/a%00",
  "//a/../b",
  '/a"<>[]{}|\\^`',
  "/*",
  "/a@b:80",
];
const HOSTS = ["a", "localhost:8085", "[::1]:80", "", "a.b-c_d"];
const OTHER_FIELDS = [
  "Accept: */*",
  "Authorization: Bearer abc",
  "X-A: 1",
  "x-a:\t two words  ",
  "X_b:",
  "x-a: caf\xe9 \x80\xff",
  "Connection: keep-alive",
  "Upgrade: h2c",
];
const BODIES = [
  "",
  "a",
  "hello",
  '{"events":[]}',
  "\r\n\r\n",
  "0\r\n\r\n",
  "GET /inner HTTP/1.1\r\nHost: b\r\n\r\n",
];

/** One to three valid requests that follow each other on a connection. */
export function validRequests(random: Random): string {
  let text = validRequest(random);
  while (random.chance(0.35)) text += validRequest(random);
  return text;
}

function validRequest(random: Random): string {
  const minorVersion = random.chance(0.15) ? 0 : 1;
  const lines: string[] = [];
  if (minorVersion === 1 || random.chance(0.5)) lines.push(`Host: ${random.pick(HOSTS)}`);
  while (random.chance(0.4)) lines.push(random.pick(OTHER_FIELDS));
  if (minorVersion === 0 && random.chance(0.7)) lines.push("Connection: keep-alive");
  if (random.chance(0.05)) lines.push("Connection: close");
  if (random.chance(0.05)) lines.push("Expect: 100-continue");
  let body = "";
  if (random.chance(0.6)) {
    body = random.pick(BODIES);
    if (minorVersion === 1 && random.chance(0.5)) {
      lines.push(random.pick(["Transfer-Encoding: chunked", "transfer-encoding:Chunked"]));
      body = inChunks(random, body);
    } else {
      lines.push(random.pick(["Content-Length: ", "content-length:"]) + body.length);
    }
  }
  const line = `${random.pick(METHODS)} ${random.pick(TARGETS)} HTTP/1.${minorVersion}`;
  return [line, ...shuffled(random, lines), "", body].join("\r\n");
}

const EXTENSIONS = ["", "", "", ";a", ";a=b", ';a="b c"', ";a=b;c"];
const TRAILERS = ["", "", "", "X-T: 1\r\n", "X-T: 1\r\nX-U:\r\n"];

function inChunks(random: Random, body: string): string {
  let text = "";
  for (let at = 0; at < body.length;) {
    const chunk = body.slice(at, at + 1 + random.below(body.length));
    const size = chunk.length.toString(16).padStart(random.pick([1, 1, 1, 3]), "0");
    text += `${random.chance(0.5) ? size.toUpperCase() : size}${random.pick(EXTENSIONS)}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${text}0${random.pick(EXTENSIONS)}\r\n${random.pick(TRAILERS)}\r\n`;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!);
}
