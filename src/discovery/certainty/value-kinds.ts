/**
 * What the value of an argument says of itself by its form: `report.csv` is a file, and CSV.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { wordSet } from "../../base/word-set.js";
import { wordKey } from "../vocabulary.js";

/** Words for a kind of file, and the endings that such files have. */
const FORMATS: Readonly<Record<string, string>> = {
  pdf: "pdf",
  csv: "csv tsv",
  json: "json jsonl",
  xml: "xml",
  yaml: "yaml yml",
  markdown: "md markdown",
  html: "html htm",
  "word docx": "docx doc odt",
  "excel workbook spreadsheet sheet": "xlsx xls ods",
  "image picture photo": "png jpg jpeg gif webp bmp tiff svg heic",
  "audio recording sound": "mp3 wav ogg flac m4a aac",
  video: "mp4 mkv mov avi webm",
  "zip archive": "zip tar gz tgz 7z rar",
};
const WORDS_OF = new Map(
  Object.entries(FORMATS).flatMap(([words, endings]) =>
    endings.split(" ").map((ending) => [ending, words.split(" ").map(wordKey)] as const),
  ),
);
/** Words that only such files are meant by: a `sheet` or an `archive` may be no file. */
const NAMES: ReadonlySet<string> = new Set(
  "pdf csv json xml yaml markdown html word docx excel image picture photo audio video zip"
    .split(" ")
    .map(wordKey),
);
/** `example.com` is no file. */
const DOMAINS = wordSet("com org net io dev app fr de eu uk ch be us info co ai");
/** Names of languages, of currencies and the like, and what is given for them. */
const CODES = new Map(
  (
    "en:english fr:french de:german es:spanish it:italian pt:portuguese nl:dutch pl:polish ru:russian ja:japanese zh:chinese " +
    "ko:korean ar:arabic tr:turkish sv:swedish da:danish fi:finnish el:greek cs:czech hu:hungarian uk:ukrainian eur:euro usd:dollar gbp:pound"
  )
    .split(" ")
    .map((entry) => entry.split(":") as [string, string]),
);

/** Keys of words for what a value is. */
export function kindsOf(value: Json): readonly string[] {
  if (typeof value !== "string") return [];
  if (/^https?:\/\//u.test(value)) return ["page", "site", "url", "webpage", "link"].map(wordKey);
  if (value.startsWith("#")) return [wordKey("channel")];
  if (isDate(value)) return [wordKey("date"), wordKey("day")];
  if (/^\S+@\S+\.\w+$/u.test(value)) return [wordKey("address")];
  const ending = endingOf(value);
  if (ending !== undefined) return [wordKey("file"), ...(WORDS_OF.get(ending) ?? [])];
  return /^[~.]{0,2}\/\S*$/u.test(value) ? [wordKey("folder"), wordKey("path")] : [];
}

/** What is meant by a code: `german` by `de`. */
export function meantBy(word: string): string | undefined {
  return CODES.get(word);
}

export function isDate(value: Json): boolean {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}/u.test(value);
}

/** A file is given that is of none of the kinds that a text names. */
export function isOtherFormat(values: readonly Json[], keys: ReadonlySet<string>): boolean {
  const named = [...NAMES].filter((key) => keys.has(key));
  const formats = values.flatMap((value) => {
    const words = typeof value === "string" ? WORDS_OF.get(endingOf(value) ?? "") : undefined;
    return words === undefined ? [] : [words];
  });
  return named.length > 0 && formats.some((words) => !words.some((word) => named.includes(word)));
}

function endingOf(value: string): string | undefined {
  const ending = /[^\s.][.]([a-z]\w{0,7})$/iu.exec(value)?.[1]?.toLowerCase();
  return ending === undefined || DOMAINS.has(ending) ? undefined : ending;
}
