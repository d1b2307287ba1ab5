package eventstore.axon;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.eventhandling.EventMessage;

/**
 * A stream that reads page after page. It asks for the next page when less than one page is left, so it has at most two
 * pages in memory. When the connection is lost, it repeats the request for the same page, with pauses that grow.
 */
abstract class PageStream implements MessageStream<EventMessage> {

  private final EventStoreConnection connection;
  private final ReentrantLock lock = new ReentrantLock();
  /**
   * Callbacks run one at a time. The framework's callbacks ignore a call that comes during another one, and would not
   * see what it brings.
   */
  private final ReentrantLock callbackLock = new ReentrantLock();
  private final Deque<Entry<EventMessage>> ready = new ArrayDeque<>();
  private Runnable callback = () -> {
  };
  /** The request that is under way, or the pause before it. */
  private CompletableFuture<?> request;
  private int failures;
  private boolean isComplete;
  private Throwable error;

  PageStream(EventStoreConnection connection) {
    this.connection = connection;
  }

  /** The request for the next page. */
  abstract StoreRequest nextRequest();

  /** Adds the entries of a page. @return whether the stream ends with it */
  abstract boolean accept(Page page, Deque<Entry<EventMessage>> entries);

  /** Whether to repeat a request that has failed with a failure that passes. Called before each repetition. */
  abstract boolean repeats(Throwable failure, int failures);

  /** Called with the first page after failures. */
  void recovered() {
  }

  /**
   * Requests a page, unless one is under way or enough events are ready. It is not called with the lock, because an
   * answer that is already there calls the consumer.
   */
  final void readOn() {
    CompletableFuture<StoreAnswer> sent;
    lock.lock();
    try {
      if (request != null || isComplete || ready.size() >= connection.settings().eventsPerPage()) {
        return;
      }
      sent = connection.send(nextRequest());
      request = sent;
    } finally {
      lock.unlock();
    }
    sent.thenApply(Page::of).whenComplete(this::received);
  }

  private void received(Page page, Throwable failure) {
    CompletableFuture<?> pause = null;
    lock.lock();
    try {
      if (isComplete) {
        return;
      }
      if (failure != null) {
        pause = pauseAfter(StoreErrors.rootOf(failure));
      } else {
        isComplete = accept(page, ready);
        if (failures > 0) {
          failures = 0;
          recovered();
        }
      }
      request = pause;
    } catch (RuntimeException e) {
      end(e);
    } finally {
      lock.unlock();
    }
    if (pause == null) {
      readOn();
    } else {
      pause.thenRun(this::repeat);
    }
    notifyConsumer();
  }

  /** The pause before the request is repeated. There is none if the stream ends with this failure. */
  private CompletableFuture<?> pauseAfter(Throwable failure) {
    failures++;
    if (StoreErrors.isPassing(failure) && repeats(failure, failures)) {
      return CompletableFuture.runAsync(() -> {
      }, Retries.pause(failures));
    }
    end(failure);
    return null;
  }

  private void repeat() {
    lock.lock();
    try {
      request = null;
    } finally {
      lock.unlock();
    }
    readOn();
  }

  private void end(Throwable failure) {
    error = failure;
    isComplete = true;
  }

  private void notifyConsumer() {
    callbackLock.lock();
    try {
      callback.run();
    } catch (RuntimeException e) {
      lock.lock();
      try {
        end(e);
      } finally {
        lock.unlock();
      }
    } finally {
      callbackLock.unlock();
    }
  }

  @Override
  public Optional<Entry<EventMessage>> next() {
    Optional<Entry<EventMessage>> entry;
    lock.lock();
    try {
      entry = Optional.ofNullable(ready.poll());
    } finally {
      lock.unlock();
    }
    readOn();
    return entry;
  }

  @Override
  public Optional<Entry<EventMessage>> peek() {
    lock.lock();
    try {
      return Optional.ofNullable(ready.peek());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void setCallback(Runnable whenAvailable) {
    callbackLock.lock();
    try {
      callback = whenAvailable;
      if (hasNextAvailable() || isCompleted()) {
        notifyConsumer();
      }
    } finally {
      callbackLock.unlock();
    }
  }

  @Override
  public Optional<Throwable> error() {
    lock.lock();
    try {
      // The events before the error are still to be consumed.
      return ready.isEmpty() ? Optional.ofNullable(error) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean isCompleted() {
    lock.lock();
    try {
      return isComplete && ready.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean hasNextAvailable() {
    lock.lock();
    try {
      return !ready.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the request that is under way, also at the server. */
  @Override
  public void close() {
    CompletableFuture<?> ended;
    lock.lock();
    try {
      isComplete = true;
      ready.clear();
      ended = request;
    } finally {
      lock.unlock();
    }
    if (ended != null) {
      ended.cancel(true);
    }
  }
}
