import assert from "node:assert/strict";
import type { Client, EventLine } from "../../support/client.ts";
import { expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { appendAs, type EditionName } from "../append_as.ts";

/** The query for every event. */
export const EVERY = { A: "*", B: "all", C: "*" } as const;

interface Forgotten {
  readonly forgotten: string;
  readonly events: readonly { readonly sequence: number; readonly time: string }[];
}

/** A server of one edition, with what the tests ask of it. */
export class Side {
  constructor(readonly edition: EditionName, readonly server: Pick<ServerProcess, "client">) {}

  get client(): Client {
    return this.server.client();
  }

  async append(...events: readonly unknown[]): Promise<void> {
    const status = await appendAs(this.edition, this.client, ...events);
    assert.ok([200, 204].includes(status), `${status}`);
  }

  forget(value: string, more: object = {}, name = "student"): ReturnType<Client["request"]> {
    return this.client.request("POST", "/forget", { json: { identifier: { name, value }, ...more } });
  }

  async forgets(value: string, more: object = {}, name = "student"): Promise<Forgotten> {
    return expectStatus(await this.forget(value, more, name), 200).json<Forgotten>();
  }

  async events(): Promise<EventLine[]> {
    return await this.client.allEvents(EVERY[this.edition]);
  }

  /** The payload of each event, or the names of its subjects that were forgotten. */
  async payloads(): Promise<(string | readonly string[])[]> {
    return (await this.events()).map((event) => {
      const { payload, forgotten } = event as EventLine & { readonly forgotten?: readonly string[] };
      if (forgotten !== undefined) assert.equal(payload, "");
      return forgotten ?? payload;
    });
  }

  /** The lines of an answer, without the trailer, which must say that nothing is missing. */
  async lines(target: string): Promise<Record<string, unknown>[]> {
    const { text, headers } = expectStatus(await this.client.request("GET", target), 200);
    assert.equal(headers.get("cache-control"), "no-store");
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.pop(), { hasMore: false });
    return lines;
  }
}

/** An event with these identifiers. */
export function about(payload: string, identifiers: Record<string, unknown> = { student: "s1" }): unknown {
  return { type: "Noted", identifiers, payload };
}
