import type { ServerSettings } from "../../../config/load.ts";
import { ApiError, type ErrorCode, LimitReached } from "../../../model/errors.ts";
import { parseJson } from "../../../wire/json.ts";
import { hostObject } from "../../../workers/host_object.ts";
import { lowerThreadPriority } from "../../../workers/low_priority.ts";

/**
 * The decoders of an edition, by the name of the body: each turns the JSON value into the input of the handler. For
 * large bodies they run in a worker, so they may not depend on anything else.
 */
export type Decoders = Readonly<Record<string, (body: unknown, limits: ServerSettings) => unknown>>;

/** A body to decode, and the name of its decoder. Its bytes are moved to the worker. */
export interface DecodeRequest {
  readonly name: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The decoded value, or the error that the client gets. */
export type Decoded =
  | { readonly value: unknown }
  | { readonly rejected: ErrorCode; readonly detail: string | undefined; readonly isLimit: boolean };

export class HostedDecoders {
  readonly #decoders: Decoders;
  readonly #limits: ServerSettings;

  constructor(decoders: Decoders, limits: ServerSettings) {
    this.#decoders = decoders;
    this.#limits = limits;
  }

  decode({ name, body }: DecodeRequest): Decoded {
    try {
      return { value: this.#decoders[name]!(parseJson(body), this.#limits) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { rejected: error.code, detail: error.detail, isLimit: error instanceof LimitReached };
    }
  }

  close(): void {}
}

export interface HostedDecodersClass {
  open(limits: ServerSettings): HostedDecoders;
}

export function hostDecoders(decoders: Decoders): void {
  const home: HostedDecodersClass = { open: (limits) => new HostedDecoders(decoders, limits) };
  lowerThreadPriority();
  hostObject(home);
}
