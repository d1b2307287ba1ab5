package eventstore.axon;

import java.time.Duration;
import java.util.Deque;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All events that match, and those that will. The server answers when there is one, so that it is here within
 * milliseconds. The stream survives restarts of the server: it reads again from its position, without an end. It fails
 * when that cannot help, such as without a valid token, and when its position is void.
 */
final class FollowingStream extends PageStream {

  private static final Logger LOGGER = LoggerFactory.getLogger(FollowingStream.class);

  private final EventStoreSettings settings;
  private final String query;
  private long position;
  private String storeId;
  /** The first request, and the first after a failure, do not wait: so a void position fails at once. */
  private boolean waits;

  /**
   * @param query    in JSON
   * @param position begin after this sequence
   * @param storeId  the store of the position, or {@code null} if it is not known
   */
  FollowingStream(EventStoreConnection connection, String query, long position, String storeId) {
    super(connection);
    this.settings = connection.settings();
    this.query = query;
    this.position = position;
    this.storeId = storeId;
  }

  @Override
  StoreRequest nextRequest() {
    Duration wait = waits ? settings.waitTime() : Duration.ZERO;
    return StoreRequest.query(Json.body(json -> {
      json.writeStartObject();
      json.writeFieldName("query");
      json.writeRawValue(query);
      json.writeNumberField("afterSequence", position);
      json.writeNumberField("limit", settings.eventsPerPage());
      json.writeNumberField("waitSeconds", wait.toSeconds());
      json.writeEndObject();
    }), wait);
  }

  @Override
  boolean accept(Page page, Deque<Entry<EventMessage>> entries) {
    if (storeId != null && (!page.storeId().equals(storeId) || page.head() < position)) {
      throw new StoreResetException(
          "the stream is at sequence %d of store %s, but store %s ends at %d: it was reset or restored; %s"
              .formatted(position, storeId, page.storeId(), page.head(), StoreResetException.ADVICE));
    }
    // A position that names no store may lie behind the end.
    if (page.head() >= position) {
      storeId = page.storeId();
    }
    page.events().forEach(event -> entries.add(EventReader.entryOf(event, page.storeId())));
    position = page.endAfter(position);
    waits = true;
    return false;
  }

  @Override
  boolean repeats(Throwable failure, int failures) {
    waits = false;
    if (failures == 1) {
      LOGGER.warn("A stream of events is interrupted at sequence {}, and will reconnect: {}",
          position, failure.getMessage());
    }
    return true;
  }

  @Override
  void recovered() {
    LOGGER.info("A stream of events has reconnected at sequence {}", position);
  }
}
