package eventstore.axon;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.beans.ConstructorProperties;
import java.util.Objects;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;

/**
 * A position in the store with this ID: a stream from it begins with the next event. After a reset or a restore, the
 * store has another ID. A stream from such a token fails with {@link StoreResetException}, instead of leaving out
 * events.
 */
public final class StoreTrackingToken extends GlobalSequenceTrackingToken {

  private final String storeId;

  /** The position after the event with this sequence; 0 is the beginning. */
  @JsonCreator
  @ConstructorProperties({"storeId", "globalIndex"})
  public StoreTrackingToken(
      @JsonProperty("storeId") String storeId, @JsonProperty("globalIndex") long sequence) {
    super(sequence);
    this.storeId = Objects.requireNonNull(storeId, "storeId");
  }

  /** The ID of the store. */
  public String getStoreId() {
    return storeId;
  }

  @Override
  public StoreTrackingToken offsetBy(int offset) {
    return new StoreTrackingToken(storeId, getGlobalIndex() + offset);
  }

  @Override
  public TrackingToken lowerBound(TrackingToken other) {
    requireSameStore(other);
    return super.lowerBound(other);
  }

  @Override
  public TrackingToken upperBound(TrackingToken other) {
    requireSameStore(other);
    return super.upperBound(other);
  }

  @Override
  public boolean covers(TrackingToken other) {
    requireSameStore(other);
    return super.covers(other);
  }

  private void requireSameStore(TrackingToken other) {
    if (other instanceof StoreTrackingToken token && !token.storeId.equals(storeId)) {
      throw new StoreResetException("%s and %s are positions of different stores: the store was reset; %s"
          .formatted(this, other, StoreResetException.ADVICE));
    }
  }

  @Override
  public boolean equals(Object other) {
    return super.equals(other) && ((StoreTrackingToken) other).storeId.equals(storeId);
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), storeId);
  }

  @Override
  public String toString() {
    return "StoreTrackingToken{sequence=%d, storeId=%s}".formatted(getGlobalIndex(), storeId);
  }
}
