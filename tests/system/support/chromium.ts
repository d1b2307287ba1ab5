import { delay } from "../../../src/async/delay.ts";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import type { DebianProgram } from "./debian_program.ts";

/*
 * A page of headless Chromium, driven through the DevTools protocol.
 */

const CALL_SECONDS_MAX = 60;

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** A browser with a profile of its own, until it is disposed of. */
export class Chromium implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #directory: string;
  readonly #port: number;

  private constructor(child: Deno.ChildProcess, directory: string, port: number) {
    this.#child = child;
    this.#directory = directory;
    this.#port = port;
  }

  /** @param flags more flags of its command line */
  static async start({ root, environment }: DebianProgram, flags: readonly string[] = []): Promise<Chromium> {
    const directory = await Deno.makeTempDir({ prefix: "eventstore_chromium_" });
    const installed = root === "/" ? "/usr/lib/chromium/chromium" : join(root, "usr/lib/chromium/chromium");
    const child = new Deno.Command(installed, {
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--no-proxy-server",
        "--hide-scrollbars",
        "--remote-debugging-port=0",
        `--user-data-dir=${join(directory, "profile")}`,
        ...flags,
        "about:blank",
      ],
      env: { ...environment, HOME: directory, TZ: "UTC" },
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    try {
      return new Chromium(child, directory, await portOf(child.stderr));
    } catch (error) {
      child.kill("SIGKILL");
      await child.status;
      await Deno.remove(directory, { recursive: true });
      throw error;
    }
  }

  /** Opens a page, which is to be disposed of before the browser. */
  async open(url: string, options: PageOptions = {}): Promise<ChromiumPage> {
    const target = await fetch(`http://127.0.0.1:${this.#port}/json/new?about:blank`, { method: "PUT" });
    const { webSocketDebuggerUrl } = await target.json();
    const page = await ChromiumPage.connect(webSocketDebuggerUrl);
    await page.size(options);
    await page.goTo(url);
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.status;
    // Its other processes may write into the directory for a moment yet.
    await eventually(() => Deno.remove(this.#directory, { recursive: true }));
  }
}

/** The port that the browser names on standard error, which is read until it ends. */
async function portOf(stderr: ReadableStream<Uint8Array>): Promise<number> {
  const found = Promise.withResolvers<number>();
  (async () => {
    let text = "";
    for await (const piece of stderr.pipeThrough(new TextDecoderStream())) {
      text = (text + piece).slice(-10_000);
      const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
      if (port !== undefined) found.resolve(Number(port));
    }
    found.reject(new Error(`Chromium ended: ${text}`));
  })();
  return await found.promise;
}

export class ChromiumPage implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  readonly #listeners = new Map<string, (() => void)[]>();
  #next = 1;
  /** The errors that the page logged, and uncaught exceptions. */
  readonly problems: string[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
  }

  static async connect(url: string): Promise<ChromiumPage> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    const page = new ChromiumPage(socket);
    for (const domain of ["Page", "Runtime", "Log"]) await page.call(`${domain}.enable`);
    return page;
  }

  /** Calls a method of the protocol. */
  async call(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const waiting = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(
      () => waiting.reject(new Error(`${method}: nothing within ${CALL_SECONDS_MAX} s`)),
      1000 * CALL_SECONDS_MAX,
    );
    this.#socket.send(JSON.stringify({ id, method, params }));
    return await waiting.promise.finally(() => clearTimeout(timer));
  }

  async size({ width = 1280, height = 800, scheme = "light" }: PageOptions): Promise<void> {
    const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
    await this.call("Emulation.setDeviceMetricsOverride", metrics);
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await this.call("Emulation.setEmulatedMedia", { features });
  }

  /** Loads an address. An address that differs in its fragment alone loads nothing. */
  async goTo(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.#on("Page.loadEventFired", resolve));
    const { loaderId } = await this.call("Page.navigate", { url });
    if (loaderId !== undefined) await loaded;
  }

  /** Evaluates an expression in the page, and awaits its promise. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    }) as { result: { value: T }; exceptionDetails?: { exception?: { description?: string }; text: string } };
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  /** Waits until an expression is true. */
  async until(expression: string, seconds = 60): Promise<void> {
    const endsAt = performance.now() + 1000 * seconds;
    for (;;) {
      const value = await this.evaluate(expression).catch((error: Error) => error);
      if (value === true) return;
      if (performance.now() > endsAt) {
        const text = await this.evaluate("document.body.innerText.slice(0, 2000)");
        throw new Error(
          `not within ${seconds} s: ${expression}: ${value}\n${text}\n${this.problems.join("\n")}`,
        );
      }
      await delay(30);
    }
  }

  /** Types text where the focus is. */
  async type(text: string): Promise<void> {
    await this.call("Input.insertText", { text });
  }

  /** Presses a key, by the name that the DOM gives it. */
  async press(key: string): Promise<void> {
    const codes: Readonly<Record<string, number>> = {
      Enter: 13,
      Escape: 27,
      Backspace: 8,
      Tab: 9,
      ArrowDown: 40,
      ArrowUp: 38,
      PageDown: 34,
      " ": 32,
    };
    const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
    const code = codes[key] ?? key.toUpperCase().charCodeAt(0);
    const common = { key, windowsVirtualKeyCode: code, nativeVirtualKeyCode: code };
    await this.call("Input.dispatchKeyEvent", {
      type: "keyDown",
      ...common,
      ...text === undefined ? {} : { text },
    });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...common });
  }

  /** Moves the mouse from one point of the window to another with the button held, or just presses it. */
  async drag(from: readonly [number, number], to: readonly [number, number] = from): Promise<void> {
    const send = (type: string, [x, y]: readonly [number, number]): Promise<unknown> =>
      this.call("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: 1, clickCount: 1 });
    await send("mousePressed", from);
    if (to !== from) await send("mouseMoved", to);
    await send("mouseReleased", to);
  }

  /** The window as it looks, as PNG. */
  async screenshot(): Promise<Uint8Array> {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" }) as { data: string };
    return Uint8Array.fromBase64(data);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    await this.call("Page.close").catch(() => {});
    this.#socket.close();
  }

  #on(method: string, listener: () => void): void {
    this.#listeners.set(method, [...this.#listeners.get(method) ?? [], listener]);
  }

  #receive({ id, method, params = {}, result, error }: Message): void {
    if (id !== undefined) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result ?? {});
      else waiting?.reject(new Error(error.message));
    } else if (method === "Runtime.exceptionThrown") {
      const { exception, text } = params["exceptionDetails"] as {
        exception?: { description?: string };
        text: string;
      };
      this.problems.push(exception?.description ?? text);
    } else if (method === "Log.entryAdded") {
      const { level, text, url } = params["entry"] as { level: string; text: string; url?: string };
      if (level === "error") this.problems.push(`${text} ${url ?? ""}`);
    } else if (method !== undefined) {
      const listeners = this.#listeners.get(method) ?? [];
      this.#listeners.delete(method);
      for (const listener of listeners) listener();
    }
  }
}
