package eventstore.axon;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A complete page of events.
 *
 * @param storeId the store that it was read from
 * @param head    the end of the store when the page began
 * @param events  the events as the server sends them, in ascending order
 * @param hasMore whether more events match
 */
record Page(String storeId, long head, List<JsonNode> events, boolean hasMore) {

  /** Parses an answer. A page without its last line was cut short. */
  static Page of(StoreAnswer answer) {
    List<JsonNode> events = new ArrayList<>();
    byte[] body = answer.body();
    for (int start = 0, end = 0; end < body.length; end++) {
      if (body[end] != '\n') {
        continue;
      }
      JsonNode line = answer.json(start, end);
      if (line.has("hasMore")) {
        return new Page(answer.storeId(), answer.head(), events, line.get("hasMore").asBoolean());
      }
      events.add(line);
      start = end + 1;
    }
    throw answer.unexpected("a page without its last line");
  }

  /** The position up to which all matching events have been read, given the position before the page. */
  long endAfter(long position) {
    return hasMore ? events.getLast().path("sequence").asLong() : Math.max(position, head);
  }
}
