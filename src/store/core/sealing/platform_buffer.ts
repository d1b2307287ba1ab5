let loaded: typeof import("node:buffer") | undefined;

/** The runtime's own, which loads a module at once and only when it is needed. */
declare const process: { getBuiltinModule(name: "node:buffer"): typeof import("node:buffer") };

/** Returns bytes as a text with a unit for each. Only readers of stores with subjects load the module for it. */
export function latin1Text(bytes: Uint8Array<ArrayBuffer>): string {
  loaded ??= process.getBuiltinModule("node:buffer");
  return loaded.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
