import assert from "node:assert/strict";
import { ConfigError } from "../../src/config/config_error.ts";
import {
  type BackupSettings,
  loadBackupSettings,
  type Loaded,
  loadServerSettings,
  type ServerSettings,
} from "../../src/config/load.ts";

export type Variables = Readonly<Record<string, string>>;

/** Calls `run` with the path of a configuration file that contains the text, readable by its owner only. */
export function withConfigFile<T>(text: string | Uint8Array, run: (path: string) => T): T {
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/config.toml`;
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    Deno.writeFileSync(path, bytes, { mode: 0o600 });
    return run(path);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

export function loadServerText(text: string, variables: Variables = {}): Loaded<ServerSettings> {
  return withConfigFile(text, (configPath) => loadServerSettings({ configPath, env: reader(variables) }));
}

export function loadBackupText(text: string, variables: Variables = {}): Loaded<BackupSettings> {
  return withConfigFile(text, (configPath) => loadBackupSettings({ configPath, env: reader(variables) }));
}

/** The problems of a server configuration, with the directory of the file left out. */
export function serverProblemsOf(text: string | Uint8Array, variables: Variables = {}): string[] {
  return withConfigFile(
    text,
    (configPath) => problemsOf(() => loadServerSettings({ configPath, env: reader(variables) }), configPath),
  );
}

export function backupProblemsOf(text: string, variables: Variables = {}): string[] {
  return withConfigFile(
    text,
    (configPath) => problemsOf(() => loadBackupSettings({ configPath, env: reader(variables) }), configPath),
  );
}

function problemsOf(load: () => unknown, configPath: string): string[] {
  try {
    load();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.message, error.problems.join("\n"));
    return error.problems.map((problem) => problem.replaceAll(configPath, "config.toml"));
  }
  assert.fail("the configuration was accepted");
}

export function reader(variables: Variables): (name: string) => string | undefined {
  return (name) => Object.hasOwn(variables, name) ? variables[name] : undefined;
}
