package eventstore.axon;

import static eventstore.axon.TestServer.append;
import static eventstore.axon.TestServer.bytes;
import static eventstore.axon.TestServer.event;
import static eventstore.axon.TestServer.failureOf;
import static eventstore.axon.TestServer.source;
import static eventstore.axon.TestServer.text;
import static eventstore.axon.TestServer.uniqueTag;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.EventStoreException;
import org.axonframework.eventsourcing.eventstore.GenericTaggedEventMessage;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.core.MessageType;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.GenericEventMessage;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.Tag;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Messages as events of the store, and back. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class MappingTest {

  record Defined(String course, int seats) {
  }

  private final EventStoreConnection connection =
      new EventStoreConnection(TestServer.settings("EVENTSTORE_TEST_URL"));
  private final EventStoreStorageEngine engine = TestServer.engine(connection);
  private final Tag tag = uniqueTag("course");

  @BeforeEach
  void reset() throws Exception {
    TestServer.reset(connection);
  }

  @AfterEach
  void close() {
    connection.close();
  }

  /** The events with the tag, as other programs see them. */
  private List<JsonNode> stored() throws Exception {
    String query = """
        {"query": [{"identifiers": [{"name": "course", "value": "%s"}]}]}""".formatted(tag.value());
    return Page.of(connection.read(StoreRequest.query(bytes(query), Duration.ZERO)).get()).events();
  }

  @Test
  void storesAMessageSoThatOtherProgramsCanReadIt() throws Exception {
    Instant time = Instant.parse("2026-02-03T04:05:06.123456789Z");
    MessageType type = new MessageType("school", "CourseDefined", "2.0");
    EventMessage message = new GenericEventMessage(
        "id-" + tag.value(), type, new Defined("c1", 30), Map.of("traceId", "t1"), time);
    append(engine, AppendCondition.none(), new GenericTaggedEventMessage<>(message, Set.of(tag))).get();

    JsonNode event = stored().getFirst();
    assertThat(event.get("type").asText()).isEqualTo("school.CourseDefined");
    assertThat(event.get("payload").asText()).isEqualTo("{\"course\":\"c1\",\"seats\":30}");
    assertThat(event.get("identifiers")).isEqualTo(json(Map.of("course", tag.value())));
    assertThat(event.get("metadata")).isEqualTo(json(Map.of("axon-id", message.identifier(),
        "axon-time", time.toString(), "axon-version", "2.0", "traceId", "t1")));

    EventMessage read = source(engine, tag).getFirst().message();
    assertThat(read.identifier()).isEqualTo(message.identifier());
    assertThat(read.type()).isEqualTo(message.type());
    assertThat(read.timestamp()).isEqualTo(time);
    assertThat(read.metadata()).isEqualTo(message.metadata());
    assertThat(new String((byte[]) read.payload())).isEqualTo(event.get("payload").asText());
  }

  private static JsonNode json(Map<String, String> tags) {
    return StoreAnswer.JSON.valueToTree(tags);
  }

  @Test
  void mapsTagsExactly() throws Exception {
    Set<Tag> tags = Set.of(tag, new Tag("course", "other"), new Tag("course", ""), new Tag("", "empty name"),
        new Tag("__proto__", "p"), new Tag("s\u00e9\"\\\n", "\ud83c\udf93"), new Tag("0", "\u0000"));
    append(engine, AppendCondition.none(), new GenericTaggedEventMessage<>(event("a").event(), tags)).get();
    for (Tag each : tags) {
      assertThat(source(engine, tag, each)).as("%s", each).hasSize(2)
          .first().satisfies(entry -> assertThat(entry.getResource(Tag.RESOURCE_KEY)).isEqualTo(tags));
    }
    assertThat(source(engine, tag, new Tag("course", "another"))).hasSize(1);
  }

  @Test
  void mapsCriteriaExactly() throws Exception {
    EventMessage other = new GenericEventMessage(new MessageType("Other"), bytes("b"));
    append(engine, AppendCondition.none(),
        event("a", tag), new GenericTaggedEventMessage<>(other, Set.of(tag))).get();
    EventCriteria others =
        EventCriteria.havingTags(tag).andBeingOneOfTypes(Set.of(new QualifiedName("Other")));
    assertThat(payloads(others)).containsExactly("b");
    assertThat(payloads(EventCriteria.either(others, EventCriteria.havingTags(tag))))
        .containsExactly("a", "b");
    assertThat(payloads(EventCriteria.havingAnyTag())).endsWith("a", "b");
    assertThat(payloads(EventCriteria.either(EventCriteria.havingAnyTag(), others))).endsWith("a", "b");
  }

  private List<String> payloads(EventCriteria criteria) throws Exception {
    List<String> found = new ArrayList<>();
    engine.source(SourcingCondition.conditionFor(criteria), null)
        .filter(entry -> entry.message().payload() != null)
        .reduce(found, (all, entry) -> {
          all.add(text(entry));
          return all;
        }).get();
    return found;
  }

  @Test
  void returnsTheBytesThatWereWritten() throws Exception {
    byte[] binary = {(byte) 0xff, 0, 1};
    append(engine, AppendCondition.none(),
        event(binary, tag), event(null, tag), event("plain text", tag)).get();
    List<Entry<EventMessage>> read = source(engine, tag);
    assertThat(read).hasSize(4);
    assertThat(read.get(0).message().payload()).isEqualTo(binary);
    assertThat(read.get(1).message().payload()).isNull();
    assertThat(text(read.get(2))).isEqualTo("plain text");
    assertThat(stored()).map(event -> event.at("/metadata/axon-payload").asText())
        .containsExactly("base64", "none", "text");
  }

  @Test
  void namesTheEventThatItCannotWrite() throws Exception {
    Map<String, String> withNull = new HashMap<>();
    withNull.put("user", null);
    record Wrong(Map<String, String> metadata, Tag tag, String fault) {
    }
    for (Wrong wrong : List.of(
        new Wrong(Map.of("axon-id", "x"), tag, "metadata cannot be named 'axon-id'"),
        new Wrong(withNull, tag, "metadata 'user' is null"),
        new Wrong(Map.of("a", "\ud800"), tag, "a text contains a lone surrogate"),
        new Wrong(Map.of(), new Tag("a", "\ud800"), "a text contains a lone surrogate"))) {
      Throwable failure = failureOf(append(engine, AppendCondition.none(),
          event("a", tag), event("b", wrong.metadata(), wrong.tag())));
      assertThat(failure).isInstanceOf(EventStoreException.class)
          .hasMessage("events[1] (Happened#1.2): " + wrong.fault());
    }
    assertThat(source(engine, tag)).hasSize(1);
  }

  @Test
  void namesTheLimitThatAnEventExceeds() throws Exception {
    Tag[] tags = new Tag[21];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = new Tag("tag" + i, "v");
    }
    assertThat(failureOf(append(engine, AppendCondition.none(), event("a", tags))))
        .isInstanceOf(StoreRequestException.class)
        .hasMessageContaining("events[0]: identifiers has 21 tags, more than maxTagsPerEvent (20)");
    assertThat(failureOf(append(engine, AppendCondition.none(), event("a".repeat(70_000), tag))))
        .isInstanceOfSatisfying(StoreRequestException.class, e -> assertThat(e.status()).isEqualTo(413))
        .hasMessageContaining("events[0]").hasMessageContaining("maxEventSize");
  }

  @Test
  void readsEventsOfOtherPrograms() throws Exception {
    String body = """
        {"events": [{"type": "Moved", "identifiers": {"course": "%s"}, "metadata": {"by": ["a", "b"]},
        "payload": "<moved/>"}]}""".formatted(tag.value());
    StoreAnswer written = connection.send(StoreRequest.write(bytes(body))).get();
    JsonNode event = written.json().at("/events/0");
    EventMessage read = source(engine, tag).getFirst().message();
    assertThat(read.identifier()).isEqualTo(written.storeId() + "/" + event.get("sequence").asLong());
    assertThat(read.type()).isEqualTo(new MessageType("Moved"));
    assertThat(read.timestamp()).isEqualTo(Instant.parse(event.get("time").asText()));
    assertThat(read.metadata()).isEqualTo(Map.of("by", "[\"a\",\"b\"]"));
    assertThat(new String((byte[]) read.payload())).isEqualTo("<moved/>");
  }

  @Test
  void namesAnEventThatItCannotRead() throws Exception {
    String body = """
        {"events": [{"type": "Broken", "identifiers": {"course": "%s"},
        "metadata": {"axon-time": "yesterday"}, "payload": "{}"}]}""".formatted(tag.value());
    StoreAnswer written = connection.send(StoreRequest.write(bytes(body))).get();
    String sequence = written.json().at("/events/0/sequence").asText();
    assertThat(failureOf(engine.source(SourcingCondition.conditionFor(EventCriteria.havingTags(tag)), null)
        .reduce(0, (count, entry) -> count + 1)))
        .isInstanceOf(EventStoreException.class)
        .hasMessageContaining("sequence " + sequence + " (Broken)").hasMessageContaining("yesterday");
  }

  @Test
  void rejectsASecondEventWithTheSameIdentifier() throws Exception {
    var repeated = event("a", tag);
    append(engine, AppendCondition.none(), repeated).get();
    assertThat(failureOf(append(engine, AppendCondition.none(), repeated)))
        .isInstanceOf(EventStoreException.class)
        .hasMessage("events[0]: the store already has an event with the identifier '%s'",
            repeated.event().identifier());
    assertThat(source(engine, tag)).hasSize(2);
  }

  @Test
  void rejectsAnAppendAtAPositionOfAnotherStore() throws Exception {
    var marker = new StoreMarker(UUID.randomUUID().toString(), 0);
    AppendCondition anyNew = AppendCondition.withCriteria(EventCriteria.havingTags(tag));
    assertThat(failureOf(append(engine, anyNew.withMarker(marker), event("a", tag))))
        .isInstanceOf(AppendEventsTransactionRejectedException.class)
        .cause().hasMessageContaining("was read on another store");
    assertThat(marker.lowerBound(new StoreMarker("other", 5)))
        .isEqualTo(marker.upperBound(new StoreMarker("other", 5)))
        .isNotEqualTo(marker);
  }
}
