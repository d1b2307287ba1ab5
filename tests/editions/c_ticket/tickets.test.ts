import assert from "node:assert/strict";
import { join } from "node:path";
import type { RequestOptions } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertNoContent, assertPlainText, assertRejected, expectStatus } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { begin, editionC, event, sequencesOf, startEditionC, type Transaction } from "./client.ts";
import { sqliteTest } from "../../support/test_storage.ts";

const server = serverOfFile(editionC());
const client = server.client();

/** Every call that may or must carry a ticket. */
const CALLS: readonly (readonly [method: string, target: string, ticket: "required" | "optional"])[] = [
  ["QUERY", "/events", "optional"],
  ["POST", "/events", "required"],
  ["GET", "/projections/t/1", "optional"],
  ["POST", "/projections", "optional"],
  ["POST", "/commit", "required"],
  ["POST", "/rollback", "required"],
];

const withTicket = (ticket: string, options: RequestOptions = {}): RequestOptions => ({
  ...options,
  headers: { "X-Service-Ticket": ticket },
});

async function inTransaction(run: (transaction: Transaction) => Promise<void>): Promise<void> {
  const transaction = await begin(client);
  await run(transaction);
  assertNoContent(await transaction.commit());
}

for (const [method, target] of CALLS.filter(([, , ticket]) => ticket === "required")) {
  Deno.test(`${method} ${target} without a ticket: 400, whatever the body, and no transaction is touched`, async () => {
    await inTransaction(async (transaction) => {
      for (const body of ["", "{}", "not json"]) {
        const reply = await client.request(method, target, { body });
        assertRejected(reply, 400, "InvalidRequest", /^X-Service-Ticket is missing/);
      }
      sequencesOf(await transaction.append([event("t")]));
    });
  });
}

for (const [method, target] of CALLS) {
  Deno.test(`${method} ${target} with any other ticket: 410 before the body is looked at`, async () => {
    const ended: string[] = [];
    for (const end of ["commit", "rollback"] as const) {
      const transaction = await begin(client);
      assertNoContent(await transaction[end]());
      ended.push(transaction.ticket);
    }
    await inTransaction(async (transaction) => {
      const { ticket } = transaction;
      const others = [...ended, crypto.randomUUID(), ticket.toUpperCase(), "", "x", `${ticket},${ticket}`];
      for (const other of others) {
        const reply = await client.request(method, target, withTicket(other, { body: "not json" }));
        assertRejected(reply, 410, "TicketNotActive");
      }
      const twice = { headers: [["X-Service-Ticket", ticket], ["X-Service-Ticket", ticket]] } as const;
      assertRejected(await client.request(method, target, twice), 410, "TicketNotActive");
      // Only the start of the body is sent. One of the announced lengths is above the limit.
      const half = client.bytesOf(method, target, withTicket(ended[0]!)).slice(0, -2);
      for (const length of [10, 2 ** 31]) {
        using connection = await client.begin("GET", "/health");
        await connection.readReply("GET");
        await connection.send(half);
        await connection.send(`content-length: ${length}\r\n\r\n{`);
        assertRejected(await connection.readReply(method), 410, "TicketNotActive");
      }
      sequencesOf(await transaction.append([event("t")]));
    });
  });
}

Deno.test("a ticket works with spaces around it and with any case of the header's name", async () => {
  await inTransaction(async ({ ticket }) => {
    const headers = [["x-SERVICE-ticket", `  ${ticket} `]] as const;
    const json = { events: [event("t")] };
    expectStatus(await client.request("POST", "/events", { headers, json }), 200);
  });
});

Deno.test("a ticket on calls that take none is ignored, a valid one too", async () => {
  await inTransaction(async (transaction) => {
    for (const ticket of [transaction.ticket, "nonsense"]) {
      for (const target of ["/health", "/metrics", "/debug"]) {
        expectStatus(await client.request("GET", target, withTicket(ticket)), 200);
      }
      assertNoContent(await client.request("POST", "/resume", withTicket(ticket)));
      for (const target of ["/projections", "/projections/t"]) {
        assertRejected(await client.request("DELETE", target, withTicket(ticket)), 409, "NotPaused");
      }
    }
    sequencesOf(await transaction.append([event("t")]));
  });
  const options = withTicket("nonsense", { body: "not json" });
  const { ticket } = expectStatus(await client.request("POST", "/begin", options), 200)
    .json<{ ticket: string }>();
  assertNoContent(await client.request("POST", "/rollback", withTicket(ticket)));
  assertNoContent(await client.request("POST", "/pause", options));
  assertNoContent(await client.request("DELETE", "/projections", options));
  assertNoContent(await client.request("POST", "/resume", options));
  assertNoContent(await client.request("POST", "/reset", options));
});

