import assert from "node:assert/strict";
import fc from "fast-check";
import { readProjection } from "../../../../src/store/sqlite/tables/projections.ts";
import { text } from "../../arbitraries.ts";
import { changing } from "../../made_writes.ts";
import { written } from "../../outcomes.ts";
import { TestStore } from "../../test_store.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

Deno.test("projections of any type and id, NUL included, are kept apart and come back byte for byte", () => {
  const projection = fc.record({ type: text, id: text, payload: text });
  const distinct = fc.uniqueArray(projection, { selector: ({ type, id }) => JSON.stringify([type, id]) });
  fc.assert(
    fc.property(distinct, (create) => {
      using store = new TestStore();
      const given = written(store.openWriter().group([changing({ create })])[0]).versions.create
        .map(({ version }) => version);
      assert.equal(new Set(given).size, create.length);
      for (const [i, { type, id, payload }] of create.entries()) {
        const projection = readProjection(store.db, { type, id });
        assert.deepEqual([projection?.version, decoder.decode(projection?.payload)], [given[i], payload]);
        assert.match(given[i]!, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      }
      const rows = store.db.get("SELECT count(*) FROM projection")?.[0];
      assert.equal(rows, create.length);
    }),
    { numRuns: 40 },
  );
});
