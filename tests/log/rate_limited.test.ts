import assert from "node:assert/strict";
import { rateLimited } from "../../src/log/rate_limited.ts";

Deno.test("what is said again within a minute is said once, and later once more", () => {
  const said: string[] = [];
  let now = 5;
  const say = rateLimited((text) => said.push(text), () => now);
  for (const text of ["first", "again"]) say(text);
  now += 59_999;
  say("too soon");
  now += 1;
  for (const text of ["a minute later", "again"]) say(text);
  assert.deepEqual(said, ["first", "a minute later"]);
});
