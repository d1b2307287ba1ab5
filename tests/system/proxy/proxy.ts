import { join } from "node:path";
import type { Address } from "../../support/connection.ts";
import { freePort } from "../../support/free_port.ts";
import { DebianProcess, type ProcessOptions } from "../support/debian_process.ts";
import type { DebianProgram } from "../support/debian_program.ts";
import { pageBlock, replacePart } from "../../support/page_block.ts";
import { runCommand } from "../../support/run_command.ts";

const PAGE = "reverse_proxy.md";

/** A proxy in front of a server, configured as the page says. */
export interface Proxy extends AsyncDisposable {
  /** A listener without TLS, in addition to the one of the page, for clients that send exact bytes. */
  readonly address: Address;
  /** The listener of the page. */
  readonly httpsUrl: string;
  /** The certificate that its clients have to trust, in PEM. */
  readonly certificate: string;
  /** The listener for Prometheus. */
  readonly metricsAddress: Address;
}

export const proxyNames = ["nginx", "caddy"] as const;
export type ProxyName = typeof proxyNames[number];

/** The programs that a test of a proxy needs on the machine. */
export type ProxyPrograms = Readonly<Record<ProxyName | "openssl", DebianProgram>>;

interface Place {
  readonly directory: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly metricsPort: number;
  readonly certificatePath: string;
  readonly keyPath: string;
}

/**
 * Starts the proxy with the configuration of the page. Only addresses and certificates are replaced.
 * @param change makes another configuration from that one
 */
export async function startProxy(
  name: ProxyName,
  programs: ProxyPrograms,
  upstream: Address,
  change: Change = (config) => config,
): Promise<Proxy> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_proxy_" });
  const [httpPort, httpsPort, metricsPort] = [freePort(), freePort(), freePort()];
  const certificatePath = join(directory, "certificate.pem");
  const keyPath = join(directory, "key.pem");
  const place: Place = { directory, httpPort, httpsPort, metricsPort, certificatePath, keyPath };
  await makeCertificate(programs.openssl, place);
  const options = name === "nginx"
    ? prepareNginx(place, upstream, change)
    : prepareCaddy(place, upstream, change);
  const process = await DebianProcess.start(programs[name], {
    ...options,
    directory,
    ports: [httpPort, httpsPort, metricsPort],
  });
  return {
    address: tcp(httpPort),
    httpsUrl: `https://localhost:${httpsPort}`,
    certificate: await Deno.readTextFile(certificatePath),
    metricsAddress: tcp(metricsPort),
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

type Prepared = Pick<ProcessOptions, "args" | "env">;

type Change = (config: string) => string;

function prepareNginx(place: Place, upstream: Address, change: Change): Prepared {
  const { directory, httpPort, httpsPort, metricsPort } = place;
  const server = upstream.transport === "unix"
    ? `unix:${upstream.path}`
    : `${upstream.hostname}:${upstream.port}`;
  let site = pageBlock(PAGE, "# /etc/nginx/sites-available/eventstore");
  site = replacePart(site, "server unix:/run/service/service.sock;", `server ${server};`);
  site = replacePart(site, "443 ssl;", `127.0.0.1:${httpsPort} ssl;\n    listen 127.0.0.1:${httpPort};`);
  site = replacePart(site, "127.0.0.1:9185", `127.0.0.1:${metricsPort}`);
  site = replacePart(site, "/etc/ssl/certs/events.example.com.pem", place.certificatePath);
  site = replacePart(site, "/etc/ssl/private/events.example.com.key", place.keyPath);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const config = [
    // Workers of another user could not reach the socket of this test.
    Deno.uid() === 0 ? "user root;" : "",
    `daemon off; worker_processes 1; pid ${directory}/nginx.pid; error_log stderr;`,
    "events {}",
    "http { access_log off;",
    ...temporary.map((kind) => `${kind}_temp_path ${directory}/${kind};`),
    site,
    "}",
  ];
  const path = join(directory, "nginx.conf");
  Deno.writeTextFileSync(path, change(config.join("\n")));
  return { args: ["-c", path, "-p", directory, "-e", "stderr"] };
}

function prepareCaddy(place: Place, upstream: Address, change: Change): Prepared {
  const { directory, httpPort, httpsPort, metricsPort } = place;
  const server = upstream.transport === "unix"
    ? `unix/${upstream.path}`
    : `${upstream.hostname}:${upstream.port}`;
  let site = pageBlock(PAGE, "# /etc/caddy/Caddyfile");
  site = site.replaceAll("unix//run/service/service.sock", server);
  site = replacePart(site, "http://:9185 {", `http://:${metricsPort} {`);
  // One site cannot listen both with and without TLS, so the page's site becomes a part of two.
  site = replacePart(site, "events.example.com {", "(site) {");
  const config = [
    "{\n\tadmin off\n\tauto_https disable_redirects\n}",
    site,
    `https://localhost:${httpsPort} {\n\ttls ${place.certificatePath} ${place.keyPath}\n\timport site\n}`,
    `http://:${httpPort} {\n\timport site\n}`,
    "",
  ];
  const path = join(directory, "Caddyfile");
  Deno.writeTextFileSync(path, change(config.join("\n")));
  const home = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  return { args: ["run", "--config", path, "--adapter", "caddyfile"], env: home };
}

async function makeCertificate(openssl: DebianProgram, place: Place): Promise<void> {
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  args.push("-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost");
  args.push("-addext", "basicConstraints=critical,CA:FALSE");
  args.push("-keyout", place.keyPath, "-out", place.certificatePath);
  const { code, stderr } = await runCommand([openssl.path, ...args], { env: openssl.environment });
  if (code !== 0) throw new Error(`openssl ended with ${code}: ${stderr}`);
}

function tcp(port: number): Address {
  return { transport: "tcp", hostname: "127.0.0.1", port };
}
