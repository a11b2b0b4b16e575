import { describe, expect, it } from "vitest";
import { queryText } from "./query-text.js";

const check = (intent: string, expected: string) =>
  expect(queryText(intent).steps.join(" | ")).toBe(expected);

describe("[DI-3] the steps of an intent", () => {
  it.each([
    ["Read the report, then send it to Ann", "Read the report | send it to Ann"],
    ["find files that contain TODO and count lines", "find files that contain TODO | count lines"],
    [
      "Please fetch the page. After that, could you translate it into German?",
      "fetch the page | translate it into German",
    ],
    [
      "fetch the page -> extract the tables -> plot them as bars",
      "fetch the page | extract the tables | plot them as bars",
    ],
    ["find the customer and email the invoice", "find the customer | email the invoice"],
    ["weather in Paris then restaurants nearby", "weather in Paris | restaurants nearby"],
    ["1. fetch the page 2. post a summary to Slack", "fetch the page | post a summary to Slack"],
    ["- weather in Paris\n- restaurants nearby", "weather in Paris | restaurants nearby"],
    [
      "draw the data as a chart, including a word cloud, highlighting outliers",
      "draw the data as a chart, including a word cloud | highlighting outliers",
    ],
    [
      "What is the weather in Paris, and book a table for two",
      "What is the weather in Paris | book a table for two",
    ],
    ["My user id is 12345. Delete my account and email a receipt", "Delete my account | email a receipt"],
  ])("%s", check);

  it.each([
    [
      "Cherche un vol, puis réserve un hôtel et envoie le résumé par mail",
      "search flight | book hotel | send summary by mail",
    ],
    ["1. Lire le fichier 2. Envoyer un mail", "read file | send mail"],
    ["Lis le fichier. Ensuite crée un ticket", "read file | create issue"],
  ])("in French: %s", check);

  it.each([
    [
      "Generate a report about bees in notes/bees.md",
      "Generate a report about bees in notes/bees.md | write a md file",
    ],
    [
      "Read the article on bees, saved to /root/bees.txt",
      "Read the article on bees, saved to /root/bees.txt | write a txt file",
    ],
    ["Summarize the talk into notes/talk.md", "Summarize the talk into notes/talk.md | write a md file"],
    ["Summarize it and save the result as out.pdf", "save the result as out.pdf | write a pdf file"],
  ])("writing a file that is named is one: %s", check);

  it.each([
    "read a JSON file",
    "",
    "???",
    "list issues and pull requests",
    "search and replace text in files",
    "create, read, update and delete notes",
    "get the value for key 'read, then write it' from redis",
    "write hello to /tmp/a.txt",
    "save it as report.md",
    "move a.txt to /b/c.txt",
    "read the text in /etc/hosts.txt",
    "What are good places to visit? I am in Rome. It is raining.",
    "Find the bug in src/app/main.ts",
    "Summarize what is in docs/readme.md",
    "Read the data stored in data.csv",
    "Run the query in db/report.sql",
    "Get the name, email and order history of customer 12",
    "search for test and build failures",
  ])("one thing to do has none: %s", (intent) => check(intent, ""));

  it("are few, each once", () => {
    expect(queryText("read page one, ".repeat(200)).steps).toEqual([]);
    const many = Array.from({ length: 200 }, (_, at) => `read page ${at}`).join(", ");
    expect(queryText(many).steps).toHaveLength(6);
  });
});
