package eventstore.axon;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Every payload is stored as JSON, so that other programs can read it. JSON is stored as it is. Other bytes become a
 * JSON string, and a metadata entry says how. The bytes that are read are always those that were written.
 */
final class Payloads {

  private Payloads() {
  }

  /**
   * A payload as it is stored.
   *
   * @param json     JSON text
   * @param encoding {@code text} or {@code base64} for a string that stands for other bytes, {@code none} without a
   *                 payload, {@code null} for JSON
   */
  record Stored(String json, String encoding) {
  }

  /** How these bytes, or {@code null}, are stored. */
  static Stored stored(byte[] bytes) {
    if (bytes == null) {
      return new Stored("null", "none");
    }
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return new Stored(quoted(Base64.getEncoder().encodeToString(bytes)), "base64");
    }
    return isJson(text) ? new Stored(text, null) : new Stored(quoted(text), "text");
  }

  /** The bytes that were written. @throws IllegalArgumentException if the text does not fit the encoding */
  static byte[] bytes(String json, String encoding) {
    if (encoding == null) {
      return json.getBytes(StandardCharsets.UTF_8);
    }
    return switch (encoding) {
      case "none" -> null;
      case "text" -> unquoted(json).getBytes(StandardCharsets.UTF_8);
      case "base64" -> Base64.getDecoder().decode(unquoted(json));
      default -> throw new IllegalArgumentException("the encoding '%s' is not known".formatted(encoding));
    };
  }

  private static boolean isJson(String text) {
    try (JsonParser parser = StoreAnswer.JSON.createParser(text)) {
      if (parser.nextToken() == null) {
        return false;
      }
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (JacksonException e) {
      return false;
    } catch (IOException e) {
      throw new IllegalStateException("a parser of a string does no I/O", e);
    }
  }

  private static String quoted(String text) {
    return TextNode.valueOf(text).toString();
  }

  private static String unquoted(String json) {
    try {
      return StoreAnswer.JSON.readValue(json, String.class);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("it is no JSON string", e);
    }
  }
}
