import { hostObject } from "../../src/workers/host_object.ts";

/** An object whose answers can and cannot be sent. */
export class Odd {
  static open(): Odd {
    return new Odd();
  }

  echo(value: unknown): unknown {
    return value;
  }

  unsendable(): unknown {
    return () => {};
  }

  /** Lines whose buffer was sent before, so that it cannot be sent again. */
  sentBefore(): { readonly lines: Uint8Array } {
    const lines = new Uint8Array(1);
    lines.buffer.transfer();
    return { lines };
  }

  close(): void {}
}

hostObject(Odd);
