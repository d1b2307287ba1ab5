package eventstore.axon.tokens;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The body of one request that creates, replaces and deletes tokens, all or nothing. */
final class TokenWrite {

  private final TokenCodec codec;
  private final String id;
  private final ObjectNode projections = JsonNodeFactory.instance.objectNode();
  private final List<SegmentKey> created = new ArrayList<>();
  private final List<SegmentKey> replaced = new ArrayList<>();

  /** A request whose entries carry this ID, so that they can be recognized when the answer is lost. */
  TokenWrite(TokenCodec codec, String id) {
    this.codec = codec;
    this.id = id;
  }

  void create(SegmentKey key, TokenEntry entry) {
    created.add(key);
    item("create", key).put("payload", codec.encode(entry, id));
  }

  void replace(SegmentKey key, String version, TokenEntry entry) {
    replaced.add(key);
    item("replace", key).put("version", version).put("payload", codec.encode(entry, id));
  }

  void delete(SegmentKey key, String version) {
    item("delete", key).put("version", version);
  }

  /** In the order of the versions that the server returns. */
  List<SegmentKey> created() {
    return created;
  }

  /** In the order of the versions that the server returns. */
  List<SegmentKey> replaced() {
    return replaced;
  }

  byte[] body() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.set("projections", projections);
    return body.toString().getBytes(StandardCharsets.UTF_8);
  }

  private ObjectNode item(String list, SegmentKey key) {
    return projections.withArrayProperty(list).addObject()
        .put("type", TokenProjections.typeOf(key.processor()))
        .put("id", Integer.toString(key.segmentId()));
  }
}
