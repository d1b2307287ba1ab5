import assert from "node:assert/strict";
import { Malformed } from "../../../src/http/exchange.ts";
import { HeadParser } from "../../../src/http/transport/head_reader.ts";
import { toBytes } from "./fuzz/latin1.ts";

const HEAD = "POST /write HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";

Deno.test("a head that is repeated is the same, whatever follows it", () => {
  const parser = new HeadParser();
  const first = parser.parse(toBytes(`${HEAD}hello`), 0)!;
  assert.deepEqual([first.bytes.length, first.head.target], [HEAD.length, "/write"]);
  for (const following of ["", "h", "other", `hello${HEAD}`]) {
    assert.equal(parser.parse(toBytes(HEAD + following), 0), first);
  }
});

Deno.test("a repeated head is found wherever its bytes are split", () => {
  for (let cut = 0; cut < HEAD.length; cut++) {
    const parser = new HeadParser();
    const first = parser.parse(toBytes(HEAD), 0);
    assert.equal(parser.parse(toBytes(HEAD.slice(0, cut)), 0), undefined);
    assert.equal(parser.parse(toBytes(HEAD), cut), first);
  }
});

Deno.test("a head that differs anywhere from the one before is parsed", () => {
  const parser = new HeadParser();
  parser.parse(toBytes(HEAD), 0);
  for (let at = 0; at < HEAD.length; at++) {
    const bytes = toBytes(HEAD);
    bytes[at] = bytes[at]! ^ 1;
    const expected = outcome(new HeadParser(), bytes);
    assert.deepEqual(outcome(parser, bytes), expected);
    parser.parse(toBytes(HEAD), 0);
  }
});

Deno.test("the buffer of a parsed head may be overwritten, and long heads are parsed each time", () => {
  const parser = new HeadParser();
  const received = toBytes(HEAD);
  parser.parse(received, 0);
  received.fill(0x41);
  assert.equal(parser.parse(toBytes(HEAD), 0)?.head.target, "/write");
  const long = toBytes(`GET /${"x".repeat(2000)} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const parsed = parser.parse(long, 0);
  assert.notEqual(parser.parse(long, 0), parsed);
  assert.deepEqual(parser.parse(long, 0), parsed);
});

/** Parses the bytes. @returns the head, or the message of the rejection */
function outcome(parser: HeadParser, bytes: Uint8Array): unknown {
  try {
    return parser.parse(bytes, 0)?.head;
  } catch (error) {
    assert.ok(error instanceof Malformed);
    return error.message;
  }
}
