import { getInMemoryEventStore } from "@event-driven-io/emmett";
import { getEventStore } from "../../../integrations/emmett/mod.ts";
import { memoryStore } from "../../../client/testing/mod.ts";
import { storeOf } from "../../client/support.ts";
import { sharedServer } from "../../support/server_process.ts";
import type { MakeStore } from "./emmett_carts.ts";
import { COMMAND_RULES } from "./emmett_command_rules.ts";
import { STREAM_RULES } from "./emmett_rules.ts";

/* The event store for Emmett keeps Emmett's rules: on a server, and on the store in memory for tests. */

const server = sharedServer();

const STORES: Readonly<Record<string, MakeStore>> = {
  "Emmett's own store in memory": (options) => getInMemoryEventStore(options as never),
  "a server": (options) => getEventStore(storeOf<Record<string, unknown>>(server), options as never),
  "the store in memory for tests": (options) => getEventStore(memoryStore(), options as never),
};

for (const [name, make] of Object.entries(STORES)) {
  for (const [rule, check] of Object.entries({ ...STREAM_RULES, ...COMMAND_RULES })) {
    Deno.test(`${name}: ${rule}`, () => check(make));
  }
}
