// deno-lint-ignore-file no-console

import { type Context, Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { placeOrder, receiveStock, Rejected } from "./decisions.ts";
import type { Store } from "./events.ts";
import { messagePage, shopPage } from "./page.ts";
import type { ReadModel } from "./read_model.ts";

const DeliveryForm = z.object({ product: z.string().min(1), pieces: z.coerce.number().int().positive() });
const OrderForm = DeliveryForm.extend({ order: z.uuid(), email: z.email() });

/** The routes of the shop: forms become decisions, and the page comes from the read model. */
export function web(store: Store, readModel: ReadModel): Hono {
  const app = new Hono();
  app.use(csrf());
  app.get("/", (context) => context.html(shopPage(readModel.products(), readModel.orders())));
  app.post("/orders", async (context) => {
    const placed = await placeOrder(store, OrderForm.parse(await context.req.parseBody()));
    await readModel.show(placed, "products", "orders");
    return context.redirect("/", 303);
  });
  app.post("/deliveries", async (context) => {
    const { product, pieces } = DeliveryForm.parse(await context.req.parseBody());
    await readModel.show(await receiveStock(store, product, pieces), "products");
    return context.redirect("/", 303);
  });
  app.onError(answerTo);
  return app;
}

function answerTo(error: Error, context: Context): Response | Promise<Response> {
  if (error instanceof Rejected) return context.html(messagePage(error.message), 409);
  if (error instanceof z.ZodError) return context.html(messagePage(z.prettifyError(error)), 400);
  if (error instanceof HTTPException) return error.getResponse();
  console.error(error);
  return context.html(messagePage("Something failed. Look at the orders before you try again."), 500);
}
