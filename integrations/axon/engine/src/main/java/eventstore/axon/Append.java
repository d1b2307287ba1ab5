package eventstore.axon;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine.AppendTransaction;
import org.axonframework.eventsourcing.eventstore.EventStoreException;
import org.axonframework.eventsourcing.eventstore.GlobalIndexConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;

/**
 * Writes events in one request, with its commit. The first condition of the request is that the store has no event with
 * the identifier of the first message. So the request can be repeated when its answer was lost, and is written once.
 */
final class Append implements AppendTransaction<ConsistencyMarker> {

  private static final int ID_CONDITION = 0;

  private final EventStoreConnection connection;
  private final LastSeen lastSeen;
  private final AppendCondition condition;
  private final List<String> identifiers;
  private final String events;
  private final AtomicBoolean isFinished = new AtomicBoolean();
  /** Whether the answer to an attempt was lost. */
  private volatile boolean isUncertain;

  /** @throws EventStoreException if an event cannot be written */
  Append(EventStoreConnection connection, LastSeen lastSeen, EventWriter writer, AppendCondition condition,
      List<TaggedEventMessage<?>> events) {
    this.connection = connection;
    this.lastSeen = lastSeen;
    this.condition = condition;
    this.identifiers = events.stream().map(tagged -> tagged.event().identifier()).toList();
    this.events = writer.json(events);
  }

  @Override
  public CompletableFuture<ConsistencyMarker> commit(ProcessingContext context) {
    if (isFinished.getAndSet(true)) {
      return CompletableFuture.failedFuture(new IllegalStateException("already committed or rolled back"));
    }
    return storeOfMarker()
        .thenApply(this::body)
        .thenCompose(body -> Retries.repeat(connection.settings().retryTime(), () -> attempt(body)))
        .exceptionallyCompose(failure ->
            CompletableFuture.failedFuture(lastFailure(StoreErrors.rootOf(failure))))
        .thenApply(last -> new GlobalIndexConsistencyMarker(last));
  }

  @Override
  public void rollback(ProcessingContext context) {
    isFinished.set(true);
  }

  @Override
  public CompletableFuture<ConsistencyMarker> afterCommit(
      ConsistencyMarker marker, ProcessingContext context) {
    return CompletableFuture.completedFuture(marker);
  }

  /** The ID of the store on which the marker was read; any text for a marker without a position. */
  private CompletableFuture<String> storeOfMarker() {
    ConsistencyMarker marker = condition.consistencyMarker();
    return switch (marker) {
      case StoreMarker read -> CompletableFuture.completedFuture(read.storeId());
      case GlobalIndexConsistencyMarker ignored -> lastSeen.storeId(connection);
      default -> CompletableFuture.completedFuture("");
    };
  }

  private byte[] body(String storeId) {
    ConsistencyMarker marker = condition.consistencyMarker();
    return Json.body(json -> {
      json.writeStartObject();
      json.writeArrayFieldStart("conditions");
      json.writeStartObject();
      json.writeFieldName("failIfEventsMatch");
      Queries.writeForId(json, identifiers.getFirst());
      json.writeEndObject();
      if (marker != ConsistencyMarker.INFINITY) {
        json.writeStartObject();
        json.writeFieldName("failIfEventsMatch");
        json.writeRawValue(Queries.json(condition.criteria()));
        if (marker != ConsistencyMarker.ORIGIN) {
          json.writeNumberField("afterSequence", Math.max(0, GlobalIndexConsistencyMarker.position(marker)));
          json.writeStringField("store", storeId);
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeFieldName("events");
      json.writeRawValue(events);
      json.writeEndObject();
    });
  }

  /** The sequence of the last event. */
  private CompletableFuture<Long> attempt(byte[] body) {
    return connection.send(StoreRequest.write(body))
        .thenApply(answer -> {
          long last = answer.json().path("events").path(identifiers.size() - 1).path("sequence").asLong(-1);
          if (last < 0) {
            throw answer.unexpected("it lacks the sequences of the events");
          }
          lastSeen.update(answer.storeId(), last);
          return last;
        })
        .exceptionallyCompose(failure -> {
          Throwable cause = StoreErrors.rootOf(failure);
          if (cause instanceof StoreConflictException conflict) {
            return conflicted(conflict);
          }
          isUncertain |= cause instanceof OutcomeUnknownException;
          return CompletableFuture.failedFuture(cause);
        });
  }

  private CompletableFuture<Long> conflicted(StoreConflictException conflict) {
    if (conflict.condition() == ID_CONDITION) {
      return isUncertain ? writtenBefore() : CompletableFuture.failedFuture(alreadyStored());
    }
    lastSeen.conflictAt(conflict.sequence());
    ConsistencyMarker marker = condition.consistencyMarker();
    var rejected = AppendEventsTransactionRejectedException.conflictingEventsDetected(marker);
    rejected.initCause(conflict);
    return CompletableFuture.failedFuture(rejected);
  }

  /** An earlier attempt was written, unless these are other events with the same identifier. */
  private CompletableFuture<Long> writtenBefore() {
    String last = identifiers.getLast();
    byte[] query = Json.body(json -> {
      json.writeStartObject();
      json.writeFieldName("query");
      Queries.writeForId(json, identifiers.getFirst(), last);
      json.writeNumberField("limit", 2);
      json.writeEndObject();
    });
    return connection.send(StoreRequest.query(query, Duration.ZERO)).thenApply(Page::of).thenApply(page -> {
      JsonNode first = page.events().getFirst();
      JsonNode end = page.events().getLast();
      long length = end.path("sequence").asLong() - first.path("sequence").asLong() + 1;
      if (length != identifiers.size() || !end.at("/metadata/" + EventWriter.ID).asText().equals(last)) {
        throw alreadyStored();
      }
      lastSeen.update(page.storeId(), end.path("sequence").asLong());
      return end.path("sequence").asLong();
    });
  }

  private EventStoreException alreadyStored() {
    return new EventStoreException("events[0]: the store already has an event with the identifier '%s'"
        .formatted(identifiers.getFirst()));
  }

  /** The failure of the last attempt says nothing about an earlier attempt whose answer was lost. */
  private Throwable lastFailure(Throwable failure) {
    boolean isOfOneAttempt =
        failure instanceof StoreUnavailableException || failure instanceof StoreRequestException;
    return isUncertain && isOfOneAttempt
        ? new OutcomeUnknownException(
            "the events may have been written: an answer was lost; then: " + failure.getMessage(), failure)
        : failure;
  }
}
