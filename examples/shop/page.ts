import { html } from "hono/html";
import type { OrderRow, ProductRow } from "./read_model.ts";

/** `html` escapes the values that it gets. */
type Html = ReturnType<typeof html>;

const price = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`;

const layout = (body: Html): Html =>
  html`
    <!doctype html>
    <html lang="en">
          <meta charset="utf-8">
          <title>Shop</title>
          <style>
          body { font-family: sans-serif; margin: 2em auto; max-width: 60em }
          td, th { padding: 0.3em 1em 0.3em 0; text-align: left }
          form { display: inline }
          </style>
          ${body}
        </html>
  `;

const productRow = ({ id, name, cents, stock }: ProductRow): Html =>
  html`
    <tr data-product="${id}">
      <td>${name}</td>
      <td>${price(cents)}</td>
      <td>${stock}</td>
      <td>
        <form method="post" action="/orders">
          <input type="hidden" name="order" value="${crypto.randomUUID()}">
          <input type="hidden" name="product" value="${id}">
          <input name="pieces" type="number" min="1" value="1" aria-label="Pieces" required>
          <input name="email" type="email" placeholder="E-mail" aria-label="E-mail" required>
          <button>Order</button>
        </form>
        <form method="post" action="/deliveries">
          <input type="hidden" name="product" value="${id}">
          <input type="hidden" name="pieces" value="5">
          <button>Receive 5 more</button>
        </form>
      </td>
    </tr>
  `;

const orderRow = ({ id, name, pieces, cents, state, invoice }: OrderRow): Html =>
  html`
    <tr data-order="${id}">
      <td>${pieces} x ${name}</td>
      <td>${price(cents)}</td>
      <td>${state}</td>
      <td>${invoice ?? ""}</td>
    </tr>
  `;

export const shopPage = (products: readonly ProductRow[], orders: readonly OrderRow[]): Html =>
  layout(html`
    <h1>Shop</h1>
    <table>
      <tr><th>Product</th><th>Price</th><th>Stock</th><th></th></tr>
      ${products.map(productRow)}
    </table>
    <h2>Orders</h2>
    <p>An order is placed, invoiced, and then mailed. <a href="/">Reload</a> to see its state.</p>
    <table>
      <tr><th>Order</th><th>Price</th><th>State</th><th>Invoice</th></tr>
      ${orders.map(orderRow)}
    </table>
  `);

export const messagePage = (message: string): Html =>
  layout(html`
    <h1>Not done</h1>
    <pre>${message}</pre>
    <p><a href="/">Back to the shop</a></p>
  `);
