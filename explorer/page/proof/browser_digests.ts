import type { NodeHash } from "../../../src/model/merkle_proof.ts";
import { LEAF_PREFIX, NODE_PREFIX } from "../../../src/model/merkle_tree.ts";

type Digest = Promise<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

/** The nodes of RFC 9162, with the SHA-256 of the browser. It has one for pages of this machine and of HTTPS. */
export const browserNodes: NodeHash<Digest> = {
  node: async (left, right) => await sha256(NODE_PREFIX, await left, await right),
};

export function leafOf(line: string): Digest {
  return sha256(LEAF_PREFIX, encoder.encode(line));
}

async function sha256(prefix: number, ...parts: readonly Uint8Array<ArrayBuffer>[]): Digest {
  const bytes = await new Blob([Uint8Array.of(prefix), ...parts]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const HEX = /^[0-9a-f]{64}$/;

/** True for a digest as the server sends it. */
export function isHexDigest(value: unknown): value is string {
  return typeof value === "string" && HEX.test(value);
}

/** @param hex of a digest */
export function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g)!, (digits) => parseInt(digits, 16));
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
