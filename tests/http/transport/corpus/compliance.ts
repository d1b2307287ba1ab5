import { chunked, type CorpusCase, get, head, post, rejects, takes, takesLast } from "./corpus_case.ts";

const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "OPTIONS",
  "TRACE",
  "QUERY",
  "M-SEARCH",
  "get",
  "X",
  "!#$%&'*+-.^_`|~09",
];

const TARGETS = [
  "/",
  "/a/b",
  "/a?b=c&d",
  "/?",
  "/a;b=c",
  "/%41",
  '/"<>\\^`{|}',
  "/*",
  "/a:80@b",
  "/a?http://b/",
];

const HOSTS = ["localhost:8085", "[::1]:80", "", "a.b-c_d~", "127.0.0.1", "%41", "a;b"];

/** Values of `Connection` in HTTP/1.1, each with true when it closes the connection. */
const CONNECTIONS: readonly (readonly [value: string, closes: boolean])[] = [
  ["close", true],
  ["Close", true],
  ["CLOSE", true],
  ["foo, close", true],
  ["close ,foo", true],
  ["close, keep-alive", true],
  ["keep-alive", false],
  ["closed", false],
  ["not-close", false],
  ["", false],
];

/** Targets in absolute form, and the target that the handler sees. */
const ABSOLUTE: readonly (readonly [target: string, seen: string])[] = [
  ["http://a/", "/"],
  ["http://a", "/"],
  ["http://a?b", "/?b"],
  ["HTTP://A:80/b//c?d", "/b//c?d"],
  ["http://[::1]:80/%41/../b", "/%41/../b"],
  ["http://127.0.0.1:/b@c:80", "/b@c:80"],
  ["http://a//b", "//b"],
  ["http://a/http://b/", "/http://b/"],
];

/** Requests that every client may send. */
export const compliance: readonly CorpusCase[] = [
  ...METHODS.map((method) => takes(`method ${method}`, head(`${method} / HTTP/1.1`), `200 ${method} /`)),
  ...TARGETS.map((target) => takes(`target ${target}`, get(target), `200 GET ${target}`)),
  ...HOSTS.map((host) => takes(`host "${host}"`, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`, "200 GET /")),
  ...CONNECTIONS.map(([value, closes]) =>
    (closes ? takesLast : takes)(`Connection: ${value}`, get("/", `Connection: ${value}`), "200 GET /")
  ),
  takesLast(
    "the second Connection field closes",
    get("/", "Connection: a", "Connection: close"),
    "200 GET /",
  ),
  takes("Keep-Alive is a field like any other", get("/", "Keep-Alive: timeout=5"), "200 GET /"),

  takesLast("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", "200 GET /"),
  takesLast("HTTP/1.0 with Host", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", "200 GET /"),
  takes("HTTP/1.0 that asks to stay", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "200 GET /"),
  takes("HTTP/1.0 that asks in capitals", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "200 GET /"),
  takesLast(
    "HTTP/1.0 that wants both",
    "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
    "200 GET /",
  ),
  takesLast("HTTP/1.0 with a body", "POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello", "200 POST / hello"),
  takesLast(
    "HTTP/1.0 knows no Expect",
    "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
    "200 POST / hello",
  ),

  takes(
    "Expect with a body",
    post("hello", "Expect: 100-continue", "Content-Length: 5"),
    "100",
    "200 POST /a hello",
  ),
  takes(
    "Expect in capitals",
    post("hello", "Expect: 100-Continue", "Content-Length: 5"),
    "100",
    "200 POST /a hello",
  ),
  takes("Expect with chunks", chunked("1\r\na\r\n0\r\n\r\n", "Expect: 100-continue"), "100", "200 POST /a a"),
  takes("Expect without a body", get("/", "Expect: 100-continue"), "200 GET /"),
  takes("Expect with an empty body", post("", "Expect: 100-continue", "Content-Length: 0"), "200 POST /a"),

  takes("a stream", get("/stream") + get("/b"), "200 GET /stream", "200 GET /b"),
  takes("HEAD of a stream", head("HEAD /stream HTTP/1.1") + get("/b"), "200 HEAD /stream", "200 GET /b"),
  takesLast("a stream for a client that leaves", get("/stream", "Connection: close"), "200 GET /stream"),
  takesLast("a stream for HTTP/1.0", "GET /stream HTTP/1.0\r\n\r\n", "200 GET /stream"),
  takesLast(
    "a stream for HTTP/1.0 that asks to stay",
    "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get("/evil"),
    "200 GET /stream",
  ),

  ...ABSOLUTE.map(([target, seen]) => takes(`target ${target}`, get(target), `200 GET ${seen}`)),
  ...["HTTP/1.2", "HTTP/1.9"].map((version) =>
    takes(
      `${version} is answered as HTTP/1.1`,
      head(`GET / ${version}`) + get("/b"),
      "200 GET /",
      "200 GET /b",
    )
  ),
  rejects("HTTP/1.2 needs a Host, too", "GET / HTTP/1.2\r\n\r\n"),
  takes("an empty line first", `\r\n${get("/")}`, "200 GET /"),
  takes("an empty line behind a request", get("/") + "\r\n" + get("/b"), "200 GET /", "200 GET /b"),
  takes(
    "an empty line behind a body",
    post("a", "Content-Length: 1") + "\r\n" + post("b", "Content-Length: 1"),
    "200 POST /a a",
    "200 POST /a b",
  ),
  takesLast("a tab behind a close", get("/", "Connection: close\t"), "200 GET /"),
  takes("tabs around keep-alive", get("/", "Connection:\tkeep-alive \t "), "200 GET /"),
  takes("tabs around a length", post("a", "Content-Length:\t1\t"), "200 POST /a a"),
  takes(
    "tabs around a coding",
    head("POST /a HTTP/1.1", "Transfer-Encoding: \tchunked\t ") + "1\r\na\r\n0\r\n\r\n",
    "200 POST /a a",
  ),

  takes("two requests at once", get("/1") + get("/2"), "200 GET /1", "200 GET /2"),
  takes(
    "three requests with bodies at once",
    post("a", "Content-Length: 1") + chunked("1\r\nb\r\n0\r\n\r\n") + post("c", "Content-Length: 1"),
    "200 POST /a a",
    "200 POST /a b",
    "200 POST /a c",
  ),
  takes("HEAD and GET at once", head("HEAD / HTTP/1.1") + get("/"), "200 HEAD /", "200 GET /"),
  takesLast("nothing is read behind a close", get("/", "Connection: close") + get("/evil"), "200 GET /"),
  takesLast("nothing is read behind HTTP/1.0", "GET / HTTP/1.0\r\n\r\n" + get("/evil"), "200 GET /"),

  takes(
    "an offer of HTTP/2 is declined",
    get("/", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"),
    "200 GET /",
  ),
  takes(
    "an offer of WebSocket is declined",
    get("/", "Connection: upgrade", "Upgrade: websocket"),
    "200 GET /",
  ),
  takes(
    "a declined offer with a body",
    post("a", "Connection: upgrade", "Upgrade: x", "Content-Length: 1"),
    "200 POST /a a",
  ),
  takes(
    "unknown fields",
    get("/", "X-Unknown: 1", "Range: bytes=0-1", "TE: trailers"),
    "200 GET /",
  ),
];
