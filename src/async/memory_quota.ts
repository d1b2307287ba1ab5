/**
 * MemoryQuota is memory that several holders share, in bytes. Its users count only large amounts. Small ones are free,
 * so that they never lack memory because of large ones.
 */
export class MemoryQuota {
  readonly #bytesMax: number;
  #taken = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** True when so many more bytes are left. @param taken the bytes taken by then, if others are about to release some */
  fits(bytes: number, taken = this.#taken): boolean {
    return taken + bytes <= this.#bytesMax;
  }

  take(bytes: number): void {
    this.#taken += bytes;
  }

  release(bytes: number): void {
    this.#taken -= bytes;
  }
}
