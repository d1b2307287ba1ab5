package eventstore.axon.tokens;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy that loses answers: the server has done its work, but the client does not learn it. */
final class LosingProxy implements AutoCloseable {

  private final URI server;
  private final ServerSocket listener;
  private final AtomicInteger toLose = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();

  LosingProxy(URI server) throws IOException {
    this.server = server;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.startVirtualThread(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  /** Loses the next answers, and closes their connections. */
  void lose(int answers) {
    toLose.set(answers);
  }

  int lost() {
    return lost.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket upstream = new Socket(server.getHost(), server.getPort());
        Thread.startVirtualThread(() -> pump(client, upstream, false));
        Thread.startVirtualThread(() -> pump(upstream, client, true));
      } catch (IOException e) {
        // The listener was closed, or the server is down: the client sees a closed connection.
      }
    }
  }

  private void pump(Socket from, Socket to, boolean isAnswer) {
    byte[] buffer = new byte[65536];
    try (from; to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (isAnswer && toLose.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
          lost.incrementAndGet();
          return;
        }
        out.write(buffer, 0, read);
        out.flush();
      }
    } catch (IOException e) {
      // One side has closed the connection. So does this.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
