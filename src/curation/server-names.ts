/**
 * How servers are called in a sentence: where something is, or by what it is done.
 *
 * @module
 */
import { serverNamespace } from "../registry/namespace.js";
import { nameWords } from "./code/name-words.js";

/** How descriptions refer to servers of a family. */
const FAMILIES: Readonly<Record<string, string>> = {
  fs: "in the file system",
  api: "on the web",
  shell: "on the command line",
  ai: "with a language model",
};
const BROWSERS = /browser|playwright|puppeteer|selenium|chrome|firefox/;
/** They say nothing of where. */
const NOWHERE = /^(?:time|memory|clock|datetime|util|utils|math)$/;
const SPELLED: ReadonlyMap<string, string> = new Map(
  "github=GitHub|gitlab=GitLab|postgres=PostgreSQL|mysql=MySQL|mongodb=MongoDB|sqlite=SQLite|hubspot=HubSpot|pagerduty=PagerDuty|youtube=YouTube|bigquery=BigQuery|aws=AWS|gcp=GCP|gcs=GCS|s3=S3|npm=npm|pypi=PyPI|argocd=Argo CD|clickup=ClickUp|openai=OpenAI|linkedin=LinkedIn|paypal=PayPal|wordpress=WordPress|imap=IMAP|smtp=SMTP|ssh=SSH|mssql=SQL Server|ec2=EC2|homeassistant=Home Assistant|git=Git|db=the database"
    .split("|")
    .map((entry) => entry.split("=") as [string, string]),
);
const SERVERS = 3;

/** With a blank before it; empty where there is nothing to say. */
export function placeOf(servers: readonly string[]): string {
  const [only, ...others] = servers.filter((server) => !NOWHERE.test(server.toLowerCase()));
  if (only === undefined) return "";
  if (others.length === 0) return ` ${ofOne(only)}`;
  const names = [only, ...others].slice(0, SERVERS).map(spelled);
  return ` with ${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

function ofOne(server: string): string {
  if (BROWSERS.test(server.toLowerCase())) return "in a browser";
  return FAMILIES[serverNamespace(server)] ?? `in ${spelled(server)}`;
}

function spelled(server: string): string {
  return nameWords(server.slice(0, 40))
    .map((word) => SPELLED.get(word) ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
