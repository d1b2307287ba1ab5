import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../../support/run_command.ts";
import { cacheDirectory, debianProgram } from "../../support/debian_program.ts";
import { ServerStarter } from "../server_starter.ts";
import type { Outcome, Suite } from "../suite.ts";
import { outcomeOf, outcomeOfCargo } from "../summaries.ts";

/* The suite of happenstance, a library for Rust: rules one by one, contenders on threads, random sequences. */

const CRATE = fileURLToPath(new URL("../happenstance", import.meta.url));

/** The suite declares a newer Rust than its code needs. Older ones lack parts of the language. */
const RUST_MIN = { major: 1, minor: 95 };

/** The least that the suite expects of every store. The adapter states two of them as ceilings: conformance.rs. */
const SETTINGS = {
  SERVICE_MAX_TAGS_PER_EVENT: "64",
  SERVICE_MAX_EVENTS_PER_WRITE: "128",
  // 64 KiB of data in Base64, with its tags.
  SERVICE_MAX_EVENT_SIZE: "98304",
};

const manifest = Deno.readTextFileSync(join(CRATE, "Cargo.toml"));

export const HAPPENSTANCE: Suite = {
  word: "happenstance",
  name: "happenstance-testkit",
  version: /^happenstance-testkit = \{ version = "=([^"]+)"/m.exec(manifest)![1]!,
  random: false,
  run,
};

async function run(): Promise<Outcome> {
  const { path, environment } = await debianProgram("cargo");
  const env = {
    ...environment,
    // The compiler is next to it.
    PATH: `${dirname(path)}:${Deno.env.get("PATH")}`,
    CARGO_TARGET_DIR: join(cacheDirectory(), "happenstance"),
  };
  await checkRust(path, env);
  await using starter = new ServerStarter(SETTINGS);
  const cargo = [path, "test", "--quiet", "--ignore-rust-version", "--test", "conformance"];
  const ended = await runCommand([...cargo, "--", "--show-output", "--format", "pretty"], {
    cwd: CRATE,
    env: { ...env, EVENTSTORE_SERVERS: starter.url },
  });
  return outcomeOf(outcomeOfCargo, ended);
}

async function checkRust(cargo: string, env: Readonly<Record<string, string>>): Promise<void> {
  const { stdout } = await runCommand([cargo, "--version"], { env });
  const [, major, minor] = /^cargo (\d+)\.(\d+)\./.exec(stdout) ?? [];
  if (Number(major) === RUST_MIN.major && Number(minor) >= RUST_MIN.minor) return;
  throw new Error(
    `it needs Rust ${RUST_MIN.major}.${RUST_MIN.minor} or later, and ${cargo} is ${stdout.trim()}: install a ` +
      "newer one, or remove it, and Debian's packages cargo-web and rustc-web are used",
  );
}
