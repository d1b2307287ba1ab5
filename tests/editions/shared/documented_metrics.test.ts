import assert from "node:assert/strict";
import { EDITIONS } from "../append_as.ts";
import { metricTypes } from "../../support/metrics.ts";
import { bearer, startWithTokens, tokenToml } from "../../support/tokens.ts";
import { sqliteTest } from "../../support/test_storage.ts";

/** With a token that expires, the families of tokens are among them. */
const TOKEN = tokenToml("t", "t", ["operate"], "expires = 2099-01-01T00:00:00Z\n");

// The families of a SQLite file and of a store with subjects are among them, too.
sqliteTest("metrics.md lists every family of every edition with its type, and no other", async () => {
  const shown = new Map<string, string>();
  for (const edition of EDITIONS) {
    await using server = await startWithTokens(edition, TOKEN, { SERVICE_SUBJECTS: "student" });
    const { text } = await server.client(bearer("t")).request("GET", "/metrics");
    for (const [name, type] of metricTypes(text)) shown.set(name, type);
  }
  // This metric exists only when descriptors are few.
  shown.set("service_connections_max", "gauge");
  const page = Deno.readTextFileSync(new URL("../../../docs/metrics.md", import.meta.url));
  const items = page.matchAll(/^- (`.+?) \((\w+)\):/gm);
  const listed = [...items].flatMap(([, names, type]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => `${name} ${type}`)
  );
  assert.deepEqual(listed.toSorted(), [...shown].map(([name, type]) => `${name} ${type}`).toSorted());
});
