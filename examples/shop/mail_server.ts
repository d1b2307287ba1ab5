import { Hono } from "hono";

/** A mail as the server has sent it. */
interface Sent {
  readonly key: string;
  readonly mail: { readonly to: string; readonly subject: string; readonly text: string };
}

/**
 * A stand-in for the API of a mail provider: `POST /mails` sends a mail once for each `idempotency-key`, `GET /mails`
 * lists them. "Sent" is a line in a file, which it reads when it starts again.
 */
export function mailServer(file: string): Hono {
  const sent = new Map(read(file).map((one) => [one.key, one]));
  const app = new Hono();
  app.get("/mails", (context) => context.json([...sent.values()]));
  app.post("/mails", async (context) => {
    const key = context.req.header("idempotency-key");
    if (!key) return context.text("the header idempotency-key is missing", 400);
    const one: Sent = { key, mail: await context.req.json() };
    const earlier = sent.get(key);
    if (earlier && JSON.stringify(earlier) !== JSON.stringify(one)) {
      return context.text("the idempotency-key was used for another mail", 422);
    }
    if (!earlier) {
      Deno.writeTextFileSync(file, `${JSON.stringify(one)}\n`, { append: true });
      sent.set(key, one);
    }
    return context.body(null, 204);
  });
  return app;
}

function read(file: string): Sent[] {
  try {
    return Deno.readTextFileSync(file).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

if (import.meta.main) {
  const [port, file] = Deno.args;
  Deno.serve({ hostname: "127.0.0.1", port: Number(port) }, mailServer(file!).fetch);
}
