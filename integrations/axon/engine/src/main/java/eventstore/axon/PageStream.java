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

  /** Requests a page, unless one is under way or enough events are ready. */
  final void readOn() {
    lock.lock();
    try {
      if (request != null || isComplete || ready.size() >= connection.settings().eventsPerPage()) {
        return;
      }
      CompletableFuture<StoreAnswer> sent = connection.send(nextRequest());
      request = sent;
      sent.thenApply(Page::of).whenComplete((page, failure) -> received(sent, page, failure));
    } finally {
      lock.unlock();
    }
  }

  private void received(CompletableFuture<?> sent, Page page, Throwable failure) {
    lock.lock();
    try {
      if (isComplete) {
        return;
      }
      if (failure != null) {
        failed(StoreErrors.rootOf(failure));
      } else {
        request = null;
        if (failures > 0) {
          failures = 0;
          recovered();
        }
        isComplete = accept(page, ready);
      }
    } catch (RuntimeException e) {
      end(e);
    } finally {
      lock.unlock();
    }
    readOn();
    notifyConsumer();
  }

  private void failed(Throwable failure) {
    failures++;
    if (!StoreErrors.isPassing(failure) || !repeats(failure, failures)) {
      end(failure);
      return;
    }
    // Until the pause is over, `request` says that one is under way.
    CompletableFuture<Void> pause = CompletableFuture.runAsync(() -> {
    }, Retries.pause(failures));
    request = pause;
    pause.thenRun(() -> {
      lock.lock();
      try {
        request = null;
      } finally {
        lock.unlock();
      }
      readOn();
    });
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
    lock.lock();
    try {
      Optional<Entry<EventMessage>> entry = Optional.ofNullable(ready.poll());
      readOn();
      return entry;
    } finally {
      lock.unlock();
    }
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
