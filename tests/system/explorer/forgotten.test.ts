import assert from "node:assert/strict";
import { exploredTest, textOf, write } from "./explored.ts";

await exploredTest(
  "an event whose payload was forgotten says so in the list, when it is open, and in a trace",
  { server: { env: { SERVICE_SUBJECTS: "student" } } },
  async ({ server, open }) => {
    for (const student of ["s1", "s2"]) {
      await write(server, {
        type: "Registered",
        identifiers: { student },
        payload: `{"name":"Ada ${student}"}`,
      });
    }
    const identifier = { name: "student", value: "s1" };
    assert.equal((await server.client().request("POST", "/forget", { json: { identifier } })).status, 200);
    {
      await using page = await open("/events?open=1");
      await page.until(`${textOf(".panel .payload")} === "forgotten: student"`);
      await page.until(`${textOf('[data-sequence="1"] .row-payload')} === "forgotten: student"`);
      assert.match(await page.evaluate(textOf('[data-sequence="2"] .row-payload')), /Ada s2/);
      assert.deepEqual(page.problems, []);
    }
    await using page = await open("/trace?trace=student%3Ds1");
    await page.until(`document.body.innerText.includes("forgotten: student")`);
    assert.deepEqual(page.problems, []);
  },
);
