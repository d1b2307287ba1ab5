import { join } from "node:path";
import { type Architecture } from "../../../tools/packaging/debian_control.ts";
import { buildPackage } from "../../../tools/packaging/debian_package.ts";
import { VERSION } from "../../../src/config/version.ts";
import { run } from "../support/apt.ts";
import type { ScratchRootOptions } from "./scratch_root.ts";
import { packageableExecutables } from "./stand_ins.ts";

/** The path of the packages in a scratch root. */
const PLACE = "/opt/eventstore_packages";

/** A package in two versions, the second one later. Each is a path in a scratch root. */
export interface TwoVersions extends AsyncDisposable {
  readonly first: string;
  readonly second: string;
  /** The directories that the scratch root has to see. */
  readonly shared: ScratchRootOptions["shared"];
}

export const MAINTAINER = "Somebody <somebody@example.org>";

export function architecture(): Architecture {
  return Deno.build.arch === "aarch64" ? "arm64" : "amd64";
}

/** Builds the package, and from its parts one with a higher version. */
export async function buildTwoVersions(makeExecutables = packageableExecutables): Promise<TwoVersions> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_packages_" });
  await using executables = await makeExecutables();
  const options = {
    from: executables.directory,
    architecture: architecture(),
    maintainer: MAINTAINER,
    compression: "none" as const,
  };
  const first = await buildPackage({ ...options, to: directory });
  const parts = join(directory, "parts");
  await run("dpkg-deb", ["--raw-extract", first, parts]);
  const control = join(parts, "DEBIAN/control");
  const later = (await Deno.readTextFile(control)).replace(
    `Version: ${VERSION}`,
    `Version: ${VERSION}+later`,
  );
  await Deno.writeTextFile(control, later);
  await run("dpkg-deb", ["--root-owner-group", "-Znone", "--build", parts, join(directory, "later.deb")]);
  await Deno.remove(parts, { recursive: true });
  return {
    first: first.replace(directory, PLACE),
    second: join(PLACE, "later.deb"),
    shared: [...executables.shared, { from: directory, to: PLACE }],
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}
