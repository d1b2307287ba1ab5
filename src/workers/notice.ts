/** What an object in a worker sends unasked: why it cannot continue, or the new store ID. */
export type Notice = { readonly broken: string } | { readonly storeId: string };

export type Tell = (notice: Notice) => void;
