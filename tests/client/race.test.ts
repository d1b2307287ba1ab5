import { enrolTogether } from "./enrolments.ts";
import { sharedTestServer, storeOf } from "./support.ts";

const server = sharedTestServer();

const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";

const CLIENTS = 20;
const DECISIONS = IS_LONG ? 10_000 : 300;

Deno.test(`${CLIENTS} clients with ${DECISIONS} decisions on five courses break no rule, and none is rejected while there is a seat`, async () => {
  await enrolTogether({
    stores: Array.from({ length: CLIENTS }, () => storeOf(server)),
    seats: DECISIONS / 20,
    students: DECISIONS / 5,
    isOver: (decisions) => decisions >= DECISIONS / CLIENTS,
  });
});
