package eventstore.axon;

import org.axonframework.common.AxonTransientException;

/** The server cannot be reached, or cannot do this now. Nothing was written. Try again later. */
@SuppressWarnings("serial")
public class StoreUnavailableException extends AxonTransientException {

  /** Creates one with the address of the server and the reason. */
  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
