/** The store ID and the highest sequence, 0 when there is no event. */
export interface StoreState {
  readonly storeId: string;
  readonly head: number;
}
