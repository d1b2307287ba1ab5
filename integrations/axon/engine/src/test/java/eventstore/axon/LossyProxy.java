package eventstore.axon;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/**
 * Forwards requests to a server. It gives up the connection instead of some answers: then the server has done what was
 * asked, and the client does not know.
 */
public final class LossyProxy implements AutoCloseable {

  private final URI target;
  private final Predicate<String> loses;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<String> lost = new CopyOnWriteArrayList<>();

  /** @param loses whether to lose the answer to a request such as {@code POST /write} */
  public LossyProxy(URI target, Predicate<String> loses) throws IOException {
    this.target = target;
    this.loses = loses;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Its address, for the client. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** All requests so far. */
  List<String> requests() {
    return requests;
  }

  /** Those whose answer was lost. */
  public List<String> lost() {
    return lost;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String request = exchange.getRequestMethod() + " " + exchange.getRequestURI();
      requests.add(request);
      HttpResponse<byte[]> answer = forward(exchange);
      if (loses.test(request)) {
        lost.add(request);
        return;
      }
      answer.headers().map().forEach((name, values) -> {
        if (name.startsWith("x-service") || name.equals("content-type")) {
          exchange.getResponseHeaders().put(name, values);
        }
      });
      byte[] body = answer.body();
      exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpResponse<byte[]> forward(HttpExchange exchange) throws IOException, InterruptedException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    HttpRequest request = HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()))
        .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body))
        .build();
    return client.send(request, BodyHandlers.ofByteArray());
  }

  @Override
  public void close() {
    client.shutdownNow();
    server.stop(0);
    threads.shutdownNow();
  }
}
