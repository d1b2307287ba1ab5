import assert from "node:assert/strict";
import { EVENT, exploredTest, says, SEQUENCES, textOf, write } from "./explored.ts";

/*
 * The open event: the events before and after it, and those of the same write.
 */

const pressLabelled = (label: string): string => `document.querySelector('[aria-label="${label}"]').click()`;

const LIST =
  '[...document.querySelectorAll(".write-list li")].map((item) => item.innerText.replace(/\\s+/g, " "))';

await exploredTest(
  "the open event leads to its neighbours in the list and to the rest of its write",
  {},
  async ({
    server,
    open,
  }) => {
    await write(server, EVENT);
    await write(server, { ...EVENT, type: "A" }, { ...EVENT, type: "B" }, { ...EVENT, type: "C" });
    await write(server, EVENT);
    await using page = await open("/events?type=Noted&type=B&open=3");
    await page.until(
      `${textOf(".panel h2")} === "B" && ${textOf(".write-part p")} === "3 events, this is number 2"`,
    );
    assert.deepEqual(await page.evaluate(LIST), ["#2 A", "#3 B", "#4 C"]);
    assert.equal(await page.evaluate(`${textOf(".write-list [aria-current]")}`), "#3B");
    // Previous and next, in the order of the list, which the filter limits.
    await page.evaluate("document.querySelector('[aria-label=\"Next event (j)\"]').focus()");
    await page.press("Enter");
    await page.until(
      `${textOf(".panel-sequence")} === "#1" && ${textOf(".write-part p")} === "no other event"`,
    );
    await page.evaluate(pressLabelled("Previous event (k)"));
    await page.until(`${textOf(".panel-sequence")} === "#3" && ${textOf(".panel h2")} === "B"`);
    await page.evaluate(pressLabelled("Previous event (k)"));
    await page.until(`${textOf(".panel-sequence")} === "#5" && ${textOf(".panel h2")} === "Noted"`);
    // The button keeps the focus.
    assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Next event (j)");
    await page.evaluate(pressLabelled("Next event (j)"));
    await page.until(
      `${textOf(".panel h2")} === "B" && document.querySelectorAll(".write-list li").length === 3`,
    );
    // An event of the write that the filter leaves out.
    await page.evaluate('document.querySelectorAll(".write-list button")[2].click()');
    await page.until(`${textOf(".panel-sequence")} === "#4" && ${textOf(".panel h2")} === "C"`);
    await page.until(`${textOf(".write-part p")} === "3 events, this is number 3"`);
    assert.equal(await page.evaluate("location.hash"), "#/events?type=Noted&type=B&open=4");
    assert.deepEqual(page.problems, []);
  },
);

await exploredTest(
  "an event that a link has opened leads to its neighbours, however far down the list",
  {},
  async ({
    server,
    open,
  }) => {
    for (let i = 0; i < 600; i += 100) {
      await write(
        server,
        ...Array.from({ length: 100 }, (_, n) => ({ ...EVENT, type: n % 10 === 0 ? "Tenth" : "Other" })),
      );
    }
    await using page = await open("/events?type=Other&open=12");
    const step = async (label: string, sequence: number): Promise<void> => {
      await page.until(`document.querySelector(".write-part p") !== null`);
      await page.evaluate(pressLabelled(label));
      await page.until(
        `location.hash.endsWith("open=${sequence}") && ${textOf(".panel-sequence")} === "#${sequence}"`,
      );
    };
    await page.until(`${SEQUENCES}[0] === 600`);
    // Newest first: the next event is older. #11 is of another type.
    await step("Next event (j)", 10);
    await step("Previous event (k)", 12);
    await step("Previous event (k)", 13);
    // In the list from the first event on, in which the sequences rise. It begins at #5.
    await page.evaluate('location.hash = "#/events?order=oldest&at=5&open=599"');
    await page.until(`${SEQUENCES}[0] === 5 && ${textOf(".panel-sequence")} === "#599"`);
    await step("Next event (j)", 600);
    await page.evaluate(pressLabelled("Next event (j)"));
    await page.until(says("The list has no next event"));
    await page.evaluate('location.hash = "#/events?order=oldest&at=5&open=5"');
    await page.until(`${textOf(".panel-sequence")} === "#5"`);
    await page.evaluate(pressLabelled("Previous event (k)"));
    await page.until(says("The list has no previous event"));
    assert.equal(await page.evaluate("location.hash"), "#/events?order=oldest&at=5&open=5");
    assert.deepEqual(page.problems, []);
  },
);
