import assert from "node:assert/strict";
import { type Answer, assertAnswered, isAcknowledged, writeWhole } from "../../server/acknowledged_writes.ts";
import { pause } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { serverVariables } from "./support/shared_stores.ts";

const ROUNDS = 3;
const WRITERS = 8;
const WRITES_AROUND = 20;

await clusterTest(
  "when PostgreSQL is killed, no acknowledged write is lost, and the server continues by itself",
  async (cluster) => {
    await using server = await startServer({ env: serverVariables(cluster.url()) });
    const answers = new Map<string, Answer>();
    let acknowledged = 0;
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      const client = server.client();
      for (let i = 0; !isOver; i++) {
        const name = `${writer}.${i}`;
        const answer = await writeWhole(client, name);
        answers.set(name, answer);
        if (isAcknowledged(answer)) acknowledged++;
      }
    };
    const more = async (): Promise<void> => {
      const enough = acknowledged + WRITES_AROUND;
      while (acknowledged < enough) await pause(20);
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    for (let round = 0; round < ROUNDS; round++) {
      await more();
      await cluster.end("SIGKILL");
      await cluster.run();
      await more();
    }
    isOver = true;
    await Promise.all(writers);
    await assertAnswered(server.client(), answers);
    for (const answer of answers.values()) {
      assert.ok(answer === "none" || answer.status === 200 || answer.status === 503, JSON.stringify(answer));
    }
  },
);
