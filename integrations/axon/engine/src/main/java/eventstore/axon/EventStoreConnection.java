package eventstore.axon;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends requests to one store. All methods can be called by many threads. Share one connection among the engine and
 * the other components of an application, and close it at the end.
 *
 * <p>Failures of its futures: {@link StoreUnavailableException}, {@link OutcomeUnknownException},
 * {@link StoreConflictException} and {@link StoreRequestException}.
 */
public final class EventStoreConnection implements AutoCloseable {

  private final EventStoreSettings settings;
  private final String base;
  private final HttpClient client;
  private final RequestObserver observer;

  /** Connects with the first request. */
  public EventStoreConnection(EventStoreSettings settings) {
    this(settings, (request, status, time) -> { });
  }

  /** Reports each request to the observer. */
  public EventStoreConnection(EventStoreSettings settings, RequestObserver observer) {
    this.settings = settings;
    this.observer = observer;
    this.base = settings.url().toString().replaceAll("/+$", "");
    // A redirect could turn a write into a GET.
    this.client = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(settings.answerTimeout())
        .build();
  }

  /** The address and the timeouts. */
  public EventStoreSettings settings() {
    return settings;
  }

  /**
   * Sends a request once. Its answer has a status from 200 to 299, or it is the 404 of a projection. If the future is
   * cancelled, the connection of the request is closed.
   */
  public CompletableFuture<StoreAnswer> send(StoreRequest request) {
    HttpRequest sent;
    try {
      sent = httpRequest(request);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    long startedAt = System.nanoTime();
    CompletableFuture<HttpResponse<byte[]>> exchange = client.sendAsync(sent, BodyHandlers.ofByteArray());
    Duration time = settings.answerTimeout().plus(request.waitTime());
    CompletableFuture<StoreAnswer> answer = exchange.copy()
        .orTimeout(time.toMillis(), TimeUnit.MILLISECONDS)
        .handle((received, failure) -> {
          if (failure != null) {
            throw StoreErrors.ofFailure(request, settings.url(), failure);
          }
          return answerOf(request, received);
        });
    exchange.whenComplete((received, failure) -> observer.finished(
        request, received == null ? 0 : received.statusCode(), Duration.ofNanos(System.nanoTime() - startedAt)));
    // Ends an exchange that the caller has cancelled, or that takes too long.
    answer.whenComplete((received, failure) -> exchange.cancel(true));
    return answer;
  }

  /** Sends a request that only reads, and repeats it while the server cannot be reached. */
  public CompletableFuture<StoreAnswer> read(StoreRequest request) {
    return Retries.repeat(settings.retryTime(), () -> send(request));
  }

  /** Sends a write that cannot happen twice, since it names versions of projections. Repeats it as a read. */
  public CompletableFuture<StoreAnswer> repeat(StoreRequest request) {
    return Retries.repeat(settings.retryTime(), () -> send(request));
  }

  /** Closes all connections at once. Requests in progress fail; a write among them may have happened. */
  @Override
  public void close() {
    client.shutdownNow();
  }

  private StoreAnswer answerOf(StoreRequest request, HttpResponse<byte[]> received) {
    int status = received.statusCode();
    boolean isMissing = status == 404
        && received.headers().firstValue("x-service-error").filter("ProjectionNotFound"::equals).isPresent();
    if (status / 100 != 2 && !isMissing) {
      throw StoreErrors.ofAnswer(request, settings.url(), received);
    }
    return new StoreAnswer(request, settings.url(), status, received.headers(), received.body());
  }

  private HttpRequest httpRequest(StoreRequest request) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(base + request.path()))
        .method(request.method(), request.body() == null
            ? BodyPublishers.noBody()
            : BodyPublishers.ofByteArray(request.body()));
    String token = settings.token().get();
    if (token != null) {
      builder.header("Authorization", "Bearer " + printable(token));
    }
    return builder.build();
  }

  /** The error for a token that no header can hold does not show it. */
  private static String printable(String token) {
    if (!token.matches("[\\x20-\\x7e]+")) {
      throw new IllegalArgumentException("token: it must be printable ASCII characters");
    }
    return token;
  }
}
