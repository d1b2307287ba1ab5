package eventstore.axon;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** The store that an engine has read from or written to last, and the highest event that it knows of. */
final class LastSeen {

  private record Seen(String storeId, long sequence) {
  }

  private final AtomicReference<Seen> seen = new AtomicReference<>(new Seen(null, 0));

  /** A page or a write has shown this event, or the end of the store. */
  void update(String storeId, long sequence) {
    seen.updateAndGet(last -> storeId.equals(last.storeId)
        ? new Seen(storeId, Math.max(sequence, last.sequence))
        : new Seen(storeId, sequence));
  }

  /** A conflict names an event of the same store. A replica that lags may not have it yet. */
  void conflictAt(long sequence) {
    seen.updateAndGet(last -> new Seen(last.storeId, Math.max(sequence, last.sequence)));
  }

  /** The highest sequence; 0 if none is known. */
  long sequence() {
    return seen.get().sequence;
  }

  /** The ID of the store. Asks the server if there was no contact yet. */
  CompletableFuture<String> storeId(EventStoreConnection connection) {
    String storeId = seen.get().storeId;
    return storeId != null
        ? CompletableFuture.completedFuture(storeId)
        : head(connection).thenApply(StoreTrackingToken::getStoreId);
  }

  /** The end of the store. */
  CompletableFuture<StoreTrackingToken> head(EventStoreConnection connection) {
    byte[] lastEvent = Json.body(json -> {
      json.writeStartObject();
      json.writeStringField("query", "*");
      json.writeBooleanField("backwards", true);
      json.writeNumberField("limit", 1);
      json.writeNumberField("headAtLeast", sequence());
      json.writeEndObject();
    });
    return connection.read(StoreRequest.query(lastEvent, Duration.ZERO)).thenApply(answer -> {
      update(answer.storeId(), answer.head());
      return new StoreTrackingToken(answer.storeId(), answer.head());
    });
  }
}
