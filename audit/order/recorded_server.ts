import { join } from "node:path";
import { emptyStore as emptyB } from "../../tests/editions/b_tx/client.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import { bearer } from "../../tests/support/tokens.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Random } from "../workload/random.ts";
import type { History } from "./history.ts";
import { recordHistory } from "./record_history.ts";
import { recordTenants, TENANT_TOKENS } from "./tenants.ts";

/** The token that sees everything. */
const ALL = "all";

/** A server that is used by clients of one kind and by two tenants in turn, each time with an empty store. */
export class RecordedServer implements AsyncDisposable {
  readonly #edition: EditionName;
  readonly #server: ServerProcess;
  #rounds = 0;

  private constructor(edition: EditionName, server: ServerProcess) {
    this.#edition = edition;
    this.#server = server;
  }

  static async start(edition: EditionName, parent: string): Promise<RecordedServer> {
    const directory = join(parent, "server");
    Deno.mkdirSync(directory);
    Deno.writeTextFileSync(join(directory, "tokens.toml"), TENANT_TOKENS);
    const server = await startServer({
      directory,
      listen: "unix",
      listenOnly: true,
      headers: bearer(ALL),
      env: {
        SERVICE_EDITION: edition,
        SERVICE_DEV_MODE: "true",
        SERVICE_MAX_QUEUED_WRITES: "1000",
        SERVICE_ENABLE_AUTH: "true",
        SERVICE_AUTH_TOKEN: ALL,
        SERVICE_TOKENS_FILE: "tokens.toml",
      },
    });
    return new RecordedServer(edition, server);
  }

  /** @returns one history, or that of each tenant */
  async record(random: Random): Promise<History[]> {
    const isOfTenants = this.#rounds++ % 2 === 1;
    const histories = isOfTenants
      ? await recordTenants(this.#edition, this.#server, random)
      : [await recordHistory(this.#edition, [this.#server], random)];
    const client = this.#server.client();
    if (this.#edition === "B") await emptyB(client);
    else await client.reset();
    return histories;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
