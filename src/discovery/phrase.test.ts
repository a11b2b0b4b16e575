import { describe, expect, it } from "vitest";
import { alikeness, phraseOf } from "./phrase.js";

const alike = (one: string, other: string) => alikeness(phraseOf(one), phraseOf(other));

describe("how alike two intents are", () => {
  it.each([
    ["the same", "Read a JSON file!", "read a  json FILE"],
    ["accents", "Résumé du texte", "resume du texte"],
  ])("[EX-14] is 1: %s", (_what, one, other) => {
    expect(alike(one, other)).toBe(1);
  });

  it.each([
    ["other forms of the words", "read the JSON files", "reading a JSON file"],
    ["words that mean the same", "list all files in a folder", "list all files in the directory"],
    ["an infinitive", "to read a JSON file", "read a JSON file"],
    ["politeness", "please could you read the given JSON file", "read a JSON file"],
    ["an arrow", "convert CSV -> JSON", "convert CSV to JSON"],
  ])("[EX-14] is more than 0.95 for nearly the same wording: %s", (_what, one, other) => {
    expect(alike(one, other)).toBeGreaterThan(0.95);
    expect(alike(other, one)).toBe(alike(one, other));
  });

  it.each([
    ["another verb", "read the file", "delete the file"],
    ["another object", "read a JSON file", "read a CSV file"],
    ["the other way round", "convert CSV to JSON", "convert JSON to CSV"],
    ["other directions", "convert from CSV to JSON", "convert to CSV from JSON"],
    ["another direction", "send a message to Ada", "send a message from Ada"],
    ["before and after", "list the orders before today", "list the orders after today"],
    ["not", "delete the old files", "do not delete the old files"],
    ["a word more", "weather in Paris", "weather in Paris tomorrow"],
    ["a number", "resize it to 100 pixels", "resize it to 200 pixels"],
    ["a word twice", "add the user to the user group", "add the user to the group"],
    ["signs", "format the C# file", "format the C++ file"],
    ["a comparison", "keep rows where x < 5", "keep rows where x > 5"],
    ["currencies", "convert $ to €", "convert € to $"],
    ["a calculation", "compute x * y", "compute x / y"],
    ["a sign before a number", "add -5 to the total", "add 5 to the total"],
    ["pictures", "set the status to 🔒", "set the status to 🔓"],
    ["the end of a long one", `${"count a row, ".repeat(60)}keep it`, `${"count a row, ".repeat(60)}drop it`],
    ["a run of letters that is no word", `open ${"abcdefgh".repeat(6)}`, `open ${"hgfedcba".repeat(6)}`],
    [
      "one word among twenty",
      "deploy the staging branch of the billing service and tell the team about the result in the release channel",
      "deploy the production branch of the billing service and tell the team about the result in the release channel",
    ],
  ])("[EX-14] is never sure of what differs: %s", (_what, one, other) => {
    expect(alike(one, other)).toBeLessThan(0.85);
    expect(alike(other, one)).toBe(alike(one, other));
  });

  it("[DI-1] is small for what has nothing in common, and 0 for nothing", () => {
    expect(alike("book a flight", "parse JSON")).toBe(0);
    expect(alike("", "")).toBe(0);
    expect(alike("", "read")).toBe(0);
    expect(alike("the of", "read")).toBe(0);
  });
});
