package eventstore.axon.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import eventstore.axon.EventStoreConnection;
import eventstore.axon.EventStoreStorageEngine;
import eventstore.axon.StoreRequest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.configuration.EventSourcingConfigurer;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.eventhandling.SimpleEventHandlingComponent;
import org.axonframework.messaging.eventhandling.configuration.EventProcessorModule;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.StreamingEventProcessor;
import org.axonframework.messaging.eventhandling.processing.streaming.token.store.TokenStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Event processors of the framework in two processes that share their segments. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class EventProcessorTest {

  private static final int SEGMENTS = 4;
  private static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(3);

  private final String name = "processor " + UUID.randomUUID();
  private final String type = "Happened" + UUID.randomUUID().toString().replace("-", "");
  private final EventStoreConnection connection = new EventStoreConnection(TokenStoreTest.settings());
  private final Process first = new Process();
  private final Process second = new Process();

  /** The framework in one process, and the events that it has handled. */
  private final class Process {

    final Collection<String> handled = new ConcurrentLinkedQueue<>();
    final EventStoreConnection own = new EventStoreConnection(TokenStoreTest.settings());
    private AxonConfiguration axon;

    Process start() {
      TokenStore tokens = new EventStoreTokenStore(own, new JacksonConverter(),
          TokenStoreConfiguration.defaults().claimTimeout(CLAIM_TIMEOUT).clock(Clock.systemUTC()));
      axon = EventSourcingConfigurer.create()
          .registerEventStorageEngine(
              config -> new EventStoreStorageEngine(own, config.getComponent(EventConverter.class)))
          .componentRegistry(registry -> registry.registerComponent(TokenStore.class, config -> tokens))
          .messaging(messaging -> messaging.eventProcessing(processing -> processing.pooledStreaming(
              processors -> processors.processor(EventProcessorModule.pooledStreaming(name)
                  .eventHandlingComponents(components -> components.declarative(config -> component()))
                  .customized((config, settings) -> settings
                      .initialSegmentCount(SEGMENTS).tokenClaimInterval(100).claimExtensionThreshold(200))))))
          .start();
      return this;
    }

    private SimpleEventHandlingComponent component() {
      return new SimpleEventHandlingComponent((event, context) -> Optional.of(event.identifier()))
          .subscribe(new QualifiedName(type), (event, context) -> {
            handled.add(new String((byte[]) event.payload(), StandardCharsets.UTF_8));
            return MessageStream.empty();
          });
    }

    StreamingEventProcessor processor() {
      return axon.getModuleConfiguration(name).orElseThrow()
          .getComponent(StreamingEventProcessor.class, name);
    }

    Set<Integer> segments() {
      return axon == null ? Set.of() : processor().processingStatus().keySet();
    }

    void stop() {
      if (axon != null) {
        axon.shutdown();
        axon = null;
      }
      own.close();
    }
  }

  @AfterEach
  void stop() {
    first.stop();
    second.stop();
    connection.close();
  }

  private static void soon(ThrowingRunnable check) {
    await().atMost(Duration.ofSeconds(30)).untilAsserted(check);
  }

  /** Writes events with the numbers as payloads. */
  private void write(int from, int to) {
    String events = IntStream.rangeClosed(from, to)
        .mapToObj(i -> "{\"type\": \"%s\", \"payload\": \"%d\"}".formatted(type, i))
        .collect(Collectors.joining(",", "{\"events\": [", "]}"));
    connection.send(StoreRequest.write(events.getBytes(StandardCharsets.UTF_8))).join();
  }

  private static List<String> numbers(int to) {
    return IntStream.rangeClosed(1, to).mapToObj(Integer::toString).toList();
  }

  @Test
  void handlesEachEventOnceAndTakesOverSegments() {
    first.start();
    soon(() -> assertThat(first.segments()).hasSize(SEGMENTS));
    first.processor().releaseSegment(0, 30, TimeUnit.SECONDS).join();
    first.processor().releaseSegment(1, 30, TimeUnit.SECONDS).join();
    second.start();
    soon(() -> assertThat(second.segments()).containsExactlyInAnyOrder(0, 1));
    write(1, 40);
    soon(() -> assertThat(first.handled.size() + second.handled.size()).isEqualTo(40));
    assertThat(first.handled).isNotEmpty().doesNotContainAnyElementsOf(second.handled);
    // The connection of a process that is cut off takes no more writes, so its claims time out.
    first.own.close();
    soon(() -> assertThat(second.segments()).hasSize(SEGMENTS));
    write(41, 60);
    soon(() -> assertThat(second.handled).containsAll(numbers(60).subList(40, 60)));
  }

  @Test
  void splitsAndMergesSegments() {
    first.start();
    soon(() -> assertThat(first.segments()).hasSize(SEGMENTS));
    write(1, 10);
    soon(() -> assertThat(first.handled).hasSize(10));
    assertThat(first.processor().splitSegment(0).join()).isTrue();
    soon(() -> assertThat(first.segments()).containsExactlyInAnyOrder(0, 1, 2, 3, 4));
    write(11, 20);
    soon(() -> assertThat(first.handled).hasSize(20));
    assertThat(first.processor().mergeSegment(4).join()).isTrue();
    soon(() -> assertThat(first.segments()).containsExactlyInAnyOrder(0, 1, 2, 3));
    write(21, 30);
    // After a merge, the framework hands over again what only one of the segments had passed.
    soon(() -> assertThat(Set.copyOf(first.handled)).containsExactlyInAnyOrderElementsOf(numbers(30)));
  }
}
