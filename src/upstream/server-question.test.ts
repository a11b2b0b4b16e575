import { ProtocolError } from "@modelcontextprotocol/client";
import type { InputRequest, InputRequiredResult } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { parseServerName } from "../registry/tool-id.js";
import { failureOf, questionOf, questionsOf } from "./server-question.js";

const MAIL = parseServerName("mail");
const NO_FIELDS = { type: "object", properties: {} };

type Params = Readonly<Record<string, unknown>>;

function asked(method: string, params: Params): Params {
  return questionOf(MAIL, { method, params } as unknown as InputRequest).params as Params;
}

/** The message that the user sees. */
function check(message: string, expected: string): void {
  expect(asked("elicitation/create", { message, requestedSchema: NO_FIELDS }).message).toBe(expected);
}

const schemaOf = (properties: Params) =>
  (
    asked("elicitation/create", { message: "", requestedSchema: { type: "object", properties } })
      .requestedSchema as Params
  ).properties;

describe("[TB-9] the question of a server", () => {
  it("begins with the server that asks", () => check("Which folder?", 'Server "mail" asks: Which folder?'));

  it("is the server's, also where it copies PML's own", () =>
    check(
      "PML asks: May this run call these tools?\n- bank:pay\nPML asks: once?",
      'Server "mail" asks: PML asks: May this run call these tools?\n> - bank:pay\n> PML asks: once?',
    ));

  it.each(["\n", "\r", "\r\n", "\u2028", "\u2029"])("has no line of its own behind %j", (end) =>
    check(`a${end}PML asks: once?${end}b`, 'Server "mail" asks: a\n> PML asks: once?\n> b'),
  );

  it("is the server's, also where it names another", () =>
    check('Server "bank" asks: PIN?', 'Server "mail" asks: Server "bank" asks: PIN?'));

  it("does not push the name of the server out of sight", () => {
    check(`a${"\n".repeat(500)}b`, 'Server "mail" asks: a\n> \n> b');
    check(`a${"\r\n \t\r".repeat(500)}b`, 'Server "mail" asks: a\n> \n> b');
    check(`a${" ".repeat(5_000)}b`, 'Server "mail" asks: a        b');
  });

  it("holds nothing invisible", () => check("a\u202eb\u{e0041}\x1b[2J", 'Server "mail" asks: ab[2J'));

  it("is cut where it is too long", () => {
    const { message } = asked("elicitation/create", {
      message: "x".repeat(LIMITS.questionChars + 7),
      requestedSchema: NO_FIELDS,
    });
    expect(message).toMatch(/x… \(7 more characters\)$/);
  });

  it.each([undefined, 5, null, {}])("takes %j for no message", (message) => {
    expect(asked("elicitation/create", { message, requestedSchema: NO_FIELDS }).message).toBe(
      'Server "mail" asks: ',
    );
  });

  it("has no fields but those that PML knows", () => {
    const params = { mode: "form", message: "a", requestedSchema: NO_FIELDS, title: "PML", task: {} };
    expect(Object.keys(asked("elicitation/create", params))).toEqual(["mode", "message", "requestedSchema"]);
  });

  it("has a form whose texts are cleaned, on one line, and bounded", () => {
    const field = { type: "string", title: `T\u200b\n${"t".repeat(300)}`, description: "d\u202e\n\n\nd" };
    const enumNames = ["Yes\u200b"];
    expect(schemaOf({ a: { ...field, enum: ["y"], enumNames, default: "y\u200b" } })).toEqual({
      a: {
        type: "string",
        title: `T ${"t".repeat(198)}… (102 more characters)`,
        description: "d d",
        enum: ["y"],
        enumNames: ["Yes"],
        default: "y",
      },
    });
  });

  it.each<[string, unknown, string]>([
    ["no form", undefined, 'not of type "object"'],
    ["a form of another type", { type: "string" }, 'not of type "object"'],
    ["a hidden field", { type: "object", properties: { "a\u200b": {} } }, "invisible characters"],
    ["a hidden choice", { type: "object", properties: { a: { enum: ["b\u200b"] } } }, "invisible characters"],
    [
      "a choice with a hidden value",
      { type: "object", properties: { a: { oneOf: [{ const: "b\u200b", title: "b" }] } } },
      "invisible characters",
    ],
    ["a field of two lines", { type: "object", properties: { "a\nPML asks: b": {} } }, "several lines"],
    [
      "a choice of two lines",
      { type: "object", properties: { a: { enum: ["b", "c\u2028PML asks: d"] } } },
      "several lines",
    ],
    [
      "a value of two lines",
      { type: "object", properties: { enum: { oneOf: [{ const: "b\rc", title: "b" }] } } },
      "several lines",
    ],
    [
      "too long a choice",
      { type: "object", properties: { a: { enum: ["x".repeat(LIMITS.questionChars + 1)] } } },
      "too long for a field",
    ],
    ["too long a form", { type: "object", properties: { a: { title: "x".repeat(70_000) } } }, "longer than"],
    [
      "too deep a form",
      { type: "object", properties: JSON.parse(`${'{"a":'.repeat(50)}1${"}".repeat(50)}`) },
      "nested",
    ],
  ])("is refused with %s", (_what, requestedSchema, reason) => {
    expect(() => asked("elicitation/create", { message: "a", requestedSchema })).toThrow(reason);
  });

  it("may have an address of the web, and no other", () => {
    const open = (url: unknown) =>
      asked("elicitation/create", { mode: "url", message: "Sign in", url, elicitationId: "e" });
    expect(open("https://mail.example/in?x=1")).toEqual({
      mode: "url",
      message: 'Server "mail" asks: Sign in',
      url: "https://mail.example/in?x=1",
      elicitationId: "e",
    });
    for (const url of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "https://a\u200b.example",
      "https://bank.example@evil.example/",
      "https://",
      5,
      undefined,
    ])
      expect(() => open(url), String(url)).toThrow("Cannot forward elicitation/create: its url");
  });

  it("is named to a model too, which gets nothing of other servers", () => {
    const params = {
      systemPrompt: "Be\u200b short",
      includeContext: "thisServer",
      maxTokens: 5,
      messages: [{ role: "user", content: { type: "text", text: "a\u200bb" } }],
    };
    expect(asked("sampling/createMessage", params)).toEqual({
      systemPrompt: 'Server "mail" asks:\nBe short',
      maxTokens: 5,
      messages: [{ role: "user", content: { type: "text", text: "ab" } }],
    });
    const { systemPrompt, messages } = asked("sampling/createMessage", { messages: 5 });
    expect([systemPrompt, messages]).toEqual(['Server "mail" asks:', []]);
  });

  it.each([undefined, "tools/call", "x\u200b"])("is refused where its method is %j", (method) => {
    expect(() => asked(method as string, {})).toThrow("PML does not support it");
  });

  it("is marked in the result of a 2026-era server", () => {
    const result = {
      resultType: "input_required",
      requestState: "s",
      inputRequests: {
        approval: { method: "elicitation/create", params: { message: "a", requestedSchema: NO_FIELDS } },
      },
    } as unknown as InputRequiredResult;
    expect(questionsOf(MAIL, result)).toMatchObject({
      requestState: "s",
      inputRequests: { approval: { params: { message: 'Server "mail" asks: a' } } },
    });
    const many = Array.from({ length: LIMITS.inputWaits + 1 }, (_, n) => [`q${n}`, { method: "roots/list" }]);
    expect(() => questionsOf(MAIL, { ...result, inputRequests: Object.fromEntries(many) })).toThrow(
      "there are 1001, more than the limit of inputWaits",
    );
    expect(() => questionsOf(MAIL, { ...result, inputRequests: { a: 5 } } as never)).toThrow("PML does not");
  });

  it("is marked in an error that asks to open addresses", () => {
    const data = {
      elicitations: [{ message: "PML asks: open", url: "https://a.example/", elicitationId: "e" }],
    };
    expect(failureOf(MAIL, new ProtocolError(-32042, "PML asks", data))).toMatchObject({
      code: -32042,
      message: 'Server "mail" asks: PML asks',
      data: { elicitations: [{ mode: "url", message: 'Server "mail" asks: PML asks: open' }] },
    });
    const bad = { elicitations: [{ message: "", url: "javascript:1" }] };
    expect(failureOf(MAIL, new ProtocolError(-32042, "", bad))).toMatchObject({ code: -32602 });
    const other = new ProtocolError(-32000, "no");
    expect(failureOf(MAIL, other)).toBe(other);
  });
});
