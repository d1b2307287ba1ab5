let loaded: typeof import("node:crypto") | undefined;

/** The runtime's own, which loads a module at once and only when it is needed. */
declare const process: { getBuiltinModule(name: "node:crypto"): typeof import("node:crypto") };

/** Returns the platform's cryptography. It takes 10 MB and 50 ms in each thread, so only stores with subjects load it. */
export function platformCrypto(): typeof import("node:crypto") {
  return loaded ??= process.getBuiltinModule("node:crypto");
}
