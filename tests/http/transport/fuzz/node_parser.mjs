/*
 * Runs under Node: feeds each request that arrives on standard input to a fresh parser of `node:http`, one byte
 * at a time, and writes the parsed result as one line of JSON.
 *
 * Input: a 32-bit length (big endian), then that many bytes; and so on.
 */
import { Buffer } from "node:buffer";
import process from "node:process";

// The public name of the parser; `node:http` itself uses the same object.
const { HTTPParser, allMethods } = process.binding("http_parser");

const HEAD_BYTES_MAX = 64 * 1024;
const STRICT = 0;
const CR = 0x0d;
const LF = 0x0a;

/** Methods that the parser knows; any other token is handed to it under a name that it knows. */
const KNOWN_METHODS = new Set(allMethods);
const METHOD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) /;
const STAND_IN = Buffer.from("POST");

function parse(raw) {
  const requests = [];
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {}, HEAD_BYTES_MAX, STRICT);
  let fields = [];
  let target = "";
  let start = 0;
  let method;
  let current;
  let between = true;
  let inEmptyLines = false;
  // A head of many fields is reported in parts.
  parser[HTTPParser.kOnHeaders | 0] = (some, url) => {
    fields.push(...some);
    target += url;
  };
  parser[HTTPParser.kOnHeadersComplete | 0] = (
    major,
    minor,
    some,
    index,
    url,
  ) => {
    current = {
      start,
      method: method ?? allMethods[index],
      target: target + (url ?? ""),
      version: `${major}.${minor}`,
      fields: [...fields, ...some ?? []],
      body: "",
      complete: false,
    };
    fields = [];
    target = "";
    requests.push(current);
    return 0;
  };
  parser[HTTPParser.kOnBody | 0] = (bytes) => {
    current.body += bytes.toString("latin1");
  };
  parser[HTTPParser.kOnMessageComplete | 0] = () => {
    // A trailer's fields are reported like those of a head.
    current.trailers = fields;
    fields = [];
    target = "";
    current.complete = true;
    between = true;
  };
  const text = raw.toString("latin1");
  for (let i = 0; i < raw.length; i++) {
    const wasBetween = between;
    if (between) {
      if (!inEmptyLines) start = i;
      // The parser skips line ends before a request; the method comes after them.
      inEmptyLines = raw[i] === CR || raw[i] === LF;
      between = inEmptyLines;
    }
    if (!between && wasBetween) {
      const token = METHOD.exec(text.slice(i, i + 300))?.[1];
      method = token !== undefined && !KNOWN_METHODS.has(token) ? token : undefined;
      if (method !== undefined) {
        parser.execute(STAND_IN);
        i += method.length;
      }
    }
    const result = parser.execute(raw.subarray(i, i + 1));
    if (result instanceof Error) return { requests, error: `${result.code} ${result.reason}` };
  }
  return { requests, error: null };
}

let pending = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
  const lines = [];
  let at = 0;
  while (pending.length - at >= 4) {
    const length = pending.readUInt32BE(at);
    if (pending.length - at - 4 < length) break;
    lines.push(JSON.stringify(parse(pending.subarray(at + 4, at + 4 + length))));
    at += 4 + length;
  }
  pending = pending.subarray(at);
  if (lines.length > 0) process.stdout.write(lines.join("\n") + "\n");
});
