import type { ServerSettings } from "../../../config/load.ts";
import { ApiError, type ErrorCode, LimitReached } from "../../../model/errors.ts";
import { parseJson } from "../../../wire/json.ts";
import { hostObject } from "../../../workers/host_object.ts";
import { lowerThreadPriority } from "../../../workers/low_priority.ts";
import type { Decoders } from "./decoders.ts";

/** A body to decode, and the name of its decoder. Its bytes are moved to the worker. */
export interface DecodeRequest {
  readonly name: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The decoded value, or the error that the client gets. */
export type Decoded =
  | { readonly value: unknown }
  | { readonly rejected: ErrorCode; readonly detail: string | undefined; readonly isLimit: boolean };

/** The decoders of an edition, in a worker. */
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

/** Opens the decoders in the worker. */
export interface HostedDecodersClass {
  open(limits: ServerSettings): HostedDecoders;
}

/** Makes this worker host the decoders. */
export function hostDecoders(decoders: Decoders): void {
  const home: HostedDecodersClass = { open: (limits) => new HostedDecoders(decoders, limits) };
  lowerThreadPriority();
  hostObject(home);
}
