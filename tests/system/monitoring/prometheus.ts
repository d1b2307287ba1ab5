import { join } from "node:path";
import type { Address } from "../../support/connection.ts";
import { freePort } from "../../support/free_port.ts";
import { DebianProcess } from "../support/debian_process.ts";
import type { DebianProgram } from "../support/debian_program.ts";
import { replacePart } from "../../support/page_block.ts";

export const MONITORING = new URL("../../../deploy/monitoring/", import.meta.url);

export const readMonitoring = (name: string): string => Deno.readTextFileSync(new URL(name, MONITORING));

export interface PrometheusOptions {
  /** Addresses `host:port` of event stores. */
  readonly servers: readonly string[];
  /** The address of a node exporter. */
  readonly node: string;
  /** The file with the bearer token. */
  readonly tokenFile: string;
  /** Sixty times faster: the minutes of the alert rules become seconds. */
  readonly isFast?: boolean;
}

/** The address of a server on TCP, as a scrape configuration names it. */
export function hostAndPort({ address }: { readonly address: Address }): string {
  if (address.transport !== "tcp") throw new Error("Prometheus cannot scrape a unix socket");
  return `${address.hostname}:${address.port}`;
}

/** A series that a query found: its labels, and its value in text. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** The times of rules in seconds instead of minutes, and in minutes instead of hours. */
function inSeconds(rules: string): string {
  const shorter = (unit: string): string => unit === "h" ? "m" : "s";
  return rules.replaceAll(/(?<=\bfor: |\[)(\d+)([mh])/g, (_, number, unit) => number + shorter(unit));
}

/** A real Prometheus that runs the repository's example configuration, only faster. */
export class Prometheus implements AsyncDisposable {
  readonly #process: DebianProcess;
  readonly #url: string;

  private constructor(process: DebianProcess, url: string) {
    this.#process = process;
    this.#url = url;
  }

  static async start(
    program: DebianProgram,
    directory: string,
    options: PrometheusOptions,
  ): Promise<Prometheus> {
    const port = freePort();
    const rules = join(directory, "alerts.yml");
    const [text, interval] = options.isFast === true
      ? [inSeconds(readMonitoring("alerts.yml")), "250ms"]
      : [readMonitoring("alerts.yml"), "500ms"];
    await Deno.writeTextFile(rules, text);
    let config = readMonitoring("prometheus.yml").replaceAll("_interval: 15s", `_interval: ${interval}`);
    config = replacePart(config, "/etc/prometheus/eventstore_alerts.yml", rules);
    config = replacePart(config, "/etc/prometheus/eventstore_token", options.tokenFile);
    config = replacePart(config, '["127.0.0.1:8085"]', JSON.stringify(options.servers));
    config = replacePart(config, '["127.0.0.1:9100"]', JSON.stringify([options.node]));
    const path = join(directory, "prometheus.yml");
    await Deno.writeTextFile(path, config);
    const args = [
      `--config.file=${path}`,
      `--storage.tsdb.path=${join(directory, "series")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    return new Prometheus(
      await DebianProcess.start(program, { args, directory, ports: [port] }),
      `http://127.0.0.1:${port}`,
    );
  }

  /** The current result of an expression. */
  async query(expression: string): Promise<Series[]> {
    const { result } = await this.#get(`query?query=${encodeURIComponent(expression)}`) as {
      result: Series[];
    };
    return result;
  }

  /** Every loaded rule by its name, with its health (`ok` once it was evaluated) and its state. */
  async rules(): Promise<Map<string, { readonly health: string; readonly state: string }>> {
    const { groups } = await this.#get("rules") as {
      groups: { rules: { name: string; health: string; state: string }[] }[];
    };
    return new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.name, rule]));
  }

  /** True when an alert has fired for a server, now or before. */
  async hasFired(alert: string, instance: string): Promise<boolean> {
    const firing = `ALERTS{alertname="${alert}",instance="${instance}",alertstate="firing"}`;
    return (await this.query(`count_over_time(${firing}[1h])`)).length > 0;
  }

  /** The error of each target that could not be scraped. */
  async scrapeErrors(): Promise<string[]> {
    const { activeTargets } = await this.#get("targets") as {
      activeTargets: { scrapeUrl: string; lastError: string; health: string }[];
    };
    return activeTargets.filter(({ health }) => health !== "up").map((target) =>
      `${target.scrapeUrl}: ${target.health} ${target.lastError}`
    );
  }

  async #get(path: string): Promise<unknown> {
    const reply = await fetch(`${this.#url}/api/v1/${path}`);
    const body = await reply.json() as { status: string; error?: string; data: unknown };
    if (body.status !== "success") throw new Error(`Prometheus: ${path}: ${body.error}`);
    return body.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]();
  }
}
