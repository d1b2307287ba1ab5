import assert from "node:assert/strict";
import { enrolTogether } from "../../client/enrolments.ts";
import { storeOf } from "../../client/support.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { SharedServers } from "./support/shared_stores.ts";

const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";
const SECONDS = IS_LONG ? 30 : 3;
const CLIENTS = 18;

/** Seats in each course. On a quick machine some courses become full. */
const SEATS = 40 * SECONDS;

await clusterTest(`decisions over three servers for ${SECONDS} s break no rule`, async (cluster) => {
  await using shared = await SharedServers.start(cluster, 3);
  const endsAt = performance.now() + 1000 * SECONDS;
  const accepted = await enrolTogether({
    stores: Array.from({ length: CLIENTS }, (_, i) => storeOf(shared.servers[i % 3]!)),
    seats: SEATS,
    students: 4 * SEATS,
    isOver: (decisions) => decisions > 0 && performance.now() > endsAt,
  });
  assert.ok(accepted >= CLIENTS, `${accepted} were enrolled`);
});
