import type { EventStoreOptions } from "../../client/mod.ts";
import { checkVariable } from "../config/check.ts";
import type { Setting } from "../config/setting.ts";
import { settings } from "../config/settings.ts";
import { readCertificates } from "../files/certificates.ts";
import { NoServer, Wrong } from "./ends.ts";

/** The address of the server. */
export interface ServerAddress {
  /** For messages. */
  readonly name: string;
  readonly options: Pick<EventStoreOptions, "url" | "socketPath" | "token" | "fetchOptions">;
}

/** The flags that give the address, as the user gave them. */
export interface AddressFlags {
  readonly url: string | undefined;
  readonly socket: string | undefined;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

/** A given value, and the flag or variable that gave it. */
interface Given {
  readonly by: string;
  readonly value: string;
}

/** The longest token file: a longer token does not fit into a request. */
const TOKEN_FILE_BYTES_MAX = 16_384;

/**
 * Returns the server that flags name, or else variables, or else the one at the default socket.
 * @param warn called with a message about an option that is allowed but dangerous
 * @throws Wrong when more than one is named, or when the token cannot be read
 * @throws NoServer when none is named, and none is at the default socket
 */
export function addressOf(
  flags: AddressFlags,
  variable: (name: string) => string | undefined,
  warn: (line: string) => void,
): ServerAddress {
  const token = tokenOf(flags.tokenFile, variable, warn);
  const common = token === undefined ? {} : { token };
  const [url, socket] = oneOf(
    [given("--url", flags.url), given("--socket", flags.socket)],
    [fromVariable("EVENTSTORE_URL", variable), fromVariable("EVENTSTORE_SOCKET", variable)],
  );
  const caFile = given("--ca-file", flags.caFile) ?? fromVariable("EVENTSTORE_CA_FILE", variable);
  if (url !== undefined) {
    const options = { url: checked(settings.backup.sourceUrl, url), ...common };
    return { name: url.value, options: { ...options, ...trusting(caFile) } };
  }
  if (caFile !== undefined) throw new Wrong(`${caFile.by} is for an https:// server, and there is no URL`);
  const socketPath = socket === undefined ? defaultSocket() : checked(settings.backup.sourceSocket, socket);
  return { name: socketPath, options: { socketPath, ...common } };
}

function given(by: string, value: string | undefined): Given | undefined {
  return value === undefined ? undefined : { by, value };
}

function fromVariable(name: string, variable: (name: string) => string | undefined): Given | undefined {
  return given(name, variable(name));
}

type Pair = readonly [Given | undefined, Given | undefined];

/** Returns the first pair with a given value. @throws Wrong when both values of a pair are given */
function oneOf(...pairs: readonly Pair[]): Pair {
  for (const [one, other] of pairs) {
    if (one && other) throw new Wrong(`${one.by} and ${other.by} are both given; only one may be`);
    if (one ?? other) return [one, other];
  }
  return [undefined, undefined];
}

function checked(setting: Setting, { by, value }: Given): string {
  const result = checkVariable(setting, value);
  if ("fault" in result) throw new Wrong(`${by}: ${result.fault}`);
  return value;
}

function defaultSocket(): string {
  const path = settings.server.socketPath.default;
  try {
    if (Deno.statSync(path).isSocket) return path;
  } catch {
    // The file may be hidden from this user, or missing.
  }
  throw new NoServer(
    `which server? None is to be seen at ${path}: give --url or --socket, or set EVENTSTORE_URL or EVENTSTORE_SOCKET`,
  );
}

function tokenOf(
  flag: string | undefined,
  variable: (name: string) => string | undefined,
  warn: (line: string) => void,
): string | undefined {
  const [file, token] = oneOf(
    [given("--token-file", flag), undefined],
    [fromVariable("EVENTSTORE_TOKEN_FILE", variable), fromVariable("EVENTSTORE_TOKEN", variable)],
  );
  if (token !== undefined) return checked(settings.backup.sourceToken, token);
  if (file === undefined) return undefined;
  const value = readTokenFile(file, warn).replace(/\r?\n$/, "");
  return checked(settings.backup.sourceToken, { by: `${file.by}: ${file.value}`, value });
}

/** Options of `fetch` for a server whose certificate is from an authority in this file. */
function trusting(caFile: Given | undefined): Pick<EventStoreOptions, "fetchOptions"> {
  if (caFile === undefined) return {};
  try {
    const caCerts = [readCertificates(caFile.value)];
    return { fetchOptions: { client: Deno.createHttpClient({ caCerts }) } };
  } catch (error) {
    throw new Wrong(`${caFile.by}: ${(error as Error).message}`);
  }
}

function readTokenFile({ by, value: path }: Given, warn: (line: string) => void): string {
  const bytes = new Uint8Array(TOKEN_FILE_BYTES_MAX);
  let length = 0;
  try {
    using file = Deno.openSync(path);
    const { isFile, mode } = file.statSync();
    if (isFile && ((mode ?? 0) & 0o044) !== 0) {
      warn(`warning: ${path}: contains a token, but its group or others may read it (chmod 600 ${path})`);
    }
    while (length < bytes.length) {
      const read = file.readSync(bytes.subarray(length));
      if (read === null) break;
      length += read;
    }
    if (length === bytes.length) throw new Error("it is too long for a token");
  } catch (error) {
    throw new Wrong(`${by}: ${path}: cannot be read: ${(error as Error).message}`);
  }
  return new TextDecoder().decode(bytes.subarray(0, length));
}
