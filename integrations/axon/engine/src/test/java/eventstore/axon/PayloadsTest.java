package eventstore.axon;

import static eventstore.axon.TestServer.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PayloadsTest {

  private static void assertStored(byte[] payload, String json, String encoding) {
    Payloads.Stored stored = Payloads.stored(payload);
    assertThat(stored).isEqualTo(new Payloads.Stored(json, encoding));
    assertThat(Payloads.bytes(stored.json(), stored.encoding())).isEqualTo(payload);
  }

  @Test
  void storesJsonAsItIs() {
    List.of("{\"seats\": 30 }", " [1, 2.50]\n", "\"text\"", "null", "true", "-1e3",
        "{\"a\":1,\"a\":2}", "\"\\ud800\"").forEach(json -> assertStored(bytes(json), json, null));
  }

  @Test
  void storesOtherTextAsAString() {
    assertStored(bytes("event-0"), "\"event-0\"", "text");
    assertStored(bytes("<seats n=\"30\"/>"), "\"<seats n=\\\"30\\\"/>\"", "text");
    for (String text : List.of(
        "", " ", "{", "{} {}", "[1,]", "\ufeff{}", "NaN", "'a'", "01", "\u0000", "{}//")) {
      Payloads.Stored stored = Payloads.stored(bytes(text));
      assertThat(stored.encoding()).as(text).isEqualTo("text");
      assertThat(Payloads.bytes(stored.json(), "text")).isEqualTo(bytes(text));
    }
  }

  @Test
  void storesOtherBytesAsBase64() {
    assertStored(new byte[] {(byte) 0xa1, 0x61, 0x61, 0x01}, "\"oWFhAQ==\"", "base64");
    assertStored(new byte[] {'"', (byte) 0xc3, '"'}, "\"IsMi\"", "base64");
    Random random = new Random(1);
    for (int i = 0; i < 1000; i++) {
      byte[] payload = new byte[random.nextInt(20)];
      random.nextBytes(payload);
      Payloads.Stored stored = Payloads.stored(payload);
      assertThat(Payloads.bytes(stored.json(), stored.encoding())).isEqualTo(payload);
    }
  }

  @Test
  void storesNoPayloadAsNull() {
    assertStored(null, "null", "none");
  }

  @Test
  void namesAnEncodingThatItDoesNotKnow() {
    assertThatIllegalArgumentException().isThrownBy(() -> Payloads.bytes("\"\"", "zip"))
        .withMessageContaining("'zip'");
    assertThatIllegalArgumentException().isThrownBy(() -> Payloads.bytes("{}", "base64"));
    assertThatIllegalArgumentException().isThrownBy(() -> Payloads.bytes("\"%\"", "base64"));
  }
}
