// Fills a table of SQLite, with the driver of the runtime. It prints the rows.
import process from "node:process";
import { EventStore } from "eventstore-client";
import { mirror, sqlite } from "eventstore-client/mirror";

const [driver, options] = process.argv.slice(2);
const { Database, DatabaseSync = Database } = await import(driver);
const connection = new DatabaseSync(":memory:");
const store = new EventStore(JSON.parse(options));
const texts = ["one", "two"];
await store.append(texts.map((text) => ({ type: "Noted", payload: { text } })));
for (const version of ["1", "2"]) {
  await mirror(store, sqlite(connection), {
    name: "notes",
    version,
    query: { types: ["Noted"] },
    create: (table) => `CREATE TABLE ${table} (text TEXT); CREATE INDEX ${table}_by_text ON ${table} (text)`,
    apply(database, events, table) {
      for (const { payload } of events) database.run(`INSERT INTO ${table} VALUES (?)`, [payload.text]);
    },
  }, { stopAtEnd: true });
}
const { texts: found } = connection.prepare("SELECT group_concat(text) AS texts FROM notes").get();
process.stdout.write(`${found}\n`);
