import assert from "node:assert/strict";
import { type ListedProjection, ProjectionList } from "../../../src/store/core/projection_list.ts";

const SPACE = "within:tenant=t1/";

function rowOf(type: string): ListedProjection {
  return { type, id: "1", version: "v", bytes: type.length + 1 };
}

Deno.test("a list of a space has its projections only, without the space", () => {
  const list = new ProjectionList({ space: SPACE, type: undefined, after: undefined, limit: 2 });
  const ofAnother = rowOf("within:tenant=t2/p");
  assert.equal(list.next()!.limit, 3);
  // However many of another space come, the list continues after them.
  list.add([ofAnother, ofAnother, ofAnother]);
  assert.deepEqual(list.next()!.after, { type: ofAnother.type, id: "1" });
  list.add([rowOf(`${SPACE}p`), ofAnother, rowOf(`${SPACE}q`)]);
  list.add([]);
  assert.equal(
    list.text,
    '{"type":"p","id":"1","version":"v","bytes":2}\n{"type":"q","id":"1","version":"v","bytes":2}\n{"hasMore":false}\n',
  );
});
