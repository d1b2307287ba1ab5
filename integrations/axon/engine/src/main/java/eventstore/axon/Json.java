package eventstore.axon;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;

/** JSON of requests. */
final class Json {

  /** Writes JSON. */
  interface Writer {

    void write(JsonGenerator json) throws IOException;
  }

  private Json() {
  }

  /** The text that a writer writes. @throws IllegalArgumentException if UTF-8 cannot represent it */
  static String text(Writer writer) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = StoreAnswer.JSON.createGenerator(text)) {
      writer.write(json);
    } catch (IOException e) {
      throw new IllegalStateException("a generator of a string does no I/O", e);
    }
    String json = text.toString();
    // Another character would take its place, and the server would not see it.
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(json)) {
      throw new IllegalArgumentException("a text contains a lone surrogate");
    }
    return json;
  }

  /** The same as a body. */
  static byte[] body(Writer writer) {
    return text(writer).getBytes(StandardCharsets.UTF_8);
  }
}
