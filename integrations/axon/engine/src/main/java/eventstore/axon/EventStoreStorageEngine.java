package eventstore.axon;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.axonframework.common.infra.ComponentDescriptor;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.EmptyAppendTransaction;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.eventsourcing.eventstore.GlobalIndexPosition;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.DelayedMessageStream;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.WrappedToken;
import org.axonframework.messaging.eventstreaming.StreamingCondition;

/**
 * Keeps the events of Axon Framework in this event store. Tags become identifiers, and criteria become queries, so
 * that the store checks the condition of an append. Positions are sequences, from 1. All methods can be called by many
 * threads, and none blocks.
 */
public final class EventStoreStorageEngine implements EventStorageEngine {

  private final EventStoreConnection connection;
  private final EventWriter writer;
  private final LastSeen lastSeen = new LastSeen();

  /**
   * @param connection to one store; you close it
   * @param converter  turns payloads into bytes. The configuration has one: {@code EventConverter}
   */
  public EventStoreStorageEngine(EventStoreConnection connection, EventConverter converter) {
    this.connection = Objects.requireNonNull(connection, "connection");
    this.writer = new EventWriter(Objects.requireNonNull(converter, "converter"));
  }

  /** {@inheritDoc} The events are sent by {@code commit}, in one request. */
  @Override
  public CompletableFuture<AppendTransaction<?>> appendEvents(
      AppendCondition condition, ProcessingContext context, List<TaggedEventMessage<?>> events) {
    if (events.isEmpty()) {
      return CompletableFuture.completedFuture(EmptyAppendTransaction.INSTANCE);
    }
    try {
      return CompletableFuture.completedFuture(new Append(connection, lastSeen, writer, condition, events));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public MessageStream<EventMessage> source(SourcingCondition condition, ProcessingContext context) {
    long start = Math.max(0, GlobalIndexPosition.toIndex(condition.start()));
    SourcingStream stream = new SourcingStream(connection, Queries.json(condition.criteria()), start,
        lastSeen.sequence(), page -> lastSeen.update(page.storeId(), page.head()));
    stream.readOn();
    return stream;
  }

  /** {@inheritDoc} Close it to end its request. */
  @Override
  public MessageStream<EventMessage> stream(StreamingCondition condition, ProcessingContext context) {
    TrackingToken token = WrappedToken.unwrapLowerBound(condition.position());
    if (TrackingToken.LATEST.equals(token)) {
      return DelayedMessageStream.create(latestToken(context).thenApply(
          latest -> stream(StreamingCondition.conditionFor(latest, condition.criteria()), context)));
    }
    FollowingStream stream = new FollowingStream(connection, Queries.json(condition.criteria()),
        positionOf(token), token instanceof StoreTrackingToken own ? own.getStoreId() : null);
    stream.readOn();
    return stream;
  }

  private static long positionOf(TrackingToken token) {
    if (token == null || TrackingToken.FIRST.equals(token)) {
      return 0;
    }
    if (token instanceof GlobalSequenceTrackingToken global) {
      return Math.max(0, global.getGlobalIndex());
    }
    throw new IllegalArgumentException("a stream cannot begin at %s, a token of another engine; %s"
        .formatted(token, StoreResetException.ADVICE));
  }

  /** {@inheritDoc} It is valid for any store. */
  @Override
  public CompletableFuture<TrackingToken> firstToken(ProcessingContext context) {
    return CompletableFuture.completedFuture(new GlobalSequenceTrackingToken(0));
  }

  @Override
  public CompletableFuture<TrackingToken> latestToken(ProcessingContext context) {
    return lastSeen.head(connection).thenApply(token -> token);
  }

  /** {@inheritDoc} The time of an event is when the server received it, not the timestamp of the message. */
  @Override
  public CompletableFuture<TrackingToken> tokenAt(Instant at, ProcessingContext context) {
    String time = URLEncoder.encode(at.toString(), StandardCharsets.UTF_8);
    return connection.read(StoreRequest.get("/position?time=" + time)).thenApply(StoreAnswer::json)
        .thenApply(position -> new StoreTrackingToken(
            position.path("store").asText(), position.path("afterSequence").asLong()));
  }

  @Override
  public void describeTo(ComponentDescriptor descriptor) {
    descriptor.describeProperty("settings", connection.settings());
  }
}
