package eventstore.axon;

import org.axonframework.eventsourcing.eventstore.EventStoreException;

/**
 * There was no complete answer to a write. It may have happened, or may still happen. Repeat it only if a condition
 * makes the repetition fail after the first write.
 */
@SuppressWarnings("serial")
public class OutcomeUnknownException extends EventStoreException {

  /** Creates one with the address of the server and the reason. */
  public OutcomeUnknownException(String message, Throwable cause) {
    super(message, cause);
  }
}
