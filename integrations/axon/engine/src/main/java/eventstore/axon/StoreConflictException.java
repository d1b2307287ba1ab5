package eventstore.axon;

import com.fasterxml.jackson.databind.JsonNode;

/** A condition, or the version of a projection, does not hold. Nothing was written. */
@SuppressWarnings("serial")
public class StoreConflictException extends StoreRequestException {

  private final transient JsonNode conflict;

  /** Creates one with the {@code conflict} of the server's answer. */
  public StoreConflictException(String message, JsonNode conflict) {
    super(409, "ConcurrencyException", message);
    this.conflict = conflict;
  }

  /** The index of the condition that does not hold, or -1 if it is a projection. */
  public int condition() {
    return conflict.path("condition").asInt(-1);
  }

  /** The sequence of the first event that breaks the condition, or -1 if it was read on another store. */
  public long sequence() {
    return conflict.path("sequence").asLong(-1);
  }
}
