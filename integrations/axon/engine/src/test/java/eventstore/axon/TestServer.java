package eventstore.axon;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine.AppendTransaction;
import org.axonframework.eventsourcing.eventstore.GenericTaggedEventMessage;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.core.MessageType;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.GenericEventMessage;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.Tag;

/** The servers that the tests use. Environment variables have their addresses. Without them, tests are skipped. */
final class TestServer {

  private TestServer() {
  }

  /** The address in a variable. */
  static EventStoreSettings settings(String variable) {
    String url = System.getenv(variable);
    if (url == null) {
      throw new IllegalStateException("the environment variable %s names no server".formatted(variable));
    }
    return EventStoreSettings.of(url).withRetryTime(Duration.ofSeconds(20));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static EventStoreStorageEngine engine(EventStoreConnection connection) {
    return new EventStoreStorageEngine(connection, new DelegatingEventConverter(new JacksonConverter()));
  }

  /** Empties the store, which gets a new ID. */
  static void reset(EventStoreConnection connection) throws Exception {
    connection.send(new StoreRequest("POST", "/reset", null, true, Duration.ZERO)).get(30, TimeUnit.SECONDS);
  }

  static TaggedEventMessage<EventMessage> event(Object payload, Tag... tags) {
    return event(payload, Map.of(), tags);
  }

  static TaggedEventMessage<EventMessage> event(Object payload, Map<String, String> metadata, Tag... tags) {
    EventMessage message = new GenericEventMessage(new MessageType("Happened", "1.2"), payload, metadata);
    return new GenericTaggedEventMessage<>(message, Set.of(tags));
  }

  static Tag uniqueTag(String key) {
    return new Tag(key, UUID.randomUUID().toString());
  }

  /** Appends in one transaction. */
  static CompletableFuture<ConsistencyMarker> append(
      EventStorageEngine engine, AppendCondition condition, TaggedEventMessage<?>... events) {
    return engine.appendEvents(condition, null, events).thenCompose(TestServer::finished);
  }

  private static <R> CompletableFuture<ConsistencyMarker> finished(AppendTransaction<R> transaction) {
    return transaction.commit(null).thenCompose(result -> transaction.afterCommit(result, null));
  }

  /** All entries, with the marker at the end. */
  static List<Entry<EventMessage>> source(EventStorageEngine engine, Tag... tags) throws Exception {
    EventCriteria criteria = EventCriteria.havingTags(new HashSet<>(List.of(tags)));
    MessageStream<EventMessage> stream = engine.source(SourcingCondition.conditionFor(criteria), null);
    List<Entry<EventMessage>> entries = new ArrayList<>();
    stream.reduce(entries, (all, entry) -> {
      all.add(entry);
      return all;
    }).get(60, TimeUnit.SECONDS);
    return entries;
  }

  static String text(Entry<EventMessage> entry) {
    return new String((byte[]) entry.message().payload(), StandardCharsets.UTF_8);
  }

  /** Waits for a condition, for at most 30 seconds. */
  static ConditionFactory soon() {
    return Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(30));
  }

  /** The exception of a future that must fail. */
  static Throwable failureOf(CompletableFuture<?> future) throws Exception {
    try {
      throw new AssertionError("no failure, but " + future.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
