package eventstore.axon.tokens;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.axonframework.conversion.Converter;
import org.axonframework.messaging.eventhandling.processing.streaming.segmenting.Segment;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;

/** Payloads of projections from and to entries. JSON, so that the explorer shows it. */
final class TokenCodec {
  private static final ObjectMapper JSON = JsonMapper.builder()
      .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final Converter converter;

  TokenCodec(Converter converter) {
    this.converter = converter;
  }

  /** The payload of an entry, with the ID of the write that it is part of. */
  String encode(TokenEntry entry, String write) {
    ObjectNode payload = JSON.createObjectNode();
    payload.put("mask", entry.segment().getMask());
    if (entry.token() != null) {
      payload.put("tokenType", entry.token().getClass().getName());
      byte[] bytes = converter.convert(entry.token(), byte[].class);
      JsonNode readable = jsonOrNull(bytes);
      if (readable == null) {
        payload.put("tokenBase64", Base64.getEncoder().encodeToString(bytes));
      } else {
        payload.set("token", readable);
      }
    }
    if (entry.claim() != null) {
      payload.put("owner", entry.claim().owner());
      payload.put("claim", entry.claim().id());
      payload.put("extendedAt", entry.claim().extendedAt().toString());
    }
    return payload.put("write", write).toString();
  }

  TokenEntry decode(int segmentId, String payload) throws JsonProcessingException {
    JsonNode json = JSON.readTree(payload);
    TokenEntry.Claim claim = json.has("owner")
        ? new TokenEntry.Claim(json.get("owner").textValue(), json.get("claim").textValue(),
            Instant.parse(json.get("extendedAt").textValue()))
        : null;
    return new TokenEntry(new Segment(segmentId, json.get("mask").intValue()), tokenOf(json), claim);
  }

  /** The ID of the write that this payload came with, or null. */
  static String writeOf(String payload) throws JsonProcessingException {
    return JSON.readTree(payload).path("write").textValue();
  }

  private TrackingToken tokenOf(JsonNode json) {
    if (!json.has("tokenType")) {
      return null;
    }
    byte[] bytes = json.has("tokenBase64")
        ? Base64.getDecoder().decode(json.get("tokenBase64").textValue())
        : json.get("token").toString().getBytes(StandardCharsets.UTF_8);
    return converter.convert(bytes, typeOf(json.get("tokenType").textValue()));
  }

  private static Class<? extends TrackingToken> typeOf(String name) {
    try {
      // The class is not initialized before it is known to be one of tokens.
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      return Class.forName(name, false, loader != null ? loader : TokenCodec.class.getClassLoader())
          .asSubclass(TrackingToken.class);
    } catch (ClassNotFoundException | ClassCastException error) {
      throw new IllegalStateException("its type " + name + " is no TrackingToken in this application", error);
    }
  }

  private static JsonNode jsonOrNull(byte[] bytes) {
    try {
      JsonNode json = JSON.readTree(new String(bytes, StandardCharsets.UTF_8));
      // Bytes of another format may begin like a number.
      return json.isContainerNode() ? json : null;
    } catch (JsonProcessingException error) {
      return null;
    }
  }
}
