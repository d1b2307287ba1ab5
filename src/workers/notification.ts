/**
 * Sent by an object in a worker without a call. It contains the reason why the object cannot continue, the file that is
 * lost, the new store ID, or the reason why a checkpoint failed.
 */
export type Notification =
  | { readonly broken: string }
  | { readonly lost: string }
  | { readonly storeId: string }
  | { readonly checkpointFailed: string };

export type Notify = (notice: Notification) => void;
