package eventstore.axon.spring;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.axonframework.common.infra.ComponentDescriptor;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.TerminalEventMessage;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventstreaming.StreamingCondition;

/** Counts what passes through a storage engine. */
final class MeteredStorageEngine implements EventStorageEngine {

  private final EventStorageEngine delegate;
  private final EventStoreMeters meters;

  MeteredStorageEngine(EventStorageEngine delegate, EventStoreMeters meters) {
    this.delegate = delegate;
    this.meters = meters;
  }

  @Override
  public CompletableFuture<AppendTransaction<?>> appendEvents(
      AppendCondition condition, ProcessingContext context, List<TaggedEventMessage<?>> events) {
    return delegate.appendEvents(condition, context, events)
        .thenApply(transaction -> new MeteredTransaction<>(transaction, meters, events.size()));
  }

  @Override
  public MessageStream<EventMessage> source(SourcingCondition condition, ProcessingContext context) {
    return delegate.source(condition, context).onNext(entry -> {
      // The last message of a source is a marker of the framework.
      if (!(entry.message() instanceof TerminalEventMessage)) {
        meters.sourced();
      }
    });
  }

  @Override
  public MessageStream<EventMessage> stream(StreamingCondition condition, ProcessingContext context) {
    return delegate.stream(condition, context).onNext(entry -> meters.streamed(entry.message().timestamp()));
  }

  @Override
  public CompletableFuture<TrackingToken> firstToken(ProcessingContext context) {
    return delegate.firstToken(context);
  }

  @Override
  public CompletableFuture<TrackingToken> latestToken(ProcessingContext context) {
    return delegate.latestToken(context);
  }

  @Override
  public CompletableFuture<TrackingToken> tokenAt(Instant at, ProcessingContext context) {
    return delegate.tokenAt(at, context);
  }

  @Override
  public void describeTo(ComponentDescriptor descriptor) {
    descriptor.describeWrapperOf(delegate);
  }

  private record MeteredTransaction<R>(AppendTransaction<R> delegate, EventStoreMeters meters, int events)
      implements AppendTransaction<R> {

    @Override
    public CompletableFuture<R> commit(ProcessingContext context) {
      return delegate.commit(context).whenComplete((result, failure) -> {
        if (failure == null) {
          meters.appended(events);
        } else if (isConflict(failure)) {
          meters.conflicted();
        }
      });
    }

    @Override
    public void rollback(ProcessingContext context) {
      delegate.rollback(context);
    }

    @Override
    public CompletableFuture<ConsistencyMarker> afterCommit(R result, ProcessingContext context) {
      return delegate.afterCommit(result, context);
    }

    private static boolean isConflict(Throwable failure) {
      return failure instanceof AppendEventsTransactionRejectedException
          || failure.getCause() instanceof AppendEventsTransactionRejectedException;
    }
  }
}
