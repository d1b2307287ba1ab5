import { chunked, type CorpusCase, EVIL, get, head, post, rejects, takes, takesLast } from "./corpus_case.ts";

/** Values of `Transfer-Encoding` that are not just `chunked`. */
const CODINGS = [
  "",
  "identity",
  "gzip",
  "gzip, chunked",
  "chunked, gzip",
  "chunked, identity",
  "identity, chunked",
  "chunked, chunked",
  "chunked,",
  ", chunked",
  "chunked;q=1",
  '"chunked"',
  "'chunked'",
  "xchunked",
  "chunkedx",
  "chun ked",
  "chunked chunked",
  "chunked\xa0",
  "\xa0chunked",
  "\x0bchunked",
  "chunked\x0c",
  "chunked\0",
];

/** Values of `Content-Length` that are not just digits. */
const LENGTHS = [
  "",
  "+5",
  "-5",
  "-0",
  "0x5",
  "5 5",
  "5, 5",
  "5,5",
  "5, 6",
  "5;",
  "5.0",
  "5e0",
  "five",
  "5_0",
  "'5'",
  "\xb2",
  "5\xa0",
  "5\x0b",
  "5\0",
  "9999999999999999",
  "18446744073709551621",
];

/** Header lines that hide a name or a value from one of two parsers. */
const LINES = [
  "Transfer-Encoding : chunked",
  "Transfer-Encoding\t: chunked",
  "Transfer-Encoding\xa0: chunked",
  "Transfer-Encoding:\r\n chunked",
  "Transfer-Encoding:\r\n\tchunked",
  "Transfer-Encoding\r\n: chunked",
  "Transfer-\r\n Encoding: chunked",
  " Transfer-Encoding: chunked",
  "\tTransfer-Encoding: chunked",
  "\0Transfer-Encoding: chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "X: y\r\r\nTransfer-Encoding: chunked",
  "X: y\0\r\nTransfer-Encoding: chunked",
  "Content-Length : 5",
  "Content-Length\r\n: 5",
  " Content-Length: 5",
  "X: y\nContent-Length: 5",
  "X: y\rContent-Length: 5",
  "Host: b",
  "host: a",
  "HOST: a",
];

/** Beginnings of a chunked body that two parsers could end at different positions. */
const CHUNKS = [
  "+5\r\nhello\r\n0\r\n\r\n",
  "-5\r\nhello\r\n0\r\n\r\n",
  "0x5\r\nhello\r\n0\r\n\r\n",
  " 5\r\nhello\r\n0\r\n\r\n",
  "5 \r\nhello\r\n0\r\n\r\n",
  "5\t\r\nhello\r\n0\r\n\r\n",
  "5\nhello\r\n0\r\n\r\n",
  "5\rhello\r\n0\r\n\r\n",
  "5\r\r\nhello\r\n0\r\n\r\n",
  "5;a\nhello\r\n0\r\n\r\n",
  "5;a\rb\r\nhello\r\n0\r\n\r\n",
  "5;a\0\r\nhello\r\n0\r\n\r\n",
  "5;\r\nhello\r\n0\r\n\r\n",
  "5; a\r\nhello\r\n0\r\n\r\n",
  "5 ;a\r\nhello\r\n0\r\n\r\n",
  "5;a b\r\nhello\r\n0\r\n\r\n",
  "5;a=\r\nhello\r\n0\r\n\r\n",
  '5;a="b\r\nhello\r\n0\r\n\r\n',
  "5;a;;b\r\nhello\r\n0\r\n\r\n",
  "5,5\r\nhello\r\n0\r\n\r\n",
  "5hello\r\n0\r\n\r\n",
  "000000005\r\nhello\r\n0\r\n\r\n",
  "100000005\r\nhello\r\n0\r\n\r\n",
  "\r\nhello\r\n0\r\n\r\n",
  "g\r\nhello\r\n0\r\n\r\n",
  "5\r\nhello!\r\n0\r\n\r\n",
  "5\r\nhell\r\n0\r\n\r\n",
  "5\r\nhello0\r\n\r\n",
  "5\r\nhello\n0\r\n\r\n",
  "5\r\nhello\r0\r\n\r\n",
  "5\r\nhello\r\n\r\n0\r\n\r\n",
  "0\n\r\n",
  "0\r\n\n",
  "0\r\n\rX\n",
];

