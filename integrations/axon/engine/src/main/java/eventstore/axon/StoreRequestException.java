package eventstore.axon;

import org.axonframework.eventsourcing.eventstore.EventStoreException;

/**
 * The server rejects the request, because it is wrong, too large or not allowed. Or the server has failed (500).
 * Nothing was written.
 */
@SuppressWarnings("serial")
public class StoreRequestException extends EventStoreException {

  private final int status;
  private final String code;

  /** Creates one with the status and the code of the server's answer. */
  public StoreRequestException(int status, String code, String message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** The status of the answer, such as 413. */
  public int status() {
    return status;
  }

  /** The server's code of the error, such as {@code PayloadTooLarge}. */
  public String code() {
    return code;
  }
}
