package eventstore.axon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;

/** Turns answers and failures of requests into exceptions. */
final class StoreErrors {

  /** The longest text of another program that a message quotes, in characters. */
  private static final int QUOTED_MAX = 200;

  /**
   * The codes with which a server says that nothing was written. A code that is not here comes from a newer server.
   */
  private static final Set<String> NOTHING_WRITTEN = Set.of(
      "ConcurrencyException", "DiskFull", "Forbidden", "InternalError", "InvalidRequest", "PayloadTooLarge",
      "ProjectionNotFound", "ShuttingDown", "Standby", "Unauthorized", "Unavailable", "WriteQueueFull");

  private StoreErrors() {
  }

  /** The exception for an answer with an error. An error without the server's own header is one of a proxy. */
  static RuntimeException ofAnswer(StoreRequest request, URI url, HttpResponse<byte[]> answer) {
    int status = answer.statusCode();
    String code = answer.headers().firstValue("x-service-error").orElse(null);
    String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
    if (code == null || !NOTHING_WRITTEN.contains(code)) {
      String quoted = text.length() > QUOTED_MAX ? text.substring(0, QUOTED_MAX) : text;
      String sender = code == null ? "a proxy, or no server of this kind" : "a newer server";
      String reason = "%s answered %d %s %s".formatted(sender, status, code == null ? "" : code, quoted);
      return status < 500 && status >= 300 && !request.changes()
          ? new StoreRequestException(status, code == null ? "HTTP" + status : code, at(request, url, reason))
          : lost(request, url, reason.strip(), null);
    }
    JsonNode envelope = envelopeOf(answer.body());
    String message = at(request, url, envelope.path("message").asText(code));
    if (code.equals("ConcurrencyException")) {
      return new StoreConflictException(message, envelope.path("conflict"));
    }
    return status > 500
        ? new StoreUnavailableException(message, null)
        : new StoreRequestException(status, code, "%s (%s)".formatted(message, code));
  }

  /** The exception for a request without an answer. */
  static RuntimeException ofFailure(StoreRequest request, URI url, Throwable failure) {
    Throwable cause = rootOf(failure);
    if (isUnsent(cause)) {
      String reason = cause.getMessage() == null ? "connection refused, or unknown host" : cause.getMessage();
      return new StoreUnavailableException(at(request, url, "cannot reach the server: " + reason), cause);
    }
    if (cause instanceof TimeoutException) {
      return lost(request, url, "no answer in time", cause);
    }
    if (cause instanceof IOException) {
      return lost(request, url, "the connection was lost: " + cause.getMessage(), cause);
    }
    return cause instanceof RuntimeException runtime ? runtime : new IllegalStateException(cause);
  }

  /** The exception for a request whose answer is not the server's, or not complete. A read can be repeated. */
  static RuntimeException lost(StoreRequest request, URI url, String reason, Throwable cause) {
    return request.changes()
        ? new OutcomeUnknownException(at(request, url, reason + "; the write may have happened"), cause)
        : new StoreUnavailableException(at(request, url, reason), cause);
  }

  /** Whether the same request may succeed later. A write is repeated only if a condition makes that safe. */
  static boolean isPassing(Throwable failure) {
    Throwable cause = rootOf(failure);
    return cause instanceof StoreUnavailableException || cause instanceof OutcomeUnknownException;
  }

  /** The failure without the wrappers of futures. */
  static Throwable rootOf(Throwable failure) {
    Throwable root = failure;
    while (root instanceof CompletionException && root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }

  private static boolean isUnsent(Throwable cause) {
    return cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException
        || cause instanceof SSLHandshakeException || cause instanceof UnresolvedAddressException;
  }

  private static String at(StoreRequest request, URI url, String reason) {
    return "%s %s at %s: %s".formatted(request.method(), request.path(), url, reason);
  }

  private static JsonNode envelopeOf(byte[] body) {
    try {
      return StoreAnswer.JSON.readTree(body);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }
}
