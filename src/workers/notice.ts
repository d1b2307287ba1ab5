/** What an object in a worker sends unasked: why it cannot continue, which file is lost, or the new store ID. */
export type Notice = { readonly broken: string } | { readonly lost: string } | { readonly storeId: string };

export type Tell = (notice: Notice) => void;
