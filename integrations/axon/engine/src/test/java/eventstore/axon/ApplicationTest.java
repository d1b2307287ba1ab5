package eventstore.axon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.common.lifecycle.Phase;
import org.axonframework.eventsourcing.annotation.EventSourcedEntity;
import org.axonframework.eventsourcing.annotation.EventSourcingHandler;
import org.axonframework.eventsourcing.annotation.EventTag;
import org.axonframework.eventsourcing.annotation.reflection.EntityCreator;
import org.axonframework.eventsourcing.configuration.EventSourcedEntityModule;
import org.axonframework.eventsourcing.configuration.EventSourcingConfigurer;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.messaging.commandhandling.CommandBus;
import org.axonframework.messaging.commandhandling.annotation.CommandHandler;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.axonframework.messaging.commandhandling.retry.RetryingCommandBus;
import org.axonframework.messaging.core.retry.AsyncRetryScheduler;
import org.axonframework.messaging.core.retry.ExponentialBackOffRetryPolicy;
import org.axonframework.messaging.core.retry.FilteringRetryPolicy;
import org.axonframework.messaging.core.retry.MaxAttemptsPolicy;
import org.axonframework.messaging.core.retry.RetryPolicy;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.gateway.EventAppender;
import org.axonframework.messaging.eventstreaming.Tag;
import org.axonframework.modelling.annotation.TargetEntityId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The application of docs/axon.md, which shows parts of this file. */
@EnabledIfEnvironmentVariable(named = "EVENTSTORE_TEST_URL", matches = ".+")
class ApplicationTest {

  record TakeSeat(@TargetEntityId String course, String student) {
  }

  record SeatTaken(@EventTag(key = "course") String course, @EventTag(key = "student") String student) {
  }

  @EventSourcedEntity(tagKey = "course")
  static class Course {

    private int taken;

    @EntityCreator
    Course() {
    }

    @CommandHandler
    String handle(TakeSeat command, EventAppender events) {
      if (taken >= 3) {
        throw new IllegalStateException("the course is full");
      }
      events.append(new SeatTaken(command.course(), command.student()));
      return command.student();
    }

    @EventSourcingHandler
    void on(SeatTaken event) {
      taken++;
    }
  }

  private AxonConfiguration start(String url, ScheduledExecutorService timer) {
    EventStoreConnection connection = new EventStoreConnection(EventStoreSettings.of(url));
    RetryPolicy afterConflicts = new FilteringRetryPolicy(
        new MaxAttemptsPolicy(new ExponentialBackOffRetryPolicy(10), 10),
        failure -> failure instanceof AppendEventsTransactionRejectedException);
    return EventSourcingConfigurer.create()
        .registerEntity(EventSourcedEntityModule.autodetected(String.class, Course.class))
        .registerEventStorageEngine(config ->
            new EventStoreStorageEngine(connection, config.getComponent(EventConverter.class)))
        .componentRegistry(registry -> registry.registerDecorator(CommandBus.class, 0, (config, name, bus) ->
            new RetryingCommandBus(bus, new AsyncRetryScheduler(afterConflicts, timer))))
        .lifecycleRegistry(lifecycle -> lifecycle.onShutdown(Phase.EXTERNAL_CONNECTIONS, connection::close))
        .start();
  }

  @Test
  void givesEachSeatToOneStudent() throws Exception {
    String course = UUID.randomUUID().toString();
    String url = System.getenv("EVENTSTORE_TEST_URL");
    try (var timer = Executors.newSingleThreadScheduledExecutor();
        var connection = new EventStoreConnection(EventStoreSettings.of(url))) {
      AxonConfiguration application = start(url, timer);
      CommandGateway commands = application.getComponent(CommandGateway.class);
      List<CompletableFuture<Object>> results = IntStream.range(0, 6)
          .mapToObj(i -> commands.send(new TakeSeat(course, "s" + i), Object.class)).toList();
      int full = 0;
      for (CompletableFuture<Object> result : results) {
        try {
          result.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
          assertThat(e.getCause()).hasMessageContaining("the course is full");
          full++;
        }
      }
      application.shutdown();
      assertThat(full).isEqualTo(3);
      assertThat(TestServer.source(TestServer.engine(connection), new Tag("course", course))).hasSize(4);
    }
  }
}
