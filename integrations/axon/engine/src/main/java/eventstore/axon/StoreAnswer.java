package eventstore.axon;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;

/**
 * An answer of the server without an error, or a 404 of a projection.
 *
 * @param request the request that it answers
 * @param url     the address of the server
 * @param status  the status code
 * @param headers the fields of its head
 * @param body    the whole body
 */
public record StoreAnswer(StoreRequest request, URI url, int status, HttpHeaders headers, byte[] body) {

  static final ObjectMapper JSON = new ObjectMapper();

  /** The ID of the store. */
  public String storeId() {
    return header("x-service-store");
  }

  /** The sequence of the last event in the store when the page began; 0 in an empty store. */
  public long head() {
    String value = header("x-service-head");
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw unexpected("X-Service-Head is '%s'".formatted(value));
    }
  }

  /** A field of the head that every such answer has. */
  public String header(String name) {
    return headers.firstValue(name).orElseThrow(() -> unexpected("it lacks the header " + name));
  }

  /** The body as text. */
  public String text() {
    return new String(body, StandardCharsets.UTF_8);
  }

  /** The body as JSON. */
  public JsonNode json() {
    return json(0, body.length);
  }

  /** A part of the body as JSON. */
  JsonNode json(int start, int end) {
    try {
      JsonNode value = JSON.readTree(body, start, end - start);
      if (value.isObject()) {
        return value;
      }
    } catch (JacksonException e) {
      throw unexpected("it is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw unexpected("it is not JSON: " + e.getMessage());
    }
    throw unexpected("it is no JSON object");
  }

  /** The error for an answer that the server would not send. */
  RuntimeException unexpected(String reason) {
    return StoreErrors.lost(request, url, "another program has answered, or a newer server: " + reason, null);
  }
}
