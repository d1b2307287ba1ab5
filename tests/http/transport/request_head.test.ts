import assert from "node:assert/strict";
import { Malformed } from "../../../src/http/exchange.ts";
import {
  findRequestHeadEnd,
  type Framing,
  parseRequestHead,
} from "../../../src/http/transport/request_head.ts";
import { toBytes } from "./fuzz/latin1.ts";

const HEAD_BYTES_MAX = 64 * 1024;

const HEADS = [
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
  "POST /write?a=b HTTP/1.1\r\nHost: a\r\nX:\tb\t c\r\nContent-Length: 5\r\nY:\x80\xff\r\n\r\n",
];

const rejection = (status: number) => (error: Error): boolean =>
  error instanceof Malformed && error.status === status;

function parse(...lines: string[]): ReturnType<typeof parseRequestHead> {
  const bytes = toBytes([...lines, "", ""].join("\r\n"));
  assert.equal(findRequestHeadEnd(bytes, 0), bytes.length);
  return parseRequestHead(bytes);
}

Deno.test("the end of a head is found wherever its bytes are split", () => {
  for (const text of HEADS) {
    const bytes = toBytes(text + "hello");
    for (let first = 0; first < text.length; first++) {
      assert.equal(findRequestHeadEnd(bytes.subarray(0, first), 0), -1);
      for (let second = first; second < text.length; second++) {
        assert.equal(findRequestHeadEnd(bytes.subarray(0, second), first), -1);
      }
      assert.equal(findRequestHeadEnd(bytes, first), text.length);
      assert.equal(findRequestHeadEnd(bytes.subarray(0, text.length), first), text.length);
    }
  }
});

Deno.test("a byte that no head may hold is rejected as soon as it shows up, wherever it is", () => {
  for (const text of HEADS) {
    for (let at = 0; at < text.length; at++) {
      for (const bad of ["\0", "\x0b", "\x7f"]) {
        const bytes = toBytes(text.slice(0, at) + bad);
        if (at > 0) assert.equal(findRequestHeadEnd(bytes.subarray(0, at), 0), -1);
        assert.throws(() => findRequestHeadEnd(bytes, at), rejection(400));
        assert.throws(() => findRequestHeadEnd(bytes, 0), rejection(400));
      }
    }
  }
});

Deno.test("carriage return and line feed are rejected without each other, wherever the bytes are split", () => {
  const wrong = ["a\n", "a\rb", "a\r\r", "a\r\t", "\n", "\r\n", "a\r\n\n", "a\r\n\rb", "a\r\n\r\r"];
  for (const text of wrong) {
    const bytes = toBytes(text);
    assert.throws(() => findRequestHeadEnd(bytes, 0), rejection(400), JSON.stringify(text));
    assert.equal(findRequestHeadEnd(bytes.subarray(0, -1), 0), -1);
    assert.throws(() => findRequestHeadEnd(bytes, bytes.length - 1), rejection(400), JSON.stringify(text));
  }
});

Deno.test("a head may be 64 KiB long and not a byte longer", () => {
  const headOf = (length: number): Uint8Array => toBytes(`GET /${"x".repeat(length - 18)} HTTP/1.1\r\n\r\n`);
  assert.equal(findRequestHeadEnd(headOf(HEAD_BYTES_MAX), 0), HEAD_BYTES_MAX);
  assert.equal(findRequestHeadEnd(headOf(HEAD_BYTES_MAX).subarray(0, -1), 0), -1);
  assert.throws(() => findRequestHeadEnd(headOf(HEAD_BYTES_MAX + 1), 0), rejection(431));
  assert.throws(
    () => findRequestHeadEnd(headOf(HEAD_BYTES_MAX + 1).subarray(0, HEAD_BYTES_MAX), 0),
    rejection(431),
  );
  // Bytes after a head do not count, however many there are.
  const followed = new Uint8Array(2 * HEAD_BYTES_MAX).fill(0x20);
  followed.set(headOf(100));
  assert.equal(findRequestHeadEnd(followed, 0), 100);
});

Deno.test("a head is taken apart into method, target, version and fields", () => {
  const head = parse("QUERY /events?x=%20 HTTP/1.1", "HOST: a", "X-A:  b\tc ", "x-a: \xe9\x80", "Y:");
  assert.equal(head.method, "QUERY");
  assert.equal(head.target, "/events?x=%20");
  assert.equal(head.minorVersion, 1);
  assert.deepEqual([...head.fields], [["host", "a"], ["x-a", "b\tc, \xe9\x80"], ["y", ""]]);
});

Deno.test("the framing of a body comes from one field", () => {
  const framings: readonly (readonly [line: string, framing: Framing])[] = [
    ["X: y", { kind: "none" }],
    ["Content-Length: 0", { kind: "none" }],
    ["Content-Length: 000", { kind: "none" }],
    ["Content-Length: 5", { kind: "length", bytes: 5 }],
    ["Content-Length: 000005", { kind: "length", bytes: 5 }],
    ["Content-Length: 999999999999999", { kind: "length", bytes: 999_999_999_999_999 }],
    ["Transfer-Encoding: ChunkeD", { kind: "chunked" }],
  ];
  for (const [line, framing] of framings) {
    assert.deepEqual(parse("POST / HTTP/1.1", "Host: a", line).framing, framing, line);
  }
});

Deno.test("too many fields are distinguished from malformed ones", () => {
  const fields = (count: number): string[] => Array(count).fill("X: y");
  assert.equal(parse("GET / HTTP/1.0", ...fields(100)).fields.get("x")?.length, 100 * 3 - 2);
  assert.throws(() => parse("GET / HTTP/1.0", ...fields(101)), rejection(431));
  assert.throws(() => parse("GET / HTTP/1.0", "X y"), rejection(400));
});

Deno.test("a rejection is one line of plain ASCII and repeats nothing that was sent", () => {
  const lines = ["<b>\x80", "GET /<b>\x80 HTTP/1.1", "GET / HTTP/9.<b>\x80", "<b>\x80: y"];
  for (const line of lines) {
    for (const head of [[line], ["GET / HTTP/1.1", "Host: a", line], ["GET / HTTP/1.1", `Host: ${line}`]]) {
      try {
        parse(...head);
        assert.fail("not rejected");
      } catch (error) {
        assert.ok(error instanceof Malformed, `${error}`);
        assert.match(error.message, /^[\x20-\x7e]+$/);
        assert.doesNotMatch(error.message, /<b>/);
      }
    }
  }
});

Deno.test("the authority of an absolute target wins over the field host", () => {
  const { target, fields } = parse("GET http://b:80/c?d HTTP/1.1", "Host: a");
  assert.deepEqual([target, fields.get("host")], ["/c?d", "b:80"]);
  assert.equal(parse("GET http://b HTTP/1.0").fields.get("host"), "b");
});
