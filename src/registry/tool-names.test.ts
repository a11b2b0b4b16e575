import { describe, expect, it } from "vitest";
import { parseServerName } from "./tool-id.js";
import { toolNamesOf } from "./tool-names.js";

/** `server tool`, with a `*` behind it where it is listed without its server. */
function check(tools: string, name: string, expected: string | undefined): void {
  const named = tools.split(", ").map((text) => {
    const [server = "", tool = ""] = text.replace("*", "").split("/");
    return { server: parseServerName(server), name: tool, isBare: text.endsWith("*") };
  });
  expect(toolNamesOf(named).toolCalled(name), name).toBe(expected);
}

describe("[TB-6, ID-3] the names of tools", () => {
  it("are found however they are spelled", () => {
    for (const name of ["mail:send_it", "Mail:sendIt", "MAIL:SEND-IT", "mail:sendit"])
      check("mail/send_it", name, "mail:send_it");
    check("my.mail/a b", "my-mail:aB", "my.mail:a b");
  });
  it("are those of a server and a tool, and not of either", () => {
    for (const name of ["mail", "send", "mail:send:it", "mailsend", "other:send"])
      check("mail/send", name, undefined);
  });
  it("may hold colons", () => check("mail/send:all", "mail:Send:All", "mail:send:all"));
  it("may be bare", () => {
    check("mail/send*", "Send", "mail:send");
    check("mail/send*", "mail:send", "mail:send");
  });
  it("belong to a tool also if two tools differ in spelling only", () =>
    check("mail/tool_1, mail/Tool-1", "mail:tool1", "mail:Tool-1"));
});
