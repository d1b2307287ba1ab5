import { join } from "node:path";
import { inDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free_port.ts";

const START_SECONDS_MAX = 30;

/** The program of a real OpenTelemetry Collector, if the tests are to use one: `deno task test-traces`. */
const COLLECTOR = Deno.env.get("EVENTSTORE_TEST_COLLECTOR");

/**
 * Gives the work a URL that takes spans by OTLP. They go to the receiver, and through the Collector if there is one.
 * @param receiver the URL of the test's own receiver, which takes OTLP as JSON
 */
export async function withCollector(receiver: string, work: (url: string) => Promise<void>): Promise<void> {
  if (COLLECTOR === undefined) return await work(receiver);
  await inDirectory(async (directory) => {
    const port = freePort();
    const config = join(directory, "collector.yaml");
    await Deno.writeTextFile(config, configText(port, receiver));
    const args = ["--config", config];
    await using collector = new Deno.Command(COLLECTOR, { args, stdin: "null", stdout: "null" }).spawn();
    const ended = collector.status.then(({ code }) => {
      throw new Error(`the Collector ended before it was ready, with exit code ${code}`);
    });
    const ready = eventually(async () => (await Deno.connect({ port })).close(), START_SECONDS_MAX);
    await Promise.race([ready, ended]);
    await work(`http://127.0.0.1:${port}`);
  });
}

/** Without a queue, the Collector answers when the receiver has the spans. */
const configText = (port: number, receiver: string): string => `
receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:${port}
exporters:
  otlphttp:
    endpoint: ${receiver}
    encoding: json
    compression: none
    sending_queue:
      enabled: false
    retry_on_failure:
      enabled: false
service:
  telemetry:
    logs:
      level: error
    metrics:
      level: none
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [otlphttp]
`;
