import { DelayingProxy } from "../../tests/support/delaying_proxy.ts";

self.onmessage = ({ data }: MessageEvent<{ databasePort: number; milliseconds: number }>) => {
  self.postMessage(new DelayingProxy(data.databasePort, data.milliseconds).port);
};
