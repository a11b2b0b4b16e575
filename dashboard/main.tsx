/** The dashboard: a web page at `/`, or a view inside an MCP client. */
import "./known-language.js";
import { render } from "preact";
import { onPinNeeded, signIn } from "./api.js";
import { App } from "./app.js";
import { watchKeys } from "./keys.js";
import { connect } from "./live.js";
import { startInClient } from "./mcp-app.js";
import { askForPin } from "./parts/dialog.js";
import { watchAddress } from "./router.js";
import { watchTheme } from "./theme.js";

const into = document.getElementById("app");

async function start(): Promise<void> {
  if (into === null) return;
  // Web pages cannot put the dashboard into a frame, so the frame must belong to an MCP client.
  if (globalThis.parent !== globalThis.window) return startInClient(into);
  watchTheme();
  watchAddress();
  watchKeys();
  onPinNeeded(askForPin);
  const entry = () => {
    render(<App />, into);
    connect(() => void signIn().catch(() => undefined));
  };
  await signIn().then(entry, (error: unknown) => render(<App problem={error} />, into));
}

void start();
