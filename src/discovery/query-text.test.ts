import { describe, expect, it } from "vitest";
import { queryText } from "./query-text.js";

describe("what is looked for", () => {
  it("[DI-2] an intent is itself, and has no parts", () => {
    expect(queryText(" read a JSON file ")).toEqual({
      text: "read a JSON file",
      wordings: ["read a JSON file"],
      parts: [],
      steps: [],
    });
  });

  it.each(["???", "🧨 … 🧨", "the", "could you please", "\u0000"])(
    "[DI-2] %j means nothing, and is near to nothing",
    (intent) =>
      expect(queryText(intent)).toEqual({ text: "", wordings: [intent.trim()], parts: [], steps: [] }),
  );

  it("[DI-2] a word of any script and length means something", () => {
    for (const intent of ["R", "ອ່ານ".repeat(30), "读", "из"]) expect(queryText(intent).text).toBe(intent);
  });

  it("[DI-3] a task of several sentences is looked up by each of them too", () => {
    const task =
      "Extract the text of a.pdf v2.5. Then translate it into German; send it to Ada!\nThanks. 保存文件。发送邮件";
    expect(queryText(task).parts).toEqual([
      "Extract the text of a.pdf v2.5.",
      "Then translate it into German;",
      "send it to Ada!",
      "保存文件",
      "发送邮件",
    ]);
    expect(queryText("Read the file. Thanks.").parts).toEqual([]);
  });

  it("[DI-2] a French one is looked up in English, and by its own words", () => {
    expect(queryText("Lis le fichier. Envoie un courriel à Ada.")).toEqual({
      text: "read file. send email to Ada.",
      wordings: ["Lis le fichier. Envoie un courriel à Ada.", "read file. send email to Ada."],
      parts: ["read file.", "send email to Ada."],
      steps: ["read file", "send email to Ada"],
    });
  });

  it.each([
    ["nothing", ""],
    ["signs", "…!? 👩‍🚀 \u0000\uFFFF\uD800"],
    ["a megabyte", "lis le fichier. ".repeat(60_000)],
    ["a megabyte without an end", "a".repeat(1_000_000)],
    ["a megabyte of ends", ". ".repeat(500_000)],
    ["right to left", "اقرأ الملف. ثم أرسله إلى الفريق."],
  ])("[DI-2] takes anything: %s", (_what, intent) => {
    const { text, parts, steps } = queryText(intent);
    expect(text.length).toBeLessThanOrEqual(8_000);
    expect(parts.length).toBeLessThanOrEqual(8);
    expect(steps.length).toBeLessThanOrEqual(6);
  });
});
