package eventstore.axon;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.axonframework.eventsourcing.eventstore.EventStoreException;
import org.axonframework.messaging.core.Context;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.core.MessageType;
import org.axonframework.messaging.core.SimpleEntry;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.GenericEventMessage;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventstreaming.Tag;

/** Turns stored events into messages. Their payloads are bytes; the framework converts them for each handler. */
final class EventReader {

  private EventReader() {
  }

  /**
   * The message with its tracking token and its tags. An event of another program gets an identifier from its
   * sequence, the time of its write and the default version. The payload of a forgotten event is {@code null}.
   */
  static Entry<EventMessage> entryOf(JsonNode event, String storeId) {
    long sequence = event.path("sequence").asLong();
    try {
      TrackingToken token = new StoreTrackingToken(storeId, sequence);
      Context context = Tag.addToContext(TrackingToken.addToContext(Context.empty(), token), tagsOf(event));
      return new SimpleEntry<>(messageOf(event, storeId), context);
    } catch (IllegalArgumentException | DateTimeParseException e) {
      String type = event.path("type").asText();
      throw new EventStoreException(
          "the event with sequence %d (%s): %s".formatted(sequence, type, e.getMessage()), e);
    }
  }

  private static EventMessage messageOf(JsonNode event, String storeId) {
    Map<String, String> metadata = new HashMap<>();
    event.path("metadata").properties().forEach(entry -> {
      JsonNode value = entry.getValue();
      // Several values of one name are written by other programs only.
      metadata.put(entry.getKey(), value.isTextual() ? value.textValue() : value.toString());
    });
    String id = metadata.remove(EventWriter.ID);
    String time = metadata.remove(EventWriter.TIME);
    String version = metadata.remove(EventWriter.VERSION);
    String encoding = metadata.remove(EventWriter.ENCODING);
    String payload = event.path("payload").asText();
    return new GenericEventMessage(
        id != null ? id : "%s/%d".formatted(storeId, event.path("sequence").asLong()),
        new MessageType(event.path("type").asText(), version != null ? version : MessageType.DEFAULT_VERSION),
        event.has("forgotten") ? null : Payloads.bytes(payload, encoding),
        metadata,
        Instant.parse(time != null ? time : event.path("time").asText()));
  }

  private static Set<Tag> tagsOf(JsonNode event) {
    Set<Tag> tags = new HashSet<>();
    event.path("identifiers").properties().forEach(entry -> {
      if (entry.getValue().isTextual()) {
        tags.add(new Tag(entry.getKey(), entry.getValue().textValue()));
      } else {
        entry.getValue().forEach(value -> tags.add(new Tag(entry.getKey(), value.textValue())));
      }
    });
    return tags;
  }
}
