import { join } from "node:path";
import { decodeEvent, eventBody, eventLine } from "../../src/wire/event.ts";
import { FakeSource, rightPage, STORE } from "../../tests/backup/fake_source.ts";
import { oddEvents } from "../../tests/backup/odd_events.ts";
import { programCommand } from "../../tests/support/start_command.ts";
import type { ProgramName } from "../../tools/build/program_task.ts";

/**
 * Few events, so that every call of every tool can fail once within an hour. They fill several pages, and the last page
 * is short.
 */
export const EVENTS = 27;
export const EVENTS_BEFORE = 8;
export const PAGE_EVENTS = 8;

export const BACKUP = `backup/${STORE}.db`;
export const EXPORT = "events.ndjson";
export const DATABASE = "data/events.db";
export const OLD_TEXT = "what was there before\n";

/** A run takes less than a second, or ten on a busy machine. */
const SECONDS_MAX = 120;

export interface Ended {
  readonly pid: number;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const START_MICROS = 1_700_000_000_000_000;

/** A large event would only repeat the same calls. */
const BODIES = oddEvents.map((event) => eventBody(decodeEvent(event, ""))).filter(({ length }) =>
  length < 10_000
);

/** The first event lines of the source store. */
export function firstLines(count: number): string[] {
  return linesBetween(1, count);
}

function linesBetween(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const sequence = from + i;
    const body = BODIES[sequence % BODIES.length]!;
    return eventLine({ sequence, timeMicros: START_MICROS + 1_000_001 * sequence, body });
  });
}

/** Runs the real tools in a directory, with a source that always has the same events. */
export class ToolRunner implements AsyncDisposable {
  #events = EVENTS;
  readonly #source = new FakeSource((request) => rightPage(request, this.#events, STORE, linesBetween));

  [Symbol.asyncDispose](): Promise<void> {
    return this.#source[Symbol.asyncDispose]();
  }

  /** @param under the words before the program's command */
  async run(
    directory: string,
    program: ProgramName,
    args: readonly string[],
    under: readonly string[] = [],
  ): Promise<Ended> {
    const [command, ...words] = [...under, ...programCommand(program), ...args];
    const { hostname, port } = this.#source.address;
    const inherited = Object.entries(Deno.env.toObject()).filter(([name]) => !name.startsWith("SERVICE_"));
    const child = new Deno.Command(command!, {
      args: words,
      cwd: directory,
      env: {
        ...Object.fromEntries(inherited),
        NO_COLOR: "1",
        SERVICE_BACKUP_DATA_DIR: join(directory, "backup"),
        SERVICE_BACKUP_SOURCE_URL: `http://${hostname}:${port}`,
        SERVICE_BACKUP_PAGE_LIMIT: String(PAGE_EVENTS),
      },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const timer = setTimeout(() => child.kill("SIGKILL"), SECONDS_MAX * 1000);
    const { code, stdout, stderr } = await child.output();
    clearTimeout(timer);
    const decoder = new TextDecoder();
    return { pid: child.pid, code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /**
   * Creates a directory with a backup, an older backup, an export and a store. Every trial starts from a copy of it.
   */
  async prepare(directory: string): Promise<void> {
    const succeed = async (program: ProgramName, ...args: string[]): Promise<void> => {
      const { code, stderr } = await this.run(directory, program, args);
      if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}: ${stderr}`);
    };
    Deno.mkdirSync(directory);
    this.#events = EVENTS_BEFORE;
    await succeed("backup");
    Deno.copyFileSync(join(directory, BACKUP), join(directory, "older.db"));
    this.#events = EVENTS;
    await succeed("backup");
    await succeed("backup", "export", "--output", EXPORT);
    await succeed("init", "--data-dir", "old");
  }
}
