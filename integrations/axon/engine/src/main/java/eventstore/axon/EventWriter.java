package eventstore.axon;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import org.axonframework.eventsourcing.eventstore.EventStoreException;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventstreaming.Tag;

/** Writes messages as events of the store: tags become identifiers, and all but the payload becomes metadata. */
final class EventWriter {

  /** The metadata with the identifier of the message. */
  static final String ID = "axon-id";
  /** The metadata with the timestamp of the message, in ISO 8601. */
  static final String TIME = "axon-time";
  /** The metadata with the version of the message type. */
  static final String VERSION = "axon-version";
  /** The metadata that says how a payload that is no JSON was encoded. */
  static final String ENCODING = "axon-payload";
  /** The names that metadata of messages cannot have. */
  static final Set<String> RESERVED = Set.of(ID, TIME, VERSION, ENCODING);

  private final EventConverter converter;

  EventWriter(EventConverter converter) {
    this.converter = converter;
  }

  /**
   * The JSON array of these events.
   *
   * @throws EventStoreException if an event cannot be written; the message begins with its index
   */
  String json(List<TaggedEventMessage<?>> events) {
    StringJoiner array = new StringJoiner(",", "[", "]");
    for (int i = 0; i < events.size(); i++) {
      TaggedEventMessage<?> event = events.get(i);
      try {
        array.add(Json.text(json -> write(json, event)));
      } catch (IllegalArgumentException e) {
        throw new EventStoreException(
            "events[%d] (%s): %s".formatted(i, event.event().type(), e.getMessage()), e);
      }
    }
    return array.toString();
  }

  private void write(JsonGenerator json, TaggedEventMessage<?> tagged) throws IOException {
    EventMessage event = tagged.event();
    Payloads.Stored payload = Payloads.stored(converter.convertPayload(event, byte[].class));
    json.writeStartObject();
    json.writeStringField("type", event.type().name());
    json.writeObjectFieldStart("identifiers");
    for (Map.Entry<String, Set<String>> named : byName(tagged.tags()).entrySet()) {
      json.writeArrayFieldStart(named.getKey());
      for (String value : named.getValue()) {
        json.writeString(value);
      }
      json.writeEndArray();
    }
    json.writeEndObject();
    json.writeObjectFieldStart("metadata");
    writeMetadata(json, event.metadata());
    json.writeStringField(ID, event.identifier());
    json.writeStringField(TIME, event.timestamp().toString());
    json.writeStringField(VERSION, event.type().version());
    if (payload.encoding() != null) {
      json.writeStringField(ENCODING, payload.encoding());
    }
    json.writeEndObject();
    json.writeStringField("payload", payload.json());
    json.writeEndObject();
  }

  private static void writeMetadata(JsonGenerator json, Map<String, String> metadata) throws IOException {
    for (Map.Entry<String, String> entry : metadata.entrySet()) {
      if (RESERVED.contains(entry.getKey())) {
        throw new IllegalArgumentException("metadata cannot be named '%s'".formatted(entry.getKey()));
      }
      if (entry.getValue() == null) {
        throw new IllegalArgumentException("metadata '%s' is null".formatted(entry.getKey()));
      }
      json.writeStringField(entry.getKey(), entry.getValue());
    }
  }

  private static SortedMap<String, Set<String>> byName(Set<Tag> tags) {
    SortedMap<String, Set<String>> values = new TreeMap<>();
    for (Tag tag : tags) {
      values.computeIfAbsent(tag.key(), name -> new TreeSet<>()).add(tag.value());
    }
    return values;
  }
}
