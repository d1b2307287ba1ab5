import type { Architecture } from "./debian_control.ts";

const MACHINES: Readonly<Record<string, Architecture>> = {
  "Linux x86_64": "amd64",
  "Linux aarch64": "arm64",
};

/** The field e_machine of an ELF file. */
const ELF_MACHINES: Readonly<Record<number, Architecture>> = { 62: "amd64", 183: "arm64" };

/**
 * The architecture of an executable of `deno task build`. Undefined for any other script, which runs on every
 * architecture.
 */
export function architectureOf(path: string, bytes: Uint8Array): Architecture | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 500));
  const script = /^#!\/bin\/sh\n(?:# eventstore-\w+ \S+ for (.+)\. )?/.exec(start);
  if (script !== null && script[1] === undefined) return undefined;
  const found = script !== null
    ? MACHINES[script[1]!]
    : start.startsWith("\x7fELF")
    ? ELF_MACHINES[new DataView(bytes.buffer, bytes.byteOffset).getUint16(18, true)]
    : undefined;
  if (found === undefined) throw new Error(`${path} is not an executable for Debian on amd64 or arm64`);
  return found;
}
