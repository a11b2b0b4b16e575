import { describe, expect, it } from "vitest";
import { clausesOf } from "./clauses.js";
import { englishIntent } from "./english-intent.js";

/** Each clause as `mood verb`. */
function clauses(intent: string): readonly string[] {
  return clausesOf(englishIntent(intent).text).map(({ mood, verb }) =>
    verb === undefined ? mood : `${mood} ${verb.name}`,
  );
}

describe("what clauses ask for", () => {
  it.each([
    ["Find the pods and collect their logs", ["command find", "command collect"]],
    ["please just sort the rows", ["command sort"]],
    ["I need you to rename these files", ["request rename"]],
    ["Could you check the links?", ["request check"]],
    ["the logs need rotating", ["passive rotate"]],
    ["Checks whether brackets are balanced", ["command check"]],
    ["round-robin fixtures", ["noun"]],
    ["shift plan of the week", ["noun"]],
    ["mails I sent last week", ["noun"]],
    ["Should we water the lawn?", ["question"]],
    ["old sessions must be thrown out", ["passive delete"]],
    ["Which pods are failing?", ["question"]],
    ["is it a leap year", ["question"]],
    ["a script for renaming photos", ["request rename"]],
    ["Syncing the calendars", ["command sync"]],
    ["moving average of the values", ["noun"]],
    ["test results of the week", ["noun"]],
    ["merge request 12: is it ready?", ["noun", "question"]],
    ["Don't touch them, just list", ["story", "command list"]],
  ])("[CU-2] %s", (intent, expected) => {
    expect(clauses(intent)).toEqual(expected);
  });

  it.each([
    ["Compte les lignes du fichier", ["command count"]],
    ["Mettre à jour le prix des produits", ["command update"]],
    ["Peux-tu vérifier que les liens marchent ?", ["command check"]],
  ])("[CU-2] in French: %s", (intent, expected) => {
    expect(clauses(intent)).toEqual(expected);
  });
});

describe("what is said in one word", () => {
  it.each([
    ["tickets past their due date", "overdue"],
    ["images that are no longer used", "unused"],
    ["rows that point to a customer that does not exist any more", "orphan"],
    ["invoices nobody has paid, that is: not paid", "unpaid"],
    ["pages that have no owner", "missing"],
    ["Les secrets qui ne sont plus utilisés", "unused"],
    ["les fichiers en double", "duplicate"],
    ["Les contrats pas encore signés", "unsigned"],
    ["forms that are not valid", "invalid"],
    ["letters that never got a reply", "unanswered"],
    ["les plus gros dossiers", "largest"],
  ])("[CU-2] %s: %s", (intent, word) => {
    expect(englishIntent(intent).text.split(/\W+/)).toContain(word);
  });
});
