import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { CallbackListener } from "./callback-listener.js";

it("[DO-4] a path that is no address is answered", async () => {
  const listener = new CallbackListener(async () => "");
  const end = await listener.wait("http://127.0.0.1:47391/callback");
  const socket = connect(47391, "127.0.0.1");
  socket.write("GET // HTTP/1.1\r\nhost: 127.0.0.1:47391\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
  end();
});
