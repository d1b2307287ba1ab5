import { fileURLToPath } from "node:url";
import deno from "../../../deno.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A process of the shop, until it is killed. */
export class ShopProcess implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;

  constructor(args: readonly string[]) {
    this.#child = new Deno.Command(Deno.execPath(), {
      args: [...args],
      cwd: ROOT,
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
  }

  async kill(): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has been killed.
    }
    await this.#child.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

const flags = deno.tasks["example:shop"].command.split(" ").slice(1, -1);

/** Starts the shop as its task does. */
export function startShop(...args: readonly string[]): ShopProcess {
  return new ShopProcess([...flags, "examples/shop/main.ts", ...args]);
}

/** Starts the mail server alone. */
export function startMailServer(port: number, file: string): ShopProcess {
  return new ShopProcess([...flags, "examples/shop/mail_server.ts", String(port), file]);
}