Deno.test("an unknown path, a wrong method and a broken escape come before the ticket, which stays active", async () => {
  await inTransaction(async (transaction) => {
    for (
      const [method, target, status] of [
        ["POST", "/write", 404],
        ["POST", "/tx", 404],
        ["POST", "/commit/", 404],
        ["PUT", "/events", 405],
        ["GET", "/commit", 405],
        ["DELETE", "/projections/t/1", 405],
        ["GET", "/projections/t/%zz", 400],
      ] as const
    ) {
      assertPlainText(await transaction.call(method, target), status);
    }
    sequencesOf(await transaction.append([event("t")]));
  });
});

Deno.test("a valid ticket without a valid token: 401 on every call, and the transaction continues", async () => {
  await using guarded = await startEditionC({ SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "secret" });
  const known = guarded.client({ authorization: "Bearer secret" });
  const transaction = await begin(known);
  for (const [method, target] of CALLS) {
    const reply = await guarded.client().request(
      method,
      target,
      withTicket(transaction.ticket, { body: "{" }),
    );
    assertRejected(reply, 401, "Unauthorized", /./);
  }
  assert.deepEqual(sequencesOf(await transaction.append([event("t")])), [1]);
  assertNoContent(await transaction.commit());
  assert.equal((await known.queryEvents()).events.length, 1);
});

sqliteTest(
  "a ticket is shown nowhere: logs, errors, /debug, /metrics and the files of the store",
  async () => {
    await using talking = await startEditionC({
      SERVICE_LOG_LEVEL: "debug",
      SERVICE_TRANSACTION_TIMEOUT: "1",
      SERVICE_MAX_EVENT_SIZE: "50",
    });
    const own = talking.client();
    const tickets: string[] = [];
    const texts: string[] = [];
    const keep = (reply: Reply): void => {
      texts.push(JSON.stringify([...reply.headers]), reply.text);
    };
    const endings: ((transaction: Transaction) => Promise<Reply>)[] = [
      (transaction) => transaction.commit(),
      (transaction) => transaction.rollback(),
      (transaction) => transaction.append([{}]),
      (transaction) => transaction.append([event("t", "x".repeat(100))]),
      (transaction) => transaction.append([event("t")], { failIfEventsMatch: "*" }),
      (transaction) => transaction.change({ delete: [{ type: "p", id: "1", version: "none" }] }),
      (transaction) => transaction.call("QUERY", "/events", { body: `{"${transaction.ticket}` }),
      () => own.request("POST", "/reset"),
      async () => {
        await talking.waitForOutput((text) => text.includes("transactionTimeout"));
        return await own.request("GET", "/health");
      },
    ];
    for (const end of endings) {
      const transaction = await begin(own);
      tickets.push(transaction.ticket);
      keep(await transaction.append([event("t")]));
      keep(await transaction.get("p", "1"));
      for (const target of ["/debug", "/metrics", "/health"]) keep(await own.request("GET", target));
      keep(await end(transaction));
      keep(await transaction.commit());
      keep(await own.request("GET", "/debug"));
    }
    const files = ["events.db", "events.db-wal"].map((name) =>
      Deno.readFileSync(join(talking.dataDir, name))
    );
    await talking.stop();
    const whole = [
      talking.stdout,
      talking.stderr,
      ...texts,
      ...files.map((bytes) => new TextDecoder().decode(bytes)),
    ]
      .join("\n").toLowerCase();
    assert.ok(
      whole.includes("post /commit 410") && whole.includes('"type":"t"'),
      "the search finds what is there",
    );
    for (const ticket of tickets) {
      for (const text of [ticket, ticket.replaceAll("-", "")]) {
        assert.equal(
          whole.includes(text),
          false,
          text,
        );
      }
    }
  },
);

Deno.test("tickets are different every time", async () => {
  const tickets = new Set<string>();
  for (let i = 0; i < 20; i++) await inTransaction(({ ticket }) => Promise.resolve(void tickets.add(ticket)));
  assert.equal(tickets.size, 20);
});
