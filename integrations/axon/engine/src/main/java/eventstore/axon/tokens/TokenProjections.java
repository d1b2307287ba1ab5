package eventstore.axon.tokens;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import eventstore.axon.EventStoreConnection;
import eventstore.axon.StoreAnswer;
import eventstore.axon.StoreConflictException;
import eventstore.axon.StoreRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Reads and writes the projections of tokens. Its methods block. */
final class TokenProjections {

  private static final String TYPE = "axon-token:";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final EventStoreConnection connection;
  private final TokenCodec codec;

  TokenProjections(EventStoreConnection connection, TokenCodec codec) {
    this.connection = connection;
    this.codec = codec;
  }

  static String typeOf(String processor) {
    return TYPE + processor;
  }

  TokenCodec codec() {
    return codec;
  }

  String storeId() {
    return join(connection.read(StoreRequest.get("/projections?limit=1"))).storeId();
  }

  /** Null if there is none. */
  StoredToken read(SegmentKey key) {
    return decoded(key, join(reading(key)));
  }

  /** All segments of a processor. A segment that is deleted meanwhile may be missing. */
  List<TokenEntry> readAll(String processor) {
    List<SegmentKey> keys = segmentIds(processor).stream().map(id -> new SegmentKey(processor, id)).toList();
    // All are asked for at once.
    List<CompletableFuture<StoreAnswer>> reads = keys.stream().map(this::reading).toList();
    List<TokenEntry> entries = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      StoredToken stored = decoded(keys.get(i), join(reads.get(i)));
      if (stored != null) {
        entries.add(stored.entry());
      }
    }
    return entries;
  }

  List<Integer> segmentIds(String processor) {
    List<Integer> ids = new ArrayList<>();
    String path = "/projections?type=" + encoded(typeOf(processor));
    for (String after = "";;) {
      StoreAnswer answer = join(connection.read(StoreRequest.get(path + after)));
      int before = ids.size();
      boolean hasMore = false;
      for (String line : answer.text().split("\n")) {
        JsonNode json = jsonOf(line, answer);
        if (json.has("hasMore")) {
          hasMore = json.get("hasMore").booleanValue();
        } else {
          ids.add(segmentIdOf(json.path("id").asText(), processor));
        }
      }
      if (!hasMore) {
        return ids;
      }
      if (ids.size() > before) {
        after = "&after=" + ids.getLast();
      }
    }
  }

  /** The new versions of what was created and replaced; null after a conflict. */
  Map<SegmentKey, String> write(TokenWrite write) {
    StoreAnswer answer;
    try {
      answer = join(connection.repeat(StoreRequest.write(write.body())));
    } catch (StoreConflictException e) {
      return null;
    }
    JsonNode lists = answer.json().path("projections");
    Map<SegmentKey, String> versions = new HashMap<>();
    addVersions(versions, write.created(), lists.path("create"));
    addVersions(versions, write.replaced(), lists.path("replace"));
    return versions;
  }

  private CompletableFuture<StoreAnswer> reading(SegmentKey key) {
    String path = "/projections/%s/%d".formatted(encoded(typeOf(key.processor())), key.segmentId());
    return connection.read(StoreRequest.get(path));
  }

  /** Runs on the thread of the caller, whose class loader knows the tokens of the application. */
  private StoredToken decoded(SegmentKey key, StoreAnswer answer) {
    if (answer.status() == 404) {
      return null;
    }
    try {
      String payload = answer.text();
      TokenEntry entry = codec.decode(key.segmentId(), payload);
      return new StoredToken(answer.header("x-service-version"), TokenCodec.writeOf(payload), entry);
    } catch (JsonProcessingException | RuntimeException e) {
      throw new IllegalStateException("the token of %s cannot be read: %s".formatted(key, e.getMessage()), e);
    }
  }

  private static void addVersions(Map<SegmentKey, String> versions, List<SegmentKey> keys, JsonNode items) {
    for (int i = 0; i < keys.size(); i++) {
      versions.put(keys.get(i), items.path(i).path("version").asText());
    }
  }

  private static JsonNode jsonOf(String line, StoreAnswer answer) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the list of projections at %s is not JSON".formatted(answer.url()), e);
    }
  }

  private static int segmentIdOf(String id, String processor) {
    try {
      return Integer.parseInt(id);
    } catch (NumberFormatException e) {
      throw new IllegalStateException(
          "the projection %s/%s is no token: its ID is no number".formatted(typeOf(processor), id), e);
    }
  }

  private static String encoded(String segment) {
    return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
