package eventstore.axon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.axonframework.common.configuration.AxonConfiguration;
import org.axonframework.eventsourcing.configuration.EventSourcingConfigurer;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.messaging.commandhandling.configuration.CommandHandlingModule;
import org.axonframework.messaging.commandhandling.gateway.CommandGateway;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.QualifiedName;
import org.junit.jupiter.api.Test;

/** How often the command bus handles a command. */
class ConflictRetryEnhancerTest {

  private static final int CONFLICTS_MAX = 100;

  record Command() {
  }

  /** How often a command is handled whose handler fails so many times, and then returns nothing. */
  private static int handled(int retries, int failures, Supplier<RuntimeException> failure) {
    AtomicInteger handled = new AtomicInteger();
    AxonConfiguration axon = EventSourcingConfigurer.create()
        .registerCommandHandlingModule(CommandHandlingModule.named("test").commandHandlers()
            .commandHandler(new QualifiedName(Command.class), (command, context) -> {
              if (handled.incrementAndGet() <= failures) {
                throw failure.get();
              }
              return MessageStream.empty().cast();
            }))
        .componentRegistry(registry -> registry.registerEnhancer(new ConflictRetryEnhancer(retries)))
        .start();
    try {
      Supplier<Object> send = () -> axon.getComponent(CommandGateway.class).sendAndWait(new Command());
      if (failures > retries) {
        assertThatThrownBy(send::get).isNotNull();
      } else {
        send.get();
      }
    } finally {
      axon.shutdown();
    }
    return handled.get();
  }

  private static RuntimeException conflict() {
    return new AppendEventsTransactionRejectedException("a conflict");
  }

  @Test
  void repeatsACommandAfterAConflict() {
    assertThat(handled(5, 0, ConflictRetryEnhancerTest::conflict)).isEqualTo(1);
    assertThat(handled(5, 3, ConflictRetryEnhancerTest::conflict)).isEqualTo(4);
  }

  @Test
  void givesUpAfterSoManyRetries() {
    assertThat(handled(2, CONFLICTS_MAX, ConflictRetryEnhancerTest::conflict)).isEqualTo(3);
    assertThat(handled(0, CONFLICTS_MAX, ConflictRetryEnhancerTest::conflict)).isEqualTo(1);
  }

  @Test
  void doesNotRepeatAfterOtherFailures() {
    assertThat(handled(5, CONFLICTS_MAX, () -> new IllegalStateException("the course is full"))).isEqualTo(1);
  }
}
