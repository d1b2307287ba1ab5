import type { NodeRequest } from "./reference.ts";

/** A kind of request that ours rejects and Node's parser accepts. */
interface Difference {
  /** The line of the rejection that ours sends. */
  readonly rejection: string;
  /** The reason for which ours is right to reject it. */
  readonly because: string;
  /** Returns true when the request that Node accepted really is of this kind. */
  readonly holds: (node: NodeRequest, raw: string) => boolean;
}

/** Stands for the rejection where ours answers a request and closes the connection. */
export const CLOSED = "(closed without a rejection)";

const REQUEST_LINE = 'the request line is not "METHOD /path HTTP/1.1"';
const CHUNK_LINE = "a chunk does not begin with its size and well-formed extensions";

const EXTENSIONS = /^(;[!#-'*+\-.^-z|~0-9A-Z]+(=([!#-'*+\-.^-z|~0-9A-Z]+|"([^"\\]|\\.)*"))?)+$/;

const differences: readonly Difference[] = [
  ...[
    "more than one empty line before the request",
    "a line feed without a carriage return",
    "a carriage return without a line feed",
    "a control character in the head",
  ].map((rejection): Difference => ({
    rejection,
    because: "line ends that belong to no request hide where one begins",
    holds: (node, raw) => /^[\r\n]/.test(raw.slice(node.start)),
  })),
  {
    rejection: "a line feed without a carriage return",
    because: "the request line of HTTP/0.9 has no version",
    holds: (node) => node.version === "0.9",
  },
  {
    rejection: REQUEST_LINE,
    because: "targets in authority and asterisk form, and of other schemes, are not for this server",
    holds: (node) => !/^(\/|http:\/\/)/i.test(node.target),
  },
  {
    rejection: REQUEST_LINE,
    because: "the authority of an absolute target is a host and perhaps a port, without user information",
    holds: (node) => {
      const authority = /^http:\/\/([^/?]*)/i.exec(node.target)?.[1];
      return authority !== undefined && !/^(\[[0-9a-f:.]+\]|[\w\-.~%!$&'()*+,;=]+)(:\d*)?$/i.test(authority);
    },
  },
  {
    rejection: REQUEST_LINE,
    because: "a fragment never leaves the client",
    holds: (node) => node.target.includes("#"),
  },
  {
    rejection: REQUEST_LINE,
    because: "other versions look different",
    holds: (node) => !node.version.startsWith("1."),
  },
  {
    rejection: REQUEST_LINE,
    because: "exactly one space stands between the parts of a request line",
    holds: (node, raw) => /^(?:\r\n)?[^\r\n]* {2}/.test(raw.slice(node.start)),
  },
  {
    rejection: "this server is not a proxy",
    because: "CONNECT asks for a tunnel",
    holds: (node) => node.method === "CONNECT",
  },
  {
    rejection: "the header field host is missing",
    because: "HTTP/1.1 demands one; `node:http` checks it behind its parser",
    holds: (node) => node.version === "1.1" && valuesOf(node, "host").length === 0,
  },
  {
    rejection: "the header field host is not valid",
    because: "a host has no spaces, quotes, slashes, at signs or bytes beyond ASCII",
    holds: (node) => /[^\w\-.~%!$&'()*+,;=:[\]]/.test(valuesOf(node, "host").join()),
  },
  ...["host", "transfer-encoding", "expect"].map((name): Difference => ({
    rejection: `the header field ${name} is given twice`,
    because: `of two fields ${name} another reader may take the other one`,
    holds: (node) => valuesOf(node, name).length > 1,
  })),
  {
    rejection: "content-length is not a number of bytes",
    because: "no body is a petabyte long",
    holds: (node) => /^[0-9]{16,}$/.test(valuesOf(node, "content-length").join()),
  },
  {
    rejection: "transfer-encoding is not allowed in HTTP/1.0",
    because: "a reader of HTTP/1.0 would not know where the body ends",
    holds: (node) => node.version === "1.0" && valuesOf(node, "transfer-encoding").length > 0,
  },
  {
    rejection: "transfer-encoding must be chunked",
    because: "nothing else is understood, and two readers may understand a list differently",
    holds: (node) => !/^chunked$/i.test(valuesOf(node, "transfer-encoding").join()),
  },
  {
    rejection: "expect must be 100-continue",
    because: "an expectation that cannot be met is rejected; `node:http` does so behind its parser",
    holds: (node) => !/^100-continue$/i.test(valuesOf(node, "expect").join()),
  },
  {
    rejection: CHUNK_LINE,
    because: "a chunk's size has at most eight digits",
    holds: (_, raw) => /\n[0-9A-Fa-f]{9,}/.test(raw),
  },
  {
    rejection: CHUNK_LINE,
    because: "a chunk's extension is a name, or a name and a token or a quoted text",
    holds: (_, raw) =>
      [...raw.matchAll(/\n[0-9A-Fa-f]+(;[^\r\n]*)\r/g)].some(([, text]) => !EXTENSIONS.test(text!)),
  },
  {
    rejection: "a trailer field belongs in the head",
    because: "behind the body it is too late to say how the message is delimited or where it goes",
    holds: (node) => /\b(connection|host|upgrade)\b/i.test(namesOf(node.trailers ?? []).join()),
  },
  {
    rejection: CHUNK_LINE,
    because: "a quoted extension is ASCII",
    holds: (_, raw) => /\n[0-9A-Fa-f]+;[^\n]*[\x80-\xff]/.test(raw),
  },
  {
    rejection: 'a trailer line is not "name: value"',
    because: "a trailer's value is ASCII",
    holds: (node) => /[\x80-\xff]/.test((node.trailers ?? []).join()),
  },
  {
    rejection: CLOSED,
    because: "`close` wins over `keep-alive` in HTTP/1.0 as well",
    holds: (node) => node.version === "1.0" && /\bclose\b/i.test(valuesOf(node, "connection").join()),
  },
];

function namesOf(fields: readonly string[]): string[] {
  return fields.filter((_, i) => i % 2 === 0);
}

function valuesOf(node: NodeRequest, name: string): string[] {
  return node.fields.filter((_, i) => i % 2 === 1 && node.fields[i - 1]!.toLowerCase() === name);
}

/**
 * Finds the reason for which ours is right to reject a request that Node accepted.
 * @returns undefined when no listed difference explains it
 */
export function differenceFor(rejection: string, raw: string, node: NodeRequest): string | undefined {
  const found = differences.find((difference) =>
    difference.rejection === rejection && difference.holds(node, raw)
  );
  return found?.because;
}
