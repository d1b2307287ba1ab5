import { join } from "node:path";
import type { Client } from "../../tests/support/client.ts";
import { AuditFailure } from "../report.ts";
import { endingOf } from "../workload/endings.ts";

const latin1 = new TextDecoder("latin1");

/** The keys that requests were about to destroy, by the number of the act. They are searched in the files of a store. */
export class DestroyedKeys {
  readonly #directory: string;
  readonly #keys = new Map<number, string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param key undefined when the subject has none in use */
  remember(act: number, key: string | undefined): void {
    if (key !== undefined) this.#keys.set(act, key);
  }

  /** Returns those of the acts whose key is in a file of the store. */
  foundIn(acts: readonly number[]): number[] {
    const known = acts.filter((act) => this.#keys.has(act));
    if (known.length === 0) return [];
    const texts = [...Deno.readDirSync(this.#directory)].filter(({ isFile }) => isFile)
      .map(({ name }) => latin1.decode(Deno.readFileSync(join(this.#directory, name))));
    return known.filter((act) => texts.some((text) => text.includes(this.#keys.get(act)!)));
  }

  /** @param forgets requests that have destroyed their keys @throws AuditFailure when one is in a file */
  assertGone(forgets: readonly number[], where: string): void {
    const left = this.foundIn(forgets);
    if (left.length > 0) throw new AuditFailure(where, [`a file has the keys of the acts ${left.join()}`]);
  }
}

/** Returns the key of a subject that is in use, with a character for each byte. Throws as a request does. */
export async function keyInUse(client: Client, subject: string): Promise<string | undefined> {
  const reply = await client.request("GET", "/subjects/keys");
  if (endingOf(reply).fate === "rejected") return undefined;
  const lines = reply.text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const key: string | undefined = lines.find(({ value }) => value === subject)?.key;
  return key && latin1.decode(Uint8Array.fromBase64(key));
}
