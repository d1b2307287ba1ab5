package eventstore.axon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.ClassUtils;

/** The metadata that editors show is written by hand. It agrees with the properties. */
class PropertiesMetadataTest {

  @Test
  void listsEachPropertyWithItsTypeAndDefault() throws IOException {
    Map<String, String> expected = new TreeMap<>();
    addProperties(expected, "eventstore.", EventStoreProperties.class);
    JsonNode metadata = new ObjectMapper().readTree(
        EventStoreProperties.class.getResource("/META-INF/spring-configuration-metadata.json"));
    Map<String, String> listed = new TreeMap<>();
    for (JsonNode property : metadata.path("properties")) {
      assertThat(property.path("description").asText()).endsWith(".");
      listed.put(property.path("name").asText(),
          property.path("type").asText() + " " + property.path("defaultValue").asText("none"));
    }
    assertThat(listed).isEqualTo(expected).hasSize(11);
  }

  private static void addProperties(Map<String, String> properties, String prefix, Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      String name = prefix + components[i].getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
      if (components[i].getType().isRecord()) {
        addProperties(properties, name + ".", components[i].getType());
        continue;
      }
      // The annotation is one of parameters.
      DefaultValue given = type.getDeclaredConstructors()[0].getParameters()[i].getAnnotation(DefaultValue.class);
      Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(components[i].getType());
      properties.put(name, boxed.getName() + " " + (given == null ? "none" : given.value()[0]));
    }
  }
}
