import { chunked, type CorpusCase, get, head, post, rejects, takes, takesLast } from "./corpus_case.ts";
import { BODY_BYTES_MAX } from "./echo.ts";

const LONGEST = "x".repeat(BODY_BYTES_MAX);

/** All 256 bytes, because real bodies also hold NUL and line ends. */
const EVERY_BYTE = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join("");

/** Chunks as sent, and the body that they make. */
const CHUNKS: readonly (readonly [sent: string, body: string])[] = [
  ["0\r\n\r\n", ""],
  ["00000000\r\n\r\n", ""],
  ["5\r\nhello\r\n0\r\n\r\n", "hello"],
  ["1\r\nh\r\n4\r\nello\r\n0\r\n\r\n", "hello"],
  ["1\r\nh\r\n1\r\ne\r\n1\r\nl\r\n1\r\nl\r\n1\r\no\r\n0\r\n\r\n", "hello"],
  ["00000005\r\nhello\r\n0\r\n\r\n", "hello"],
  ["a\r\nhellohello\r\n0\r\n\r\n", "hellohello"],
  ["A\r\nhellohello\r\n0\r\n\r\n", "hellohello"],
  ["0A\r\nhellohello\r\n0\r\n\r\n", "hellohello"],
  ["2\r\n\r\n\r\n0\r\n\r\n", "\r\n"],
  ["5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"],
  ["100\r\n" + EVERY_BYTE + "\r\n0\r\n\r\n", EVERY_BYTE],
  ["3e8\r\n" + LONGEST + "\r\n0\r\n\r\n", LONGEST],
  ["1\r\nx\r\n3e7\r\n" + LONGEST.slice(1) + "\r\n0\r\n\r\n", LONGEST],
  ["5;a\r\nhello\r\n0\r\n\r\n", "hello"],
  ["5;a=b\r\nhello\r\n0\r\n\r\n", "hello"],
  ["5;a=b;c;d=e\r\nhello\r\n0;f\r\n\r\n", "hello"],
  ['5;a="b c"\r\nhello\r\n0\r\n\r\n', "hello"],
  ['5;a="b;c=\\"d\\""\r\nhello\r\n0\r\n\r\n', "hello"],
  ["5\r\nhello\r\n0\r\nX: y\r\n\r\n", "hello"],
  ["5\r\nhello\r\n0\r\nX: y\r\nZ:\r\n\r\n", "hello"],
  ["5\r\nhello\r\n0\r\nX-Content-Length: 7\r\n\r\n", "hello"],
];

const saw = (body: string): string => body === "" ? "200 POST /a" : `200 POST /a ${body}`;

const withLength = (body: string, ...lines: string[]): string =>
  post(body, `Content-Length: ${body.length}`, ...lines);

const unread = (body: string, ...lines: string[]): string => head("POST /unread HTTP/1.1", ...lines) + body;

/** Bodies in every framing: of the right size, too large, and unwanted. */
export const bodies: readonly CorpusCase[] = [
  ...CHUNKS.map(([sent, body], i) =>
    takes(`chunks ${i}: ${JSON.stringify(sent.slice(0, 30))}`, chunked(sent), saw(body))
  ),
  ...["", "a", "hello", "\r\n\r\n", "\0", EVERY_BYTE, LONGEST].map((body) =>
    takes(`a body of known length, ${JSON.stringify(body.slice(0, 10))}`, withLength(body), saw(body))
  ),
  ...["GET", "DELETE", "QUERY", "OPTIONS"].map((method) =>
    takes(
      `${method} with a body`,
      head(`${method} /a HTTP/1.1`, "Content-Length: 5") + "hello",
      `200 ${method} /a hello`,
    )
  ),
  takes(
    "HEAD with a body",
    head("HEAD /a HTTP/1.1", "Content-Length: 5") + "hello" + get("/b"),
    "200 HEAD /a hello",
    "200 GET /b",
  ),
  takes(
    "a body and the next request in one packet",
    withLength("hello") + get("/b"),
    saw("hello"),
    "200 GET /b",
  ),
  takes(
    "chunks and the next request in one packet",
    chunked("0\r\nX: y\r\n\r\n") + get("/b"),
    saw(""),
    "200 GET /b",
  ),
  takes("a body that is the next request", withLength(get("/b")) + get("/c"), saw(get("/b")), "200 GET /c"),
  takes(
    "a request without a length has no body",
    head("POST /a HTTP/1.1") + get("/b"),
    "200 POST /a",
    "200 GET /b",
  ),

  takes(
    "one byte too long, all of it sent",
    post(`${LONGEST}x`, "Content-Length: 1001") + get("/b"),
    "413",
    "200 GET /b",
  ),
  takes("64 KiB that nobody wants, all of it sent", post("x".repeat(65536), "Content-Length: 65536"), "413"),
  rejects("more than 64 KiB that nobody wants", post("x".repeat(70000), "Content-Length: 70000"), 413),
  rejects("a long one that is only announced", post("", "Content-Length: 999999999999999"), 413),
  rejects(
    "a long one that waits for its invitation",
    post("", "Expect: 100-continue", "Content-Length: 1001"),
    413,
  ),
  rejects("a chunk that is too long", chunked("3e9\r\n"), 413),
  rejects("the longest chunk that can be announced", chunked("ffffffff\r\n"), 413),
  rejects("chunks that are too long together", chunked(`3e8\r\n${LONGEST}\r\n1\r\n`), 413),
  {
    ...rejects(
      "chunks that are too long, invited",
      chunked(`3e9\r\n${LONGEST}x\r\n0\r\n\r\n`, "Expect: 100-continue"),
      413,
    ),
    answers: ["100", "413"],
  },

  takes(
    "a short body that the handler does not read",
    unread("hello", "Content-Length: 5") + get("/b"),
    "200 POST /unread",
    "200 GET /b",
  ),
  takes(
    "64 KiB that the handler does not read",
    unread("x".repeat(65536), "Content-Length: 65536") + get("/b"),
    "200 POST /unread",
    "200 GET /b",
  ),
  takesLast("more that nobody reads", unread("x".repeat(65537), "Content-Length: 65537"), "200 POST /unread"),
  takesLast(
    "chunks that the handler does not read",
    unread("5\r\nhello\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
    "200 POST /unread",
  ),
  takesLast(
    "an announced body that the handler does not read",
    unread("", "Expect: 100-continue", "Content-Length: 5"),
    "200 POST /unread",
  ),
  takes("no body that nobody reads", unread("") + get("/b"), "200 POST /unread", "200 GET /b"),
  takes(
    "an empty body that the handler does not read",
    unread("", "Content-Length: 0") + get("/b"),
    "200 POST /unread",
    "200 GET /b",
  ),
];
