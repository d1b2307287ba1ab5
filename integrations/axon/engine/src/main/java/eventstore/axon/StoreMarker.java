package eventstore.axon;

import java.util.Objects;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.GlobalIndexConsistencyMarker;

/**
 * The position up to which events were sourced. Its sequence has a meaning only in the store with this ID, so that an
 * append after a reset or a restore is rejected.
 */
final class StoreMarker extends GlobalIndexConsistencyMarker {

  /** No store has this ID: an append with this marker is always rejected. */
  private static final StoreMarker OF_NO_STORE = new StoreMarker("none", 0);

  private final String storeId;

  StoreMarker(String storeId, long sequence) {
    super(sequence);
    this.storeId = storeId;
  }

  String storeId() {
    return storeId;
  }

  @Override
  protected ConsistencyMarker doLowerBound(GlobalIndexConsistencyMarker other) {
    return isOfAnotherStore(other) ? OF_NO_STORE : super.doLowerBound(other);
  }

  @Override
  protected ConsistencyMarker doUpperBound(GlobalIndexConsistencyMarker other) {
    return isOfAnotherStore(other) ? OF_NO_STORE : super.doUpperBound(other);
  }

  private boolean isOfAnotherStore(GlobalIndexConsistencyMarker other) {
    return other instanceof StoreMarker marker && !marker.storeId.equals(storeId);
  }

  @Override
  public boolean equals(Object other) {
    return super.equals(other) && ((StoreMarker) other).storeId.equals(storeId);
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), storeId);
  }

  @Override
  public String toString() {
    return "StoreMarker{sequence=%d, storeId=%s}".formatted(position(this), storeId);
  }
}
