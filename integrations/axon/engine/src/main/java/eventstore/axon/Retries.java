package eventstore.axon;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Repeats work that fails with a failure that passes, with random pauses that grow. */
final class Retries {

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long PAUSE_MILLIS_MAX = 2000;

  private Retries() {
  }

  /** Repeats the work until it succeeds, fails for good, or the time is over. */
  static <T> CompletableFuture<T> repeat(Duration time, Supplier<CompletableFuture<T>> work) {
    return attempt(System.nanoTime() + time.toNanos(), 1, work);
  }

  private static <T> CompletableFuture<T> attempt(
      long endsAt, int number, Supplier<CompletableFuture<T>> work) {
    return work.get().exceptionallyCompose(failure -> {
      if (!StoreErrors.isPassing(failure) || System.nanoTime() - endsAt >= 0) {
        return CompletableFuture.failedFuture(StoreErrors.rootOf(failure));
      }
      return CompletableFuture.supplyAsync(() -> null, pause(number))
          .thenCompose(ignored -> attempt(endsAt, number + 1, work));
    });
  }

  /**
   * Runs work at once after the first failure, since the server may only have closed an idle connection. Later, after a
   * random time, so that many clients that lost the same server do not return together.
   */
  static Executor pause(int failures) {
    long most = Math.min(PAUSE_MILLIS_MAX, FIRST_PAUSE_MILLIS << Math.min(failures, 10));
    long millis = failures == 1 ? 0 : ThreadLocalRandom.current().nextLong(most);
    return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
  }
}
