package eventstore.axon;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.axonframework.eventsourcing.eventstore.EventStoreException;

/** JSON of requests. */
final class Json {

  /** Writes JSON. */
  interface Writer {

    void write(JsonGenerator json) throws IOException;
  }

  private Json() {
  }

  /** The text that a writer writes. */
  static String text(Writer writer) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = StoreAnswer.JSON.createGenerator(text)) {
      writer.write(json);
    } catch (JsonProcessingException e) {
      throw new EventStoreException(e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw new IllegalStateException("a generator of a string does no I/O", e);
    }
    return text.toString();
  }

  /** The same as a body. */
  static byte[] body(Writer writer) {
    return text(writer).getBytes(StandardCharsets.UTF_8);
  }
}
