/** One name and value of an event. A name may occur several times, each time with another value. */
export interface Tag {
  readonly name: string;
  readonly value: string;
}
