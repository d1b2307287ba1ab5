package eventstore.axon.spring;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.axonframework.common.configuration.ComponentRegistry;
import org.axonframework.common.configuration.ConfigurationEnhancer;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.messaging.commandhandling.CommandBus;
import org.axonframework.messaging.commandhandling.retry.RetryingCommandBus;
import org.axonframework.messaging.core.retry.AsyncRetryScheduler;
import org.axonframework.messaging.core.retry.ExponentialBackOffRetryPolicy;
import org.axonframework.messaging.core.retry.FilteringRetryPolicy;
import org.axonframework.messaging.core.retry.MaxAttemptsPolicy;
import org.springframework.beans.factory.DisposableBean;

/**
 * Makes the command bus repeat a command whose append was rejected, because another command has changed what it read.
 * It is handled anew, with the events of the other command.
 */
public final class ConflictRetryEnhancer implements ConfigurationEnhancer, DisposableBean {

  private static final long FIRST_PAUSE_MILLIS = 10;

  private final int retries;
  private final ScheduledExecutorService executor;

  /**
   * Retries with pauses that double.
   *
   * @param retries how often a command is repeated; 0 for never
   */
  public ConflictRetryEnhancer(int retries) {
    this.retries = retries;
    this.executor = Executors.newSingleThreadScheduledExecutor(
        Thread.ofPlatform().daemon().name("eventstore-conflict-retries").factory());
  }

  @Override
  public void enhance(ComponentRegistry registry) {
    if (retries == 0) {
      return;
    }
    FilteringRetryPolicy policy = new FilteringRetryPolicy(
        new MaxAttemptsPolicy(new ExponentialBackOffRetryPolicy(FIRST_PAUSE_MILLIS), retries),
        ConflictRetryEnhancer::isConflict);
    AsyncRetryScheduler scheduler = new AsyncRetryScheduler(policy, executor);
    // Inside the decorators of the framework, whose order is 0 or above.
    registry.registerDecorator(CommandBus.class, Integer.MIN_VALUE,
        (config, name, delegate) -> new RetryingCommandBus(delegate, scheduler));
  }

  private static boolean isConflict(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof AppendEventsTransactionRejectedException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void destroy() {
    executor.shutdownNow();
  }
}
