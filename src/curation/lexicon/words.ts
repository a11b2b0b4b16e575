/**
 * Words of intents that are not verbs: words without meaning, words with little meaning, and words that distinguish
 * things of one kind.
 *
 * @module
 */
import { wordSet } from "../../base/word-set.js";

/** `a=b c=d`. */
export function wordMap(text: string): ReadonlyMap<string, string> {
  return new Map([...wordSet(text)].map((entry) => entry.split("=") as [string, string]));
}

/** Never part of a name. */
export const FILLERS = wordSet(`
a an the this that these those my me mine i im ive id we us our ours you your yours he she they them their theirs his her it its
please pls kindly thanks thank hi hello hey dear just really quickly simply maybe perhaps actually basically literally also too
and or but nor so yet if then else than as is are be been being am was were will would shall should can could may might must
do does did done has have had having not no yes ok okay there here what which who whom whose when where why how
of in on at by for with within from to into onto over under about via per through during between among against before after since until
up down out off again further once very more most less least much many few some any each every all both either neither other others another
such same own only even still already ever never always often sometimes soon now today tonight like
s t d ll re ve m don doesn didn isn aren wasn weren won wouldn couldn shouldn cannot cant dont doesnt
non wont arent isnt didnt hasnt havent shouldnt couldnt wouldnt thats whats whos want wants wanted need needs needed wish wishes help let lets try trying tries able way ways thing things stuff lot lots bit
something anything everything nothing someone somebody anyone anybody everyone everybody nobody one ones whatever whichever wherever whenever
given specified provided certain following named called using use used uses based etc eg ie aka around along across without
whom according because however therefore thus hence although though while whereas instead rather otherwise meanwhile
behind together away apart ahead aside later earlier somewhere anywhere everywhere nowhere almost quite alone besides beyond below above beside
despite except toward towards upon inside outside themselves itself himself herself myself yourself ourselves yourselves whoever else gone real themself
anymore anyway anyhow elsewhere forever hardly barely nearly mostly mainly usually normally currently recently finally eventually immediately directly
le la les un une des du il elle mon ma mes ce cette et ou de en au aux
`);
/** So vague that another word is better, but better than no word. */
export const WEAK_NOUNS = wordSet(`
data info information result results output outputs value values item items object objects element elements content contents
file files list lists number numbers amount set kind type types sort form part parts piece pieces case cases place places
detail details field fields text string strings record entry entries row rows name names array json
current new whole entire full complete single simple different various several specific relevant important right good bad nice
proper plain decent clean-cut quick easy small little different able sure ready available possible necessary main usual normal common
copy version overview example time times day days week weeks month months year years hour hours minute minutes second seconds
morning evening afternoon yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday
last next previous past coming upcoming first second third half quarter end start beginning
two three four five six seven eight nine ten dozen hundred thousand million
people person team company office boss colleague colleagues guy guys folks client department
script code program function tool job app application system project server machine computer laptop
question problem issue reason fact idea point matter story meeting talk deck board
format line lines input source target side front back top bottom left chunk bunch couple pair series
mb gb kb tb megabytes gigabytes kilobytes percent percents
accounting marketing sales finance legal support management engineering devops ops hr
`);
/** States and measures: they say which of the things are meant, so they belong into the name. */
export const TELLING = wordSet(`
unused orphan orphaned stale outdated obsolete deprecated expired expiring overdue late duplicate duplicates missing broken failed failing
dead empty large largest biggest big smallest small longest shortest slow slowest fast fastest oldest newest latest recent
pending open closed active inactive idle blocked unhealthy crashed crashing stuck unread unanswered unassigned unlabeled untranslated unreviewed
unpaid paid paying refunded external internal public private shared free paying premium top best worst cheapest cheap expensive
popular frequent rare common invalid valid unsafe vulnerable suspicious anomalous abandoned archived deleted removed hidden untracked
modified changed conflicting unmerged merged unresolved resolved flaky skipped untested uncovered undocumented unlinked unreachable
inconsistent mismatched incomplete partial sensitive personal nested recursive remote local global daily weekly monthly quarterly yearly
hourly annual average total median maximum minimum max min random unique distinct nearest closest available busy overlapping free
unlinked unsigned unverified unapproved unscheduled unconfirmed unsent uncommitted unpushed undelivered unshipped unmatched unbilled uninvoiced
unprotected unencrypted untagged unlabelled unformatted unsupported unregistered unopened unmapped ungrouped unreconciled unprocessed unallocated
uncategorized unclassified unsubscribed unmaintained unpinned unlocked unlicensed unattended unclaimed unsold unfilled unnamed unowned unavailable
persistent isolated shortest longest closest farthest highest lowest heaviest lightest strongest weakest youngest similar defective damaged lost stolen
unestimated unrated unsorted unspent unplanned unbooked unseen uncalled unfunded unmoderated untrained unplayed unwatched unvisited unreturned
finished completed delivered shipped absent dry unusual abnormal corrupt corrupted malformed fraudulent postponed rejected approved abandoned
old unfinished unpublished mismatched cold hot warm dormant neglected forgotten upcoming scheduled recurring cancelled canceled delayed unsubscribed bounced failing noisy low high critical urgent major minor
`);
/** The preferred word in names for each of several synonyms. */
const SAME = wordMap(`
configuration=config configurations=configs repository=repo repositories=repos colour=color colours=colors biggest=largest
huge=large bigger=largest larger=largest heaviest=largest prs=pull_requests pr=pull_request mrs=merge_requests dotenv=env
twice=duplicate duplicated=duplicate repeated=duplicate identical=duplicate expires=expiring expire=expiring mails=emails`);

