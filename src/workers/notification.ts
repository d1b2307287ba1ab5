/**
 * What an object in a worker sends unasked: why it cannot continue, which file is lost, the new store ID, or why a
 * checkpoint failed.
 */
export type Notification =
  | { readonly broken: string }
  | { readonly lost: string }
  | { readonly storeId: string }
  | { readonly checkpointFailed: string };

export type Tell = (notice: Notification) => void;
