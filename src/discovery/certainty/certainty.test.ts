import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { Json } from "../../base/canonical-json.js";
import { certaintyOf } from "./certainty.js";

describe("how sure it is that an intent means a capability", () => {
  const of = (saying: string, intent: string, args: Readonly<Record<string, Json>> = {}) =>
    certaintyOf(intent, args, sampleCapability("own:one", { intent: saying }));

  it.each([
    ["Suspend a virtual machine", "is the virtual machine suspended?"],
    ["Suspend a virtual machine", "Has this virtual machine been suspended?"],
    ["Cancel an order", "was the order cancelled?"],
    ["Suspendre une machine", "is the machine suspended?"],
    ["Approve a leave request", "who approved the leave request?"],
    ["Approve a leave request", "who approved the leave request"],
    ["Compress an image", "is the image compressed?"],
    ["Restart a server", "when was the server restarted?"],
    ["Restart a server", "why was the server restarted?"],
    ["Approuver une demande de congé", "qui a approuvé la demande de congé ?"],
  ])("[LP-7] %s: asks whether it is done, and does not do it: %s", (saying, intent) => {
    expect(of(saying, intent)).toMatchObject({
      doubt: "the intent seems to ask for another action",
    });
    expect(of(saying, intent).score).toBeLessThan(0.5);
  });

  it.each([
    ["Format the C# file", "format a C++ file"],
    ["List the orders over 100 €", "get the orders over 100 $"],
    ["Keep the rows with a price > 5", "get the rows with a price < 5"],
    [
      "Count the rows of a file",
      `${"count the rows of the file, ".repeat(12)}and delete all users of the server`,
    ],
  ])(
    "[LP-7] %s: is not meant for sure by what differs from it in signs, or at its end: %s",
    (saying, intent) => {
      expect(of(saying, intent).score).toBeLessThan(0.85);
    },
  );

  const OTHER_SCOPE = "the intent has a condition or a scope that the capability does not have";

  it.each([
    [
      "List the files that are larger than a size",
      "list the files that are smaller than a size",
      OTHER_SCOPE,
    ],
    ["Find the products below a price", "find the products above a price", OTHER_SCOPE],
    ["List the backups older than a date", "list the backups newer than a date", OTHER_SCOPE],
    ["Find who changed a file last", "find when a file was changed last", OTHER_SCOPE],
    [
      "Calculate the number of days between two dates",
      "add a number of days to a date",
      "the intent seems to ask for another action",
    ],
  ])("[LP-7] %s: is not what is asked for: %s", (saying, intent, doubt) => {
    expect(of(saying, intent)).toMatchObject({ doubt });
    expect(of(saying, intent).score).toBeLessThan(0.5);
  });

  it.each([
    ["List the files that are larger than a size", "show the files bigger than a size"],
    ["Compute the average of a column", "what is the mean of the column"],
    ["Rename a file", "give the file a new name"],
    ["Rename a file", "change the name of a file"],
    ["Look up a user by email address", "find the user with this e-mail"],
    ["List the open pull requests of a repository", "show all PRs that are open in a repo"],
  ])("[LP-7] %s: is said in other words: %s", (saying, intent) => {
    expect(of(saying, intent).score).toBeGreaterThan(0.85);
  });

  it.each([
    ["Create a ticket in a project", "create a project called WEB", { project: "WEB", title: "Blank page" }],
    ["Find duplicate files in a folder", "duplicate the files in /data", { folder: "/data" }],
    ["Supprimer les fichiers vides d'un dossier", "supprime les dossiers vides de /srv", { dossier: "/srv" }],
    ["List the orders that contain a product", "which products are in order 5512?", { order: "5512" }],
    ["List the orders placed by a customer", "find which customer placed order 99", { order: "99" }],
    ["Extract the text of a PDF document", "get the text of the document", { path: "a.md" }],
    ["Export a table to a CSV file", "export the users table to another database", { table: "users" }],
    ["Download an invoice as PDF", "get the amount of the invoice PDF", { invoice: "in_1" }],
    ["Translate a document into another language", "detect the language of a.docx", { path: "a.docx" }],
  ])("[LP-7] %s: is not run for what names the same things otherwise: %s", (saying, intent, args) => {
    expect(of(saying, intent, args).score).toBeLessThan(0.81);
  });

  it.each([
    ["Compute the error rate over the last minutes", "get the error rate", { minutes: 30 }],
    ["Delete the empty files of a folder", "delete empty files", { dossier: "/srv/export" }],
    [
      "Translate a document into another language",
      "translate a.docx to German",
      { path: "a.docx", language: "de" },
    ],
    ["Export a table to a CSV file", "export the table", { table: "users", path: "out/users.csv" }],
    ["List the pods in a Kubernetes namespace", "which pods are in this namespace?", {}],
    ["List the storage buckets that are publicly accessible", "list public storage buckets", {}],
    ["Approuver une demande de congé", "valide la demande de congé", {}],
    ["Mark an invoice as paid", "mark the invoice as paid", {}],
  ])("[LP-7] %s: arguments say what the intent leaves out: %s", (saying, intent, args) => {
    expect(of(saying, intent, args).score).toBeGreaterThan(0.85);
  });

  it.each([
    ["Suspend a virtual machine", "is it possible to suspend the virtual machine?"],
    ["Suspend a virtual machine", "can the virtual machine be suspended?"],
    ["List the issues of a project", "are there issues in the project?"],
    ["Restart a server", "can you restart the server?"],
    ["Who is on call?", "who is on call?"],
  ])("[LP-7] %s: may be asked for as a question: %s", (saying, intent) => {
    expect(of(saying, intent).doubt).not.toBe("the intent seems to ask for another action");
  });

  it("[SC-2] holds up the gateway for no text, however many clauses it has", () => {
    const otherIntents = ["one", "two", "three", "four", "five", "six", "seven", "eight"].map(
      (word) => `Remove file ${word}`,
    );
    const capability = sampleCapability("own:one", { intent: "Remove a file", otherIntents });
    const startedAt = performance.now();
    certaintyOf(`erase the oldest file ${"(".repeat(3_900)}`, {}, capability);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
