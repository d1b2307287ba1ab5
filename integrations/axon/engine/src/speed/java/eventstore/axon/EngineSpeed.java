package eventstore.axon;

import jakarta.persistence.EntityManagerFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine.AppendTransaction;
import org.axonframework.eventsourcing.eventstore.GenericTaggedEventMessage;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.eventsourcing.eventstore.inmemory.InMemoryEventStorageEngine;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.MessageType;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.GenericEventMessage;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.StreamingCondition;
import org.axonframework.messaging.eventstreaming.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures storage engines. A decision sources an entity, which has 0 to 9 events, and appends one event of 256 bytes on
 * the condition that there is no newer one. At the end, one stream reads all events. Run it with
 * {@code deno task campaign:axon}.
 */
class EngineSpeed {

  private static final int SECONDS = 4;
  private static final int EVENTS_PER_ENTITY = 10;
  private static final byte[] PAYLOAD =
      ("{\"text\":\"" + "x".repeat(245) + "\"}").getBytes(StandardCharsets.UTF_8);

  @Test
  void measure() throws Exception {
    // The first round warms up: the runtime compiles what an engine calls often.
    for (String line : List.of("warm-up", "speed")) {
      measure(line, "in memory", new InMemoryEventStorageEngine());
      for (String storage : List.of("SQLite", "PostgreSQL")) {
        String variable = "EVENTSTORE_SPEED_" + storage.toUpperCase(Locale.ROOT);
        try (var connection = new EventStoreConnection(TestServer.settings(variable))) {
          var converter = new DelegatingEventConverter(new JacksonConverter());
          measure(line, "this store on " + storage, new EventStoreStorageEngine(connection, converter));
        }
      }
      try (EntityManagerFactory factory = JpaEngine.connect(System.getenv("EVENTSTORE_SPEED_JPA"))) {
        measure(line, "JPA on PostgreSQL", JpaEngine.engine(factory));
      }
    }
  }

  private static void measure(String line, String name, EventStorageEngine engine) throws Exception {
    TrackingToken begin = engine.latestToken(null).get();
    long eight = decide(engine, 8);
    long one = decide(engine, 1);
    System.out.printf("%s: | %s | %d | %d | %d |%n",
        line, name, one / SECONDS, eight / SECONDS, streamed(engine, begin));
  }

  /** The number of decisions that threads make in the time. */
  private static long decide(EventStorageEngine engine, int threads) throws Exception {
    long endsAt = System.nanoTime() + SECONDS * 1_000_000_000L;
    Callable<Long> client = () -> {
      long decisions = 0;
      Tag entity = null;
      while (System.nanoTime() < endsAt) {
        if (decisions % EVENTS_PER_ENTITY == 0) {
          entity = new Tag("entity", UUID.randomUUID().toString());
        }
        decideOnce(engine, entity);
        decisions++;
      }
      return decisions;
    };
    try (var executor = Executors.newFixedThreadPool(threads)) {
      List<Future<Long>> counting = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        counting.add(executor.submit(client));
      }
      long all = 0;
      for (Future<Long> count : counting) {
        all += count.get();
      }
      return all;
    }
  }

  private static void decideOnce(EventStorageEngine engine, Tag entity) throws Exception {
    EventCriteria criteria = EventCriteria.havingTags(entity);
    var marker = new AtomicReference<>(ConsistencyMarker.ORIGIN);
    engine.source(SourcingCondition.conditionFor(criteria), null).reduce(0, (count, entry) -> {
      ConsistencyMarker found = entry.getResource(ConsistencyMarker.RESOURCE_KEY);
      if (found != null) {
        marker.set(found);
      }
      return count + 1;
    }).get();
    TaggedEventMessage<EventMessage> event = new GenericTaggedEventMessage<>(
        new GenericEventMessage(new MessageType("Happened"), PAYLOAD), Set.of(entity));
    AppendCondition condition = AppendCondition.withCriteria(criteria).withMarker(marker.get());
    engine.appendEvents(condition, null, event).thenCompose(EngineSpeed::finish).get();
  }

  private static <R> CompletableFuture<ConsistencyMarker> finish(AppendTransaction<R> append) {
    return append.commit(null).thenCompose(result -> append.afterCommit(result, null));
  }

  /** Events per second of a stream over all events after a token. */
  private static long streamed(EventStorageEngine engine, TrackingToken begin) throws Exception {
    long last = engine.latestToken(null).get().position().orElseThrow();
    long startedAt = System.nanoTime();
    long count = 0;
    MessageStream<EventMessage> stream = engine.stream(StreamingCondition.startingFrom(begin), null);
    for (long position = -1; position < last;) {
      var entry = stream.next();
      if (entry.isEmpty()) {
        LockSupport.parkNanos(20_000);
        continue;
      }
      position = TrackingToken.fromContext(entry.get()).orElseThrow().position().orElseThrow();
      count++;
    }
    stream.close();
    return count * 1_000_000_000 / (System.nanoTime() - startedAt);
  }
}
