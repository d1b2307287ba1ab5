import assert from "node:assert/strict";
import { join } from "node:path";
import { run as runBackup } from "../../cli/backup.ts";
import { backupProgram } from "../../cli/programs.ts";
import type { Address } from "../support/connection.ts";
import type { Ended } from "../support/run_command.ts";
import { canRunHere, runHere } from "../support/run_here.ts";
import { programCommand } from "../support/start_command.ts";

const SECONDS_MAX = 60;

/** A process of its own may need so long on a busy machine until it has copied its first events. */
export const START_SECONDS_MAX = 30;

export interface BackupOptions {
  readonly args?: readonly string[];
  /** Environment variables; any `SERVICE_*` of the caller's own environment is kept out. */
  readonly env?: Readonly<Record<string, string>>;
  /** Only `env`: neither the caller's environment nor the source. */
  readonly isEnvironmentEmpty?: boolean;
  readonly cwd?: string;
  /** The time limit of a process of its own. */
  readonly seconds?: number;
  readonly umask?: string;
  /** True for a process of its own. */
  readonly isProcess?: boolean;
}

/** A directory to run the backup program in, again and again; removed at the end. */
export class BackupDirectories implements Disposable {
  readonly directory: string;
  /** Where the backups are, unless a test says otherwise. */
  readonly dataDir: string;
  readonly source: Readonly<Record<string, string>>;

  /**
   * @param address the source
   * @param parent where the directory is made; default: the system's directory for temporary files
   */
  constructor(address: Address, parent?: string) {
    this.directory = Deno.makeTempDirSync({
      prefix: "eventstore_test_",
      ...parent === undefined ? {} : { dir: parent },
    });
    this.dataDir = join(this.directory, "backup");
    this.source = address.transport === "unix"
      ? { SERVICE_BACKUP_SOURCE_SOCKET: address.path }
      : { SERVICE_BACKUP_SOURCE_URL: `http://${address.hostname}:${address.port}` };
  }

  /** The file of a store's backup. */
  file(storeId: string): string {
    return join(this.dataDir, `${storeId}.db`);
  }

  /** Runs the program to its end: in this process, unless an option needs a process of its own. */
  async run(options: BackupOptions = {}): Promise<Ended> {
    const { args = [], cwd = this.directory } = options;
    const env = this.#environment(options);
    const needsProcess = options.isProcess === true || (options.umask ?? options.seconds) !== undefined;
    if (!needsProcess && canRunHere()) {
      return await runHere(backupProgram, runBackup, { args, cwd, env });
    }
    const child = this.spawn(options);
    const timer = setTimeout(() => child.kill("SIGKILL"), (options.seconds ?? SECONDS_MAX) * 1000);
    const { code, stdout, stderr } = await child.output();
    clearTimeout(timer);
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** The program with its arguments. */
  command(args: readonly string[], umask?: string): [string, ...string[]] {
    return [...programCommand("backup", umask), ...args];
  }

  spawn(options: BackupOptions = {}): Deno.ChildProcess {
    const [program, ...args] = this.command(options.args ?? [], options.umask);
    return new Deno.Command(program, {
      args,
      cwd: options.cwd ?? this.directory,
      env: this.#environment(options),
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  }

  #environment({ env, isEnvironmentEmpty }: BackupOptions): Record<string, string> {
    return { ...isEnvironmentEmpty ? {} : { ...environment(), ...this.source }, ...env };
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

function environment(): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_"));
  return { ...Object.fromEntries(inherited), NO_COLOR: "1" };
}

/** The line that `--json` prints. */
export interface RunJson {
  readonly ok: boolean;
  readonly error: string | null;
  readonly source: string;
  readonly storeId: string | null;
  readonly file: string | null;
  readonly created: boolean;
  readonly eventsCopied: number;
  readonly lastSequence: number | null;
  readonly earlierStoreIds: readonly string[];
  readonly durationSeconds: number;
}

/** Runs with `--json`, and asserts that exit code, standard error and the line agree. */
export async function runJson(
  place: BackupDirectories,
  env: Readonly<Record<string, string>> = {},
): Promise<RunJson> {
  const { code, stdout, stderr } = await place.run({ args: ["--json"], env });
  assert.match(stdout, /^\{.*\}\n$/, stderr);
  const json = JSON.parse(stdout) as RunJson;
  assert.equal(code, json.ok ? 0 : 1);
  assert.equal(stderr, json.ok ? "" : `eventstore-backup: ${json.error}\n`);
  return json;
}

/** Runs `verify` with these arguments. */
export function verify(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args: ["verify", ...args] });
}

/** The line of `verify` about a backup without encrypted payloads that is whole. */
export function okLine(storeId: string, events: number): RegExp {
  return new RegExp(
    `^${storeId}: ok, ${events} ${events === 1 ? "event" : "events"}; root [0-9a-f]{64}@${events}\n$`,
  );
}

/** Asserts that the program ended with this code and one line on standard error, and printed nothing else. */
export function assertFailed(ended: Ended, code: number, expected: RegExp): void {
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  assert.equal(ended.stdout, "");
  assert.match(ended.stderr, /^eventstore-backup: [^\n]+\n$/, "one line");
  assert.match(ended.stderr, expected);
}

export function event(payload: string): unknown {
  return { type: "t", identifiers: { payload }, payload };
}
