import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { ScratchRoot } from "./scratch_root.ts";
import { packageableExecutables } from "./stand_ins.ts";
import { buildTwoVersions, type TwoVersions } from "./two_versions.ts";

export const SERVER = "eventstore-server.service";
export const SOCKET = "/run/service/service.sock";
export const CONFIG = "/etc/eventstore/config.toml";

/** A machine with systemd on which the package can be installed. */
export class Machine implements AsyncDisposable {
  readonly root: ScratchRoot;
  readonly packages: TwoVersions;

  private constructor(root: ScratchRoot, packages: TwoVersions) {
    this.root = root;
    this.packages = packages;
  }

  static async start(makeExecutables = packageableExecutables): Promise<Machine> {
    const packages = await buildTwoVersions(makeExecutables);
    const root = await ScratchRoot.start({ systemd: true, shared: packages.shared });
    // Nothing writes a journal there, and a short pause before a restart saves time.
    const dropIn =
      "[Service]\nStandardOutput=append:/run/printed\nStandardError=append:/run/printed\nRestartSec=100ms\n";
    for (const unit of [SERVER, "eventstore-backup.service", "eventstore-keys.service"]) {
      await root.runWell("mkdir", "-p", `/etc/systemd/system/${unit}.d`);
      await Deno.writeTextFile(root.path(`/etc/systemd/system/${unit}.d/test.conf`), dropIn);
    }
    return new Machine(root, packages);
  }

  get client(): Client {
    return new Client(this.root.socket(SOCKET));
  }

  async install(deb: string): Promise<void> {
    await this.root.runWell("dpkg", "--install", deb);
  }

  /** A property of the server's unit. */
  async property(name: string): Promise<string> {
    return await this.root.runWell("systemctl", "show", "--property", name, "--value", SERVER);
  }

  async state(unit: string): Promise<string> {
    return (await this.root.run("systemctl", "is-active", unit)).printed.trim();
  }

  printed(): string {
    return Deno.readTextFileSync(this.root.path("/run/printed"));
  }

  async answers(): Promise<void> {
    await eventually(async () => assert.equal((await this.client.request("GET", "/health")).status, 200), 10)
      .catch((error: Error) => assert.fail(`${error.message}\n${this.printed()}`));
  }

  async write(payload: string): Promise<void> {
    const reply = await this.client.write({ events: [{ type: "t", identifiers: { n: "1" }, payload }] });
    assert.equal(reply.status, 200, reply.text);
  }

  async payloads(): Promise<string[]> {
    const reply = await this.client.request("QUERY", "/events", { json: { query: "*" } });
    const lines = reply.text.trim().split("\n").slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { payload: string }).payload);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.root[Symbol.asyncDispose]();
    await this.packages[Symbol.asyncDispose]();
  }
}
