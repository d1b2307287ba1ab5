package eventstore.axon;

import java.time.Duration;

/** Sees each request when it has ended, on a thread of the HTTP client. It must not block or throw. */
@FunctionalInterface
public interface RequestObserver {

  /**
   * A request has ended.
   *
   * @param request the request
   * @param status  the status of the answer, or 0 if none came
   * @param time    from sending the request to the end of the answer
   */
  void finished(StoreRequest request, int status, Duration time);
}
