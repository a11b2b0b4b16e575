/**
 * Under which forms a French word may stand in a glossary: `fichiers` under `fichier`, `cherchez` under `chercher`.
 *
 * A wrong guess is no harm: it stands in no glossary, as a rule.
 *
 * @module
 */

/** What a word may end in, and what stands there in the glossary instead; in the order in which they are tried. */
const ENDINGS: readonly (readonly [endings: string, instead: string])[] = [
  ["s x", ""],
  ["e es ez ons ent ee ees ant ais ait aient era erai erez erons eront erait", "er"],
  ["ie ies ient", "yer"],
  ["e es", ""],
  ["aux", "al"],
  ["elle elles", "el"],
  ["ive ives", "if"],
  ["euse euses", "eux"],
  ["euse euses", "eur"],
  ["iere ieres", "ier"],
  ["enne ennes", "en"],
  ["geons geant geait", "ger"],
  ["i is it ie ies issez issons issent issant issait ira irez iront", "ir"],
  ["s d ds t ts ez ons ent u ue us ues ra rez ront ant", "re"],
  ["s d ds ez ons ent u ue us ues", "dre"],
  ["s t ts tez tons tent", "tre"],
];
/** Of what is left before an ending. */
const SHORTEST = 2;

/** Of a word in lower case without accents: itself first, then what it may be a form of. */
export function lemmasOf(word: string): readonly string[] {
  const lemmas = [word];
  for (const [endings, instead] of ENDINGS)
    for (const ending of endings.split(" "))
      if (word.endsWith(ending) && word.length >= SHORTEST + ending.length)
        lemmas.push(`${word.slice(0, -ending.length)}${instead}`);
  return lemmas;
}
