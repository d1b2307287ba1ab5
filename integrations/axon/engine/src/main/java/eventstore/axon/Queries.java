package eventstore.axon;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Set;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.EventCriterion;
import org.axonframework.messaging.eventstreaming.Tag;

/** Criteria as queries of the store. */
final class Queries {

  /** Only criteria that match every event match an event of this type without tags. */
  private static final QualifiedName NO_TYPE = new QualifiedName("eventstore.axon.no_event_has_this_type");

  private Queries() {
  }

  /** The query that matches the same events: one item for each criterion. */
  static String json(EventCriteria criteria) {
    return Json.text(json -> write(json, criteria));
  }

  /** The query for the event with this identifier. */
  static void writeForId(JsonGenerator json, String... identifiers) throws IOException {
    json.writeStartArray();
    for (String identifier : identifiers) {
      json.writeStartObject();
      json.writeArrayFieldStart("metadata");
      writeTag(json, EventWriter.ID, identifier);
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, EventCriteria criteria) throws IOException {
    Set<EventCriterion> criterions = criteria.flatten();
    if (criterions.isEmpty() || criteria.matches(NO_TYPE, Set.of())) {
      json.writeString("*");
      return;
    }
    json.writeStartArray();
    for (EventCriterion criterion : criterions) {
      json.writeStartObject();
      if (!criterion.types().isEmpty()) {
        json.writeArrayFieldStart("types");
        for (QualifiedName type : criterion.types()) {
          json.writeString(type.name());
        }
        json.writeEndArray();
      }
      if (!criterion.tags().isEmpty()) {
        json.writeArrayFieldStart("identifiers");
        for (Tag tag : criterion.tags()) {
          writeTag(json, tag.key(), tag.value());
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeTag(JsonGenerator json, String name, String value) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name);
    json.writeStringField("value", value);
    json.writeEndObject();
  }
}
