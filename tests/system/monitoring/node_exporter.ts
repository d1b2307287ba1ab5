import { freePort } from "../../support/free_port.ts";
import { DebianProcess } from "../support/debian_process.ts";
import type { DebianProgram } from "../support/debian_program.ts";

/** A real node exporter that passes on the `.prom` files of a directory and nothing else. */
export class NodeExporter implements AsyncDisposable {
  readonly #process: DebianProcess;
  readonly address: string;

  private constructor(process: DebianProcess, address: string) {
    this.#process = process;
    this.address = address;
  }

  static async start(program: DebianProgram, directory: string): Promise<NodeExporter> {
    const port = freePort();
    const address = `127.0.0.1:${port}`;
    const args = [
      "--collector.disable-defaults",
      "--collector.textfile",
      `--collector.textfile.directory=${directory}`,
      `--web.listen-address=${address}`,
    ];
    return new NodeExporter(await DebianProcess.start(program, { args, directory, ports: [port] }), address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
