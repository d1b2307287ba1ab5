import type { TokenSetting } from "../config/tokens.ts";
import type { Access } from "../model/access.ts";
import { sha256 } from "../model/sha256.ts";
import { metricText } from "../metrics/exposition.ts";

/** How often the requests of a token's name were accepted, and rejected for lack of a right. */
interface TokenCounts {
  requests: number;
  forbidden: number;
}

interface Entry {
  readonly setting: TokenSetting;
  /** The digest as words of 32 bits. */
  readonly digest: Int32Array;
  readonly access: Access;
  readonly counts: TokenCounts;
  readonly end: AbortController;
}

const SCHEME = "Bearer ";
const NONE: readonly Entry[] = [];

/** The longest time of a timer. */
const TIMER_MILLISECONDS_MAX = 2 ** 31 - 1;

/**
 * Tokens knows the valid tokens of a server, and can be given others while it runs. Digests are compared instead of
 * tokens, so the time that a comparison takes says nothing about a token.
 */
export class Tokens {
  #entries: readonly Entry[] = [];
  /** Entries by the first word of their digests. So a request costs the same with a thousand tokens. */
  #byWord = new Map<number, readonly Entry[]>();
  readonly #counts = new Map<string, TokenCounts>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: readonly TokenSetting[]) {
    this.replace(settings);
  }

  /** @returns the access of the token in an `Authorization` header; undefined when there is no valid token in it */
  accept(authorization: string | undefined): Access | undefined {
    if (authorization?.startsWith(SCHEME) !== true) return undefined;
    const digest = sha256(authorization.slice(SCHEME.length).toWellFormed());
    for (const entry of this.#byWord.get(digest[0]!) ?? NONE) {
      let difference = 0;
      for (let i = 0; i < 8; i++) difference |= entry.digest[i]! ^ digest[i]!;
      if (difference !== 0) continue;
      const { access, counts } = entry;
      if (access.expires !== undefined && access.expires <= Date.now()) return undefined;
      counts.requests++;
      return access;
    }
    return undefined;
  }

  /** Takes other tokens. Whatever waits or is open by a token that is not among them ends at once. */
  replace(settings: readonly TokenSetting[]): void {
    const before = new Map(this.#entries.map((entry) => [JSON.stringify(entry.setting), entry]));
    const kept = new Set<Entry>();
    this.#entries = settings.map((setting) => {
      const known = before.get(JSON.stringify(setting));
      if (known === undefined) return this.#entryOf(setting);
      kept.add(known);
      return known;
    });
    this.#byWord = Map.groupBy(this.#entries, ({ digest }) => digest[0]!);
    for (const entry of before.values()) if (!kept.has(entry)) entry.end.abort();
    this.#endExpired();
  }

  /** The metrics of the tokens that have a name. */
  text(): string {
    const counted = [...this.#counts];
    if (counted.length === 0) return "";
    const expiring = this.#entries.flatMap(({ access: { name, expires } }) =>
      expires === undefined ? [] : [[name, expires] as const]
    );
    // With two tokens of one name, the one that is valid longer counts.
    const last = new Map(expiring.toSorted((a, b) => a[1] - b[1]));
    return [
      metricText(
        "service_token_requests_total",
        "counter",
        "Requests with a valid token, by its name.",
        counted.map(([name, { requests: value }]) => ({ labels: `token="${name}"`, value })),
      ),
      metricText(
        "service_token_forbidden_total",
        "counter",
        "Requests that their token does not allow, by its name.",
        counted.map(([name, { forbidden: value }]) => ({ labels: `token="${name}"`, value })),
      ),
      metricText(
        "service_token_expiry_timestamp_seconds",
        "gauge",
        "When a token expires, in seconds since 1970.",
        [...last].map(([name, expires]) => ({ labels: `token="${name}"`, value: expires / 1000 })),
      ),
    ].join("");
  }

  #entryOf(setting: TokenSetting): Entry {
    const { name, may, within, expires } = setting;
    const counts = this.#counts.get(name ?? "") ?? { requests: 0, forbidden: 0 };
    if (name !== undefined) this.#counts.set(name, counts);
    const end = new AbortController();
    const onForbidden = (): void => void counts.forbidden++;
    const access = { name, rights: new Set(may), within, expires, gone: end.signal, onForbidden };
    return { setting, digest: wordsOf(setting.sha256), access, counts, end };
  }

  /** Ends what is open by expired tokens, now and when the next one expires. */
  #endExpired(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    let next = Infinity;
    for (const { access: { expires = Infinity }, end } of this.#entries) {
      if (expires <= now) end.abort();
      else next = Math.min(next, expires);
    }
    if (next === Infinity) return;
    this.#timer = setTimeout(() => this.#endExpired(), Math.min(next - now, TIMER_MILLISECONDS_MAX));
    Deno.unrefTimer(this.#timer);
  }
}

function wordsOf(hex: string): Int32Array {
  return Int32Array.from({ length: 8 }, (_, i) => parseInt(hex.slice(8 * i, 8 * i + 8), 16));
}
