import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { part, selfExtracting } from "../../tools/build/self_extracting.ts";
import { targetOf } from "../../tools/build/target.ts";
import type { Ended } from "../support/run_command.ts";

/*
 * A self-extracting executable with the real header and, as its runtime, a small script that runs the
 * program's arguments as a command, so that a test of the header takes milliseconds.
 */

const RUNTIME = `#!/bin/sh
[ "$1" != --version ] || exit 0
until [ "\${1%.js}" != "$1" ]; do shift; done
STAND_IN_RUNTIME=$0 STAND_IN_MODULE=$1
export STAND_IN_RUNTIME STAND_IN_MODULE
shift
exec "$@"
`;

/** The text of the stand-in's module, which never runs. */
export const MODULE = "// the program\n";

export interface RunOptions {
  /** The whole environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A command line to run it with, such as a shell. */
  readonly before?: readonly string[];
  readonly stdin?: string;
  /** Runs it as another user if the test runs as root. */
  readonly asNobody?: boolean;
}

/** The user for programs of tests that run as root, because file modes do not restrict root. */
export const NOBODY = 65534;

export class StandIn implements Disposable {
  /** A directory of its own, with a space in its name, which every user may enter. */
  readonly directory: string = Deno.makeTempDirSync({ prefix: "eventstore test " });
  readonly path: string = join(this.directory, "eventstore-server");
  readonly cache: string = join(this.directory, "cache");

  /** @param paddingBytes random bytes after the runtime's script, which make unpacking slow */
  constructor(paddingBytes = 0) {
    const runtime = Buffer.concat([Buffer.from(RUNTIME), randomBytes(paddingBytes)]);
    const bytes = selfExtracting("server", targetOf(Deno.build.target), part("eventstore", runtime), MODULE);
    Deno.writeFileSync(this.path, bytes);
    Deno.chmodSync(this.path, 0o755);
    Deno.chmodSync(this.directory, 0o755);
  }

  [Symbol.dispose](): void {
    // A test may have removed write permission from a directory.
    new Deno.Command("chmod", { args: ["-R", "u+w", this.directory], stderr: "null" }).outputSync();
    Deno.removeSync(this.directory, { recursive: true });
  }

  /** Makes a directory below its own, which belongs to the user that runs the program. */
  makeDirectory(name: string, mode: number, options: { readonly uid?: number } = {}): string {
    const path = join(this.directory, name);
    Deno.mkdirSync(path);
    Deno.chmodSync(path, mode);
    if (options.uid !== undefined) Deno.chownSync(path, options.uid, options.uid);
    return path;
  }

  /** Runs it. Its runtime executes the command. Default environment: its own cache directory. */
  async run(command: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.spawn(command, options);
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin ?? "")).catch(() => {});
    await writer.close().catch(() => {});
    const { code, stdout, stderr } = await child.output();
    return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
  }

  spawn(command: readonly string[], options: RunOptions = {}): Deno.ChildProcess {
    const [program, ...args] = [...options.before ?? [], this.path, ...command];
    const user = options.asNobody && Deno.uid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    return new Deno.Command(program!, {
      args,
      cwd: options.cwd ?? this.directory,
      env: { ...(options.env ?? { EVENTSTORE_CACHE_DIR: this.cache }) },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      ...user,
    }).spawn();
  }

  /** The files below a cache directory. */
  static filesIn(cache: string): string[] {
    return [...Deno.readDirSync(cache)].flatMap(({ name }) =>
      [...Deno.readDirSync(join(cache, name))].map((entry) => join(cache, name, entry.name))
    ).sort();
  }

  /** The unpacked runtime and module in a cache directory, which must hold nothing else. */
  static unpacked(cache: string): { readonly runtime: string; readonly module: string } {
    const files = StandIn.filesIn(cache);
    const runtime = files.find((path) => path.endsWith("/eventstore"));
    const module = files.find((path) => path.endsWith("/eventstore-server.js"));
    if (files.length !== 2 || runtime === undefined || module === undefined) {
      throw new Error(`not a runtime and a module: ${files}`);
    }
    return { runtime, module };
  }
}