export function nameWord(word: string): string {
  return SAME.get(word) ?? word;
}

/** An intent that consists of these words says nothing. */
export const EMPTY_WORDS = wordSet(`
fix test tests testing try again same hack quick wip todo asap tmp temp foo bar baz asdf stuff thing things script run code work works working
talked discussed before earlier previous above usual again retry attempt debug misc various final finally v2 v3 draft
experiment play playground sandbox demo example hello world ok done go continue finish next step steps part rest
check do make help handle update change changes ignore nothing whatever anyway skip dont nevermind placeholder untitled none job task ticket request need ask question idea plan
execute executes executing exec executed runs running call calls calling invoke snippet snippets typescript javascript ts js mjs cts mts program function
command tool tools capability capabilities pml mcp sample trial intent default unknown unnamed perform process
`);

/** Whether an intent consists only of such words, like default intents of tools: `Run code`. */
export function saysNothing(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word) => FILLERS.has(word) || EMPTY_WORDS.has(word) || /^\d+$/.test(word));
}

const NO_PLURALS = wordSet(`
status news dns css aws kubernetes redis access process address class https js ts rss sms gps os ios tls alias canvas series always this
has is was does plus minus bus gas lens basis analysis axis kms sqs sns ecs eks rds ses iss pos jenkins pandas`);

/** The singular of a noun, by its ending. */
export function singularOf(word: string): string {
  if (word.length < 4 || !word.endsWith("s") || /(?:ss|us|is)$/.test(word) || NO_PLURALS.has(word))
    return word;
  if (word.endsWith("ies")) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1);
  return /(?:sses|xes|ches|shes|zes)$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

/** Words of people and tools for the same thing. */
export const SYNONYMS: readonly ReadonlySet<string>[] = [
  "ticket issue bug task card story todo",
  "mail email message letter",
  "picture photo image screenshot",
  "doc document page note article",
  "appointment meeting event slot",
  "customer client user account contact member person employee people",
  "file folder directory dir path",
  "bill invoice",
  "machine server instance vm host node",
  "track song",
  "url link bookmark",
  "service app application unit",
  "setting config configuration",
].map(wordSet);

/** The spelling of servers in a sentence, with `_` for a blank. */
export const SPELLINGS = wordMap(`
github=GitHub gitlab=GitLab postgres=PostgreSQL mysql=MySQL mongodb=MongoDB sqlite=SQLite hubspot=HubSpot
pagerduty=PagerDuty youtube=YouTube bigquery=BigQuery aws=AWS gcp=GCP gcs=GCS s3=S3 npm=npm pypi=PyPI argocd=Argo_CD
clickup=ClickUp openai=OpenAI linkedin=LinkedIn paypal=PayPal wordpress=WordPress imap=IMAP smtp=SMTP ssh=SSH
mssql=SQL_Server ec2=EC2 homeassistant=Home_Assistant git=Git db=the_database`);
