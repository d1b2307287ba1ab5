import { chunked, type CorpusCase, get, head, post, rejects, takes } from "./corpus_case.ts";

const HEAD_BYTES_MAX = 64 * 1024;

/** A head of exactly this number of bytes, filled up by one long field. */
function headOf(bytes: number): string {
  const filler = bytes - get("/", "Filler: ").length;
  return get("/", `Filler: ${"x".repeat(filler)}`);
}

/** A head with this number of fields, including the host. */
function fields(count: number, line = "X-B: v"): string {
  return get("/", ...Array.from({ length: count - 1 }, () => line));
}

/** A last chunk with trailers of exactly this number of bytes. */
function trailers(bytes: number): string {
  const lines = "X: y\r\n".repeat(100);
  return chunked(`0\r\n${lines}Filler: ${"x".repeat(bytes - lines.length - 10)}\r\n\r\n`);
}

/** A body in chunks of one byte, each with an extension. Size and extension take `bytes` bytes. */
function extended(bytes: number, chunks: number): string {
  const extension = `;${"x".repeat(bytes - 2)}`;
  return chunked(`1${extension}\r\na\r\n`.repeat(chunks) + "0\r\n\r\n");
}

const chunkedLetters = "1\r\na\r\n".repeat(1000) + "0\r\n\r\n";

/** Requests at each limit, which are answered, and above it, which are rejected. */
export const limits: readonly CorpusCase[] = [
  takes("a head of 64 KiB", headOf(HEAD_BYTES_MAX), "200 GET /"),
  rejects("a head of one byte more", headOf(HEAD_BYTES_MAX + 1), 431),
  rejects("a head of twice as much", headOf(2 * HEAD_BYTES_MAX), 431),
  rejects("a head that never ends", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(HEAD_BYTES_MAX)}`, 431),
  rejects("a request line that never ends", `GET /${"x".repeat(HEAD_BYTES_MAX)}`, 431),
  rejects("a method that never ends", "G".repeat(HEAD_BYTES_MAX), 431),
  rejects("spaces without end", `GET /${" ".repeat(HEAD_BYTES_MAX)}`, 431),
  takes("a long target", get(`/${"x".repeat(60_000)}`), `200 GET /${"x".repeat(60_000)}`),
  takes("a long query string", get(`/?${"x&".repeat(30_000)}`), `200 GET /?${"x&".repeat(30_000)}`),
  takes("a long method", head(`${"M".repeat(60_000)} / HTTP/1.1`), `200 ${"M".repeat(60_000)} /`),
  takes("a long name", get("/", `${"n".repeat(60_000)}: v`), "200 GET /"),
  takes("a long value", get("/", `X-A: ${"v".repeat(60_000)}`), `200 GET / {${"v".repeat(60_000)}}`),
  takes("100 fields", fields(100), "200 GET /"),
  rejects("101 fields", fields(101), 431),
  rejects("10,000 fields", fields(10_000, "a:"), 431),
  takes("99 fields of one name", fields(100, "X-A: v"), `200 GET / {${Array(99).fill("v").join(", ")}}`),
  takes("two heads of 40 KiB", headOf(40_000) + headOf(40_000), "200 GET /", "200 GET /"),

  rejects("a length of 15 digits", post("", "Content-Length: 999999999999999"), 413),
  rejects("a length of 16 digits", post("", "Content-Length: 1000000000000000")),
  takes(
    "a length of 15 digits, most of them zeros",
    post("a", "Content-Length: 000000000000001"),
    "200 POST /a a",
  ),
  rejects("zeros without end", post("a", "Content-Length: 0000000000000001")),
  takes("a chunk size of 8 digits", chunked("00000001\r\na\r\n0\r\n\r\n"), "200 POST /a a"),
  rejects("a chunk size of 9 digits", chunked("000000001\r\na\r\n0\r\n\r\n")),
  rejects("a last chunk of 9 digits", chunked("000000000\r\n\r\n")),
  rejects("a chunk size that never ends", chunked("1".repeat(300))),

  takes("a chunk line of 256 bytes", extended(256, 1), "200 POST /a a"),
  rejects("a chunk line of 257 bytes", extended(257, 1)),
  rejects("a chunk line that never ends", chunked(`1;${"x".repeat(300)}`)),
  takes("4 KiB of extensions", extended(256, 16), `200 POST /a ${"a".repeat(16)}`),
  rejects("more than 4 KiB of extensions", extended(256, 17)),
  rejects("many short extensions", extended(4, 1000).replace(/1;xx/g, "1;xxx")),
  takes("1,000 chunks of one byte", chunked(chunkedLetters), `200 POST /a ${"a".repeat(1000)}`),
  takes("trailers of 8 KiB less one byte", trailers(8191), "200 POST /a"),
  rejects("trailers of more than 8 KiB", trailers(8193)),
  rejects("a trailer that never ends", chunked(`0\r\nX: ${"x".repeat(9000)}`)),
  rejects("trailers without end", chunked(`0\r\n${"X: y\r\n".repeat(2000)}`)),

  takes("100 requests at once", get("/").repeat(100), ...Array<string>(100).fill("200 GET /")),
];
