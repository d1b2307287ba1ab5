package eventstore.axon.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.axonframework.common.infra.ComponentDescriptor;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.messaging.commandhandling.CommandBus;
import org.axonframework.messaging.commandhandling.CommandHandler;
import org.axonframework.messaging.commandhandling.CommandMessage;
import org.axonframework.messaging.commandhandling.CommandResultMessage;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;

/**
 * Repeats a command after a conflict, with random pauses that grow. The framework's own RetryingCommandBus fails in
 * 5.0.1 when the repeated command has no result.
 */
final class ConflictRetryingCommandBus implements CommandBus {

  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final int DOUBLINGS_MAX = 7;

  private final CommandBus delegate;
  private final int retries;

  ConflictRetryingCommandBus(CommandBus delegate, int retries) {
    this.delegate = delegate;
    this.retries = retries;
  }

  @Override
  public CompletableFuture<CommandResultMessage> dispatch(CommandMessage command, ProcessingContext context) {
    return attempt(0, command, context);
  }

  private CompletableFuture<CommandResultMessage> attempt(
      int repeated, CommandMessage command, ProcessingContext context) {
    return delegate.dispatch(command, context).exceptionallyCompose(failure -> {
      if (repeated >= retries || !isConflict(failure)) {
        return CompletableFuture.failedFuture(failure);
      }
      long pause = ThreadLocalRandom.current().nextLong(FIRST_PAUSE_MILLIS << Math.min(repeated, DOUBLINGS_MAX));
      return CompletableFuture
          .runAsync(() -> { }, CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS))
          .thenCompose(ignored -> attempt(repeated + 1, command, context));
    });
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
  public ConflictRetryingCommandBus subscribe(QualifiedName name, CommandHandler handler) {
    delegate.subscribe(name, handler);
    return this;
  }

  @Override
  public void describeTo(ComponentDescriptor descriptor) {
    descriptor.describeWrapperOf(delegate);
    descriptor.describeProperty("retries", retries);
  }
}
