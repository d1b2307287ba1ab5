import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { pageBlock } from "../../support/page_block.ts";
import { Machine, SERVER } from "./machine.ts";
import { scratchRootTest } from "./scratch_root.ts";

/* The commands of docs/several_stores.md on a machine with systemd: several stores next to each other. */

const UNIT = "eventstore-server@orders.service";
const PAGE = pageBlock("several_stores.md", '# As root: a store "orders".').replace(/^curl .*\n/m, "");

await scratchRootTest("several stores run side by side, as the page says", { systemd: true }, async () => {
  await using machine = await Machine.start();
  const { root, packages } = machine;
  await machine.install(packages.first);
  await machine.answers();
  await root.runWell("mkdir", "-p", "/etc/systemd/system/eventstore-server@.service.d");
  await root.runWell(
    "cp",
    `/etc/systemd/system/${SERVER}.d/test.conf`,
    "/etc/systemd/system/eventstore-server@.service.d/",
  );
  await root.runWell("systemctl", "daemon-reload");
  for (const store of ["orders", "staging"]) {
    await root.runWell("sh", "-e", "-c", PAGE.replaceAll("orders", store));
  }
  const clientOf = (store: string): Client =>
    new Client(root.socket(`/run/eventstores/${store}/service.sock`));
  const answers = (store: string): Promise<void> =>
    eventually(async () => assert.equal((await clientOf(store).request("GET", "/health")).status, 200), 20)
      .catch((error: Error) => assert.fail(`${error.message}\n${machine.printed()}`));
  await answers("orders");
  await answers("staging");
  await clientOf("orders").append({ type: "Placed", payload: "" });
  await machine.write("of the usual store");
  assert.equal((await clientOf("staging").queryEvents()).events.length, 0);
  assert.equal((await clientOf("orders").queryEvents()).events.length, 1);
  assert.deepEqual(await machine.payloads(), ["of the usual store"]);
  assert.equal(
    await root.runWell(
      "stat",
      "-c",
      "%a %U",
      "/var/lib/eventstores/orders",
      "/var/lib/eventstores/orders/events.db",
    ),
    "700 eventstore\n600 eventstore",
  );

  const config = ["--config", "/etc/eventstore/stores/orders.toml"];
  await root.runWell("runuser", "-u", "eventstore", "--", "eventstore-backup", "--quiet", ...config);
  const verified = await root.runWell(
    "runuser",
    "-u",
    "eventstore",
    "--",
    "eventstore-backup",
    "verify",
    ...config,
  );
  assert.match(verified, /: ok, 1 event; root [0-9a-f]{64}@1$/);

  // An upgrade restarts the servers that run, and only those.
  await root.runWell("systemctl", "stop", "eventstore-server@staging");
  const pid = (): Promise<string> =>
    root.runWell("systemctl", "show", "--property", "MainPID", "--value", UNIT);
  const before = await pid();
  await machine.install(packages.second);
  await answers("orders");
  assert.notEqual(await pid(), before);
  assert.equal(await machine.state("eventstore-server@staging"), "inactive");

  const printed = await root.runWell("dpkg", "--purge", "eventstore");
  assert.equal(await machine.state(UNIT), "inactive");
  assert.match(printed, /kept \/var\/lib\/eventstores with the events in it/);
  assert.equal((await root.run("test", "-e", "/var/lib/eventstores/orders/events.db")).code, 0);
});
