import type { Consumer } from "eventstore-client";
import type { Events } from "./events.ts";

/** Without it, a mail server that does not answer would stop the mails behind this one. */
const TIMEOUT_MILLISECONDS = 10_000;

/** Sends each invoice by e-mail. The mail server sends a mail once for each key, however often it is requested. */
export const mails = (mailServer: string): Consumer<Events> => ({
  query: { types: ["InvoiceIssued"] },
  by: "order",
  async handle(invoice, { key, signal }) {
    if (invoice.type !== "InvoiceIssued") return;
    const { number, cents, email } = invoice.payload;
    const mail = {
      to: email,
      subject: `Invoice ${number}`,
      text: `Please pay ${(cents / 100).toFixed(2)} EUR.`,
    };
    const answer = await fetch(new URL("/mails", mailServer), {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(mail),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]),
    });
    if (!answer.ok) throw new Error(`mail server: status ${answer.status}: ${await answer.text()}`);
    return { type: "InvoiceSent", identifiers: invoice.identifiers, payload: null };
  },
});
