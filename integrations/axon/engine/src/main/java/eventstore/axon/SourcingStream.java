package eventstore.axon;

import java.time.Duration;
import java.util.Deque;
import java.util.function.Consumer;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.messaging.core.Context;
import org.axonframework.messaging.core.SimpleEntry;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.TerminalEventMessage;

/** All events that match now, and then the marker: the end of the store at which that was true. */
final class SourcingStream extends PageStream {

  private final String query;
  private final int limit;
  private final long headAtLeast;
  private final Duration retryTime;
  private final Consumer<Page> whenRead;
  private long position;
  private String storeId;
  private long retriesEndAt;

  /**
   * @param query       in JSON
   * @param position    begin after this sequence
   * @param headAtLeast an event that the engine knows of; a replica that lags does not answer
   * @param whenRead    called with each page
   */
  SourcingStream(
      EventStoreConnection connection, String query, long position, long headAtLeast,
      Consumer<Page> whenRead) {
    super(connection);
    this.query = query;
    this.position = position;
    this.headAtLeast = headAtLeast;
    this.whenRead = whenRead;
    this.limit = connection.settings().eventsPerPage();
    this.retryTime = connection.settings().retryTime();
  }

  @Override
  StoreRequest nextRequest() {
    return StoreRequest.query(Json.body(json -> {
      json.writeStartObject();
      json.writeFieldName("query");
      json.writeRawValue(query);
      json.writeNumberField("afterSequence", position);
      json.writeNumberField("limit", limit);
      json.writeNumberField("headAtLeast", headAtLeast);
      json.writeEndObject();
    }), Duration.ZERO);
  }

  @Override
  boolean accept(Page page, Deque<Entry<EventMessage>> entries) {
    if (storeId != null && !page.storeId().equals(storeId)) {
      throw new StoreResetException(
          "the store was reset or restored while events were read; read them again");
    }
    storeId = page.storeId();
    whenRead.accept(page);
    page.events().forEach(event -> entries.add(EventReader.entryOf(event, storeId)));
    position = page.endAfter(position);
    if (page.hasMore()) {
      return false;
    }
    Context marked = ConsistencyMarker.addToContext(Context.empty(), new StoreMarker(storeId, page.head()));
    entries.add(new SimpleEntry<>(TerminalEventMessage.INSTANCE, marked));
    return true;
  }

  @Override
  boolean repeats(Throwable failure, int failures) {
    if (failures == 1) {
      retriesEndAt = System.nanoTime() + retryTime.toNanos();
    }
    return System.nanoTime() - retriesEndAt < 0;
  }
}
