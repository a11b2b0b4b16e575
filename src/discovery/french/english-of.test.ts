import { describe, expect, it } from "vitest";
import { englishOf } from "./english-of.js";

describe("French in English", () => {
  it.each([
    ["lire et analyser un fichier JSON", "read and analyze file JSON"],
    ["Cherche les derniers tickets du dépôt", "search last issue of repository"],
    ["Envoyez un e-mail à l'équipe avec la pièce jointe", "send email to team with attachment"],
    ["mets à jour la base de données", "update database"],
    ["J'ai besoin de réserver un vol pour Londres, puis un hôtel.", "book flight for London, then hotel."],
    ["Quel temps fera-t-il demain à Paris ?", "which weather tomorrow to Paris ?"],
    ["convertir des euros en dollars", "convert euros in dollars"],
    ["télécharger la vidéo", "download video"],
    ["envoyer un message à Ada", "send message to Ada"],
    ["création d'images", "creation of image"],
    ["Crée /tmp/le/la.txt avec readFile", "create /tmp/le/la.txt with readFile"],
  ])("[DI-2] %s", (french, english) => {
    expect(englishOf(french)).toBe(english);
  });

  it.each([
    ["English", "read a JSON file and send it by email"],
    ["English without small words", "list files"],
    ["English with French words in it", "get the de facto standard en route"],
    ["a name", "la la land"],
    ["a path", "Open the file in C:/le/la.txt"],
    ["a word that both have", "résumé"],
    ["words that both have", "image conversion"],
    ["another language", "使用必应搜索天气"],
    ["German", "lies die Datei und sende sie an das Team"],
    ["nothing", ""],
    ["signs", "'’- 👩‍🚀 \u0000\uD800"],
  ])("[DI-2] leaves alone what is not French: %s", (_what, text) => {
    expect(englishOf(text)).toBeUndefined();
  });

  it("[DI-2] tells the language of a long text by its beginning", () => {
    const french = "Lit le contenu du fichier. ".repeat(100);
    expect(englishOf(french)).toMatch(/^read content of file/i);
    expect(englishOf(`${"Reads the file that you name. ".repeat(20)}${french}`)).toBeUndefined();
  });

  it("[DI-2] reads the beginning of what is huge", () => {
    expect(englishOf("lire le fichier ".repeat(100_000))?.length).toBeLessThan(8_000);
    expect(englishOf(`lire le fichier ${"é".repeat(1_000_000)}`)?.length).toBeLessThan(9_000);
    expect(() => englishOf("l'".repeat(500_000))).not.toThrow();
  });
});
