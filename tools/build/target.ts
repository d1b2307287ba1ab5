/** A platform that executables can be built for: the npm name of its runtime, and the output of `uname -s -m`. */
export interface Target {
  readonly triple: string;
  readonly npmPackage: string;
  readonly machine: string;
}

/** Those that `deno compile` knows, without Windows: the server needs unix sockets, file modes and locks. */
const TARGETS: readonly Target[] = [
  { triple: "x86_64-unknown-linux-gnu", npmPackage: "@deno/linux-x64-glibc", machine: "Linux x86_64" },
  { triple: "aarch64-unknown-linux-gnu", npmPackage: "@deno/linux-arm64-glibc", machine: "Linux aarch64" },
  { triple: "x86_64-apple-darwin", npmPackage: "@deno/darwin-x64", machine: "Darwin x86_64" },
  { triple: "aarch64-apple-darwin", npmPackage: "@deno/darwin-arm64", machine: "Darwin arm64" },
];

export function targetOf(triple: string): Target {
  const target = TARGETS.find((known) => known.triple === triple);
  if (target !== undefined) return target;
  const known = TARGETS.map((target) => target.triple).join(", ");
  const reason = triple.includes("windows") ? "Windows is not supported" : `unknown target "${triple}"`;
  throw new Error(`${reason}; known targets: ${known}`);
}

export function isThisMachine(target: Target): boolean {
  return target.triple === Deno.build.target;
}
