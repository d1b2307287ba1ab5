import assert from "node:assert/strict";
import type { Consumer, NewEvent } from "../../../client/mod.ts";
import { given } from "../../../client/testing/mod.ts";
import type { Events, Store } from "../../../examples/shop/events.ts";
import { invoices } from "../../../examples/shop/invoices.ts";
import { mailServer } from "../../../examples/shop/mail_server.ts";
import { mails } from "../../../examples/shop/mails.ts";
import { inDirectory } from "../../support/directory.ts";

type Event = NewEvent<Events>;

const email = "ada@example.org";
const placed = (order: string): Event => ({
  type: "OrderPlaced",
  identifiers: { order, product: "lamp" },
  payload: { pieces: 1, cents: 2100, email },
});
const issued = (order: string, number: number): Event => ({
  type: "InvoiceIssued",
  identifiers: { order },
  payload: { number, cents: 2100, email },
});

/** Runs a consumer in the store until it has handled so many events. */
const handling = (consumerOf: (store: Store) => Consumer<Events>, events: number) => async (store: Store) => {
  const end = new AbortController();
  await store.consume("tested", consumerOf(store), {
    signal: end.signal,
    onNotification(notification) {
      if (notification.kind === "failed") throw notification.error;
      if (notification.kind === "handled" && --events === 0) end.abort("done");
    },
  }).catch((error) => {
    if (error !== "done") throw error;
  });
};

Deno.test("invoices continue the numbers, in the order in which the orders were placed", () =>
  given<Events>([placed("o1"), issued("o1", 7), placed("o2"), placed("o3")])
    .when(handling(invoices, 3)).then([issued("o2", 8), issued("o3", 9)]));

/** Runs the consumer of mails with a mail server. */
async function withMailServer(
  handler: (request: Request) => Response | Promise<Response>,
  test: (mail: ReturnType<typeof handling>) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  await test(handling(() => mails(`http://127.0.0.1:${server.addr.port}`), 1));
}

Deno.test("an invoice is sent by e-mail", () =>
  inDirectory(async (directory) => {
    const server = mailServer(`${directory}/mails.jsonl`);
    const sent: Event = { type: "InvoiceSent", identifiers: { order: "o1" }, payload: null };
    await withMailServer(server.fetch, (mail) => given<Events>(issued("o1", 1)).when(mail).then(sent));
    const [{ mail }] = await (await server.request("/mails")).json();
    assert.deepEqual(mail, { to: email, subject: "Invoice 1", text: "Please pay 21.00 EUR." });
  }));

Deno.test("an invoice that the mail server does not take is not sent", () =>
  withMailServer(
    () => new Response("too busy", { status: 503 }),
    (mail) => given<Events>(issued("o1", 1)).when(mail).then("mail server: status 503: too busy"),
  ));

Deno.test("the mail server sends a mail once for each key, also after it was started again", () =>
  inDirectory(async (directory) => {
    const start = () => mailServer(`${directory}/mails.jsonl`);
    const post = async (server: ReturnType<typeof start>, key: string, subject: string): Promise<number> => {
      const mail = { to: email, subject, text: "Please pay." };
      const headers = { "idempotency-key": key };
      const { status } = await server.request("/mails", {
        method: "POST",
        headers,
        body: JSON.stringify(mail),
      });
      return status;
    };
    const first = start();
    assert.deepEqual([await post(first, "k1", "a"), await post(first, "k1", "a")], [204, 204]);
    const second = start();
    assert.deepEqual([await post(second, "k1", "a"), await post(second, "k2", "b")], [204, 204]);
    assert.equal(await post(second, "k1", "another"), 422);
    assert.equal(await post(second, "", "no key"), 400);
    const sent = await (await start().request("/mails")).json();
    assert.deepEqual(sent.map(({ key }: { key: string }) => key), ["k1", "k2"]);
  }));
