import { parseArgs } from "node:util";
import { buildPackage } from "./debian_package.ts";

/*
 * Builds the Debian package from the executables of `deno task build`:
 *
 *   deno task package [--from dist] [--to dist] [--architecture amd64|arm64] [--maintainer "Name <address>"]
 *                     [--compression xz|none]
 */

const ARCHITECTURES = { x86_64: "amd64", aarch64: "arm64" } as const;

const { values } = parseArgs({
  args: Deno.args,
  options: {
    from: { type: "string", default: "dist" },
    to: { type: "string", default: "dist" },
    architecture: { type: "string", default: ARCHITECTURES[Deno.build.arch] },
    maintainer: { type: "string", default: "eventstore <root@localhost>" },
    compression: { type: "string", default: "xz" },
  },
});

try {
  const path = await buildPackage({
    ...values,
    architecture: oneOf("architecture", values.architecture, ["amd64", "arm64"]),
    compression: oneOf("compression", values.compression, ["xz", "none"]),
  });
  Deno.stdout.writeSync(new TextEncoder().encode(`${path}\n`));
} catch (error) {
  Deno.stderr.writeSync(new TextEncoder().encode(`${messageOf(error as Error)}\n`));
  Deno.exit(1);
}

function oneOf<Choice extends string>(flag: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  throw new Error(`--${flag} is ${choices.join(" or ")}, not ${JSON.stringify(text)}`);
}

function messageOf(error: Error): string {
  if (!(error instanceof Deno.errors.NotFound)) return error.message;
  return `${error.message}; "deno task build" builds the executables, and dpkg-deb comes with Debian`;
}
