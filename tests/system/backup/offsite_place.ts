import assert from "node:assert/strict";
import { join } from "node:path";
import type { BackupDirectories } from "../../backup/run_backup.ts";
import { freePort } from "../../support/free_port.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { makePrograms } from "../../support/programs.ts";
import { type Ended, runCommand } from "../../support/run_command.ts";
import { type Passage, TcpProxy } from "../../support/tcp_proxy.ts";
import { DebianProcess } from "../support/debian_process.ts";
import type { DebianProgram } from "../support/debian_program.ts";
import { pythonProgram } from "../support/python_tools.ts";

const SET_UP = "# As root: where restic sends to, and a directory for its cache and the export.";
const SCRIPT =
  "# eventstore-offsite: sends the events of the backup to a repository of restic, as far as they are new.";

/** Counts the bytes that clients send. */
class CountingProxy extends TcpProxy {
  bytes = 0;

  protected override async forth(bytes: Uint8Array, passage: Passage): Promise<void> {
    this.bytes += bytes.length;
    await super.forth(bytes, passage);
  }
}

interface Snapshot {
  readonly id: string;
  readonly time: string;
}

/** A place that speaks S3, and a machine that sends its backup there with restic, as docs/offsite.md says. */
export class Offsite implements AsyncDisposable {
  readonly #place: BackupDirectories;
  readonly #restic: string;
  readonly #server: DebianProcess;
  readonly #proxy: CountingProxy;
  #variables: Readonly<Record<string, string>> = {};

  private constructor(
    place: BackupDirectories,
    restic: string,
    serverPort: number,
    server: DebianProcess,
  ) {
    this.#place = place;
    this.#restic = restic;
    this.#server = server;
    this.#proxy = new CountingProxy(serverPort);
  }

  /** @param place the directories of a backup and its source */
  static async start(place: BackupDirectories, restic: DebianProgram): Promise<Offsite> {
    const port = freePort();
    const program = { path: await pythonProgram("s3_server", "moto_server"), root: "/", environment: {} };
    const args = ["--host", "127.0.0.1", "--port", String(port)];
    const server = await DebianProcess.start(program, { args, directory: place.directory, ports: [port] });
    const offsite = new Offsite(place, restic.path, port, server);
    try {
      await offsite.#setUp();
      return offsite;
    } catch (error) {
      await offsite[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** How many bytes were sent to the place. */
  get bytesSent(): number {
    return this.#proxy.bytes;
  }

  /** Runs the command of the line for cron, on a day in the form 2026-03-01. */
  runCron(command: string, day: string): Promise<Ended> {
    let here = replacePart(command, "/etc/eventstore/offsite.env", this.#path("offsite.env"));
    // Only root can become another user.
    here = replacePart(here, "/usr/sbin/runuser -u eventstore -- ", "");
    here = replacePart(here, "/usr/local/bin/eventstore-offsite", this.#path("eventstore-offsite"));
    return this.run(here, { NIGHT: `${day} 03:37:00` });
  }

  /** Runs commands that have the variables of the page. */
  run(commands: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return runCommand(["/bin/sh", "-c", commands], {
      cwd: this.#place.directory,
      env: {
        ...this.#variables,
        SERVICE_BACKUP_DATA_DIR: this.#place.dataDir,
        PATH: `${this.#place.directory}:${Deno.env.get("PATH")}`,
        ...env,
      },
    });
  }

  /** Runs commands that must succeed, and returns what they printed. */
  async runWell(commands: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(commands);
    assert.deepEqual([code, stderr], [0, ""], commands);
    return stdout;
  }

  async snapshots(): Promise<Snapshot[]> {
    return JSON.parse(await this.runWell("restic snapshots --json")) as Snapshot[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  #path(name: string): string {
    return join(this.#place.directory, name);
  }

  async #setUp(): Promise<void> {
    const { directory } = this.#place;
    await makePrograms(directory);
    // The real one, on the day that the test says.
    const restic =
      `[ "$1" != backup ] || { shift; set -- backup --time "$NIGHT" "$@"; }\nexec ${this.#restic} "$@"\n`;
    await Deno.writeTextFile(this.#path("restic"), `#!/bin/sh\n${restic}`, { mode: 0o755 });
    await Deno.writeTextFile(this.#path("config.toml"), "");
    let script = replacePart(
      pageBlock("offsite.md", SCRIPT),
      "/etc/eventstore/config.toml",
      this.#path("config.toml"),
    );
    script = replacePart(script, "/var/lib/eventstore-offsite/", `${directory}/`);
    await Deno.writeTextFile(this.#path("eventstore-offsite"), script);

    let variables = pageBlock("offsite.md", SET_UP).split("<<'END'\n")[1]!.split("END\n")[0]!;
    variables = replacePart(variables, "https://s3.example.org", `http://127.0.0.1:${this.#proxy.port}`);
    variables = replacePart(variables, "/var/lib/eventstore-offsite/", `${directory}/`);
    variables = variables.replaceAll("=...", "=a-secret");
    await Deno.writeTextFile(this.#path("offsite.env"), variables);
    const pairs = variables.trimEnd().split("\n").map((line) => line.split("=", 2) as [string, string]);
    this.#variables = Object.fromEntries(pairs);
    await this.runWell("restic init --quiet");
  }
}
