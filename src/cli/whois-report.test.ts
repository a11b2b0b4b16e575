import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import * as report from "./whois-report.js";

const whoisText = loosely(report.whoisText);

describe("[UX-1] all about a capability", () => {
  it("[EX-9] has a line for each task of the graph that it was made of", () =>
    expect(
      whoisText({
        display_name: "conf:both",
        source: "dag",
        learning: { paths: [], decisionStats: [] },
        traces: [],
        dag: {
          tasks: [
            { id: "app", tool: "fs:read", arguments: { path: "a" } },
            { id: "then\u001b", capability: "conf:check", dependsOn: ["app"] },
          ],
        },
      }),
    ).toBe(
      [
        "display name  conf:both",
        "source        dag",
        "",
        "tasks",
        '  app         fs:read     {"path":"a"}',
        "  then\\u{1b}  conf:check                after app",
      ].join("\n"),
    ));
});
