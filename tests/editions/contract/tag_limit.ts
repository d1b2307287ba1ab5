import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { type ContractEdition, mustBe, Subject } from "./edition.ts";

const MAX = 256;

const tags = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, `v${i}`]));

/** Tests of the setting `maxTagsPerEvent`, each with servers of its own. */
export function contractOfTagLimit(edition: ContractEdition, named: (name: string) => string): void {
  Deno.test(
    named("with maxTagsPerEvent an event has 256 identifiers and as many metadata, and keeps them without"),
    async () => {
      await using leftovers = new AsyncDisposableStack();
      const directory = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
      leftovers.defer(() => Deno.remove(directory, { recursive: true }));
      const start = async (max: number): Promise<[ServerProcess, Subject]> => {
        const env = { SERVICE_EDITION: edition.name, SERVICE_MAX_TAGS_PER_EVENT: String(max) };
        const server = leftovers.use(await startServer({ directory, listen: "unix", env }));
        return [server, new Subject(edition, server.client())];
      };
      const rejects = async ({ client }: Subject, event: object): Promise<void> => {
        const body = JSON.stringify({ events: [{ type: "t", payload: "", ...event }] });
        mustBe(400, await edition.sendEvents(client, body));
      };

      const [first, many] = await start(MAX);
      await many.append(
        { type: "t", identifiers: tags(MAX), metadata: tags(MAX), payload: "all" },
        { type: "t", identifiers: tags(99), payload: "some" },
      );
      await rejects(many, { identifiers: tags(MAX + 1) });
      await rejects(many, { metadata: { n: Object.keys(tags(MAX + 1)) } });
      await first.stop();

      const [, few] = await start(20);
      const pairs = Object.entries(tags(MAX)).map(([name, value]) => ({ name, value }));
      assert.deepEqual(await few.payloads([{ identifiers: pairs.slice(0, 100) }]), ["all"]);
      for (const pair of [pairs[99]!, pairs[MAX - 1]!]) {
        assert.deepEqual(await few.payloads([{ identifiers: [pair], metadata: [pair] }]), ["all"], pair.name);
      }
      await rejects(few, { identifiers: tags(21) });
    },
  );
}