/** Trailers that would change the parsed head, or that are not `name: value`. */
const TRAILERS = [
  "Content-Length: 5",
  "Transfer-Encoding: chunked",
  "Host: b",
  "Connection: close",
  "Upgrade: h2c",
  "X : y",
  " X: y",
  "X: y\r\n folded",
  "X",
  ": y",
  "X: y\n",
  "X: y\rZ: z",
  "X: \0",
  "X: \x80",
];

/** Requests that a proxy might end elsewhere. Each gets one answer, and no handler sees the request hidden in it. */
export const smuggling: readonly CorpusCase[] = [
  ...CODINGS.map((value) =>
    rejects(
      `Transfer-Encoding ${JSON.stringify(value)}`,
      post(`0\r\n\r\n${EVIL}`, `Transfer-Encoding: ${value}`),
    )
  ),
  ...LENGTHS.map((value) =>
    rejects(`Content-Length ${JSON.stringify(value)}`, post(`hello${EVIL}`, `Content-Length: ${value}`))
  ),
  ...LINES.map((line) => rejects(`line ${JSON.stringify(line)}`, post(`0\r\n\r\n${EVIL}`, line))),
  ...CHUNKS.map((chunk) => rejects(`chunks ${JSON.stringify(chunk)}`, chunked(chunk + EVIL))),
  ...TRAILERS.map((line) =>
    rejects(`trailer ${JSON.stringify(line)}`, chunked(`0\r\n${line}\r\n\r\n${EVIL}`))
  ),

  rejects("a length and chunks", post(`0\r\n\r\n${EVIL}`, "Content-Length: 5", "Transfer-Encoding: chunked")),
  rejects("chunks and a length", post(`0\r\n\r\n${EVIL}`, "Transfer-Encoding: chunked", "Content-Length: 5")),
  rejects(
    "a length of 0 and chunks",
    post(`0\r\n\r\n${EVIL}`, "Content-Length: 0", "Transfer-Encoding: chunked"),
  ),
  rejects(
    "a length and another coding",
    post(`hello${EVIL}`, "Content-Length: 5", "Transfer-Encoding: identity"),
  ),
  rejects("the same length twice", post(`hello${EVIL}`, "Content-Length: 5", "Content-Length: 5")),
  rejects("two lengths", post(`hello${EVIL}`, "Content-Length: 5", "content-length: 0")),
  rejects("an empty length first", post(`hello${EVIL}`, "Content-Length:", "Content-Length: 5")),
  rejects(
    "chunked twice",
    post(`0\r\n\r\n${EVIL}`, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
  ),
  rejects(
    "identity, then chunked",
    post(`0\r\n\r\n${EVIL}`, "Transfer-Encoding: identity", "transfer-encoding: chunked"),
  ),
  rejects("chunks in HTTP/1.0", `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${EVIL}`),
  rejects("a tunnel", head("CONNECT / HTTP/1.1") + EVIL),
  rejects("a tunnel to a host", head("CONNECT b:80 HTTP/1.1") + EVIL),
  rejects("no host", `GET / HTTP/1.1\r\nX: y\r\n\r\n${EVIL}`),
  rejects("a line feed ends the request line", `GET / HTTP/1.1\nHost: a\r\n\r\n${EVIL}`),
  rejects("line feeds end the head", `GET / HTTP/1.1\r\nHost: a\n\n${EVIL}`),
  rejects("a line feed alone is the empty line", `GET / HTTP/1.1\r\nHost: a\r\n\n${EVIL}`),
  rejects("a carriage return ends the head", `GET / HTTP/1.1\r\nHost: a\r\n\r${EVIL}`),

  takes("a request in a body is a body", post(EVIL, `Content-Length: ${EVIL.length}`), `200 POST /a ${EVIL}`),
  takes(
    "a request in chunks is a body",
    chunked(`10\r\n${EVIL.slice(0, 16)}\r\nf\r\n${EVIL.slice(16)}\r\n0\r\n\r\n`),
    `200 POST /a ${EVIL}`,
  ),
  takes(
    "the end of chunks in a body is a body",
    post("0\r\n\r\n", "Content-Length: 5"),
    "200 POST /a 0\r\n\r\n",
  ),
  takes(
    "a name with another sign frames nothing",
    get("/", "Transfer_Encoding: chunked", "Content_Length: 5"),
    "200 GET /",
  ),
  takes(
    "a longer name frames nothing",
    get("/", "X-Content-Length: 5", "Transfer-Encodings: chunked"),
    "200 GET /",
  ),
  takesLast(
    "what follows a body is the next request",
    post("hello!", "Content-Length: 5") + "\r\n\r\n",
    "200 POST /a hello",
    "400",
  ),
];
