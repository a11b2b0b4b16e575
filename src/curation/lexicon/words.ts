/**
 * Words of intents that are no verbs: what says nothing, what says little, what tells one thing from others of its kind.
 *
 * @module
 */

export function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
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
/** They stand for so many things that another word is better, but better they than nothing. */
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
/** States and measures: they say which of the things are meant, and belong into the name more than anything. */
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
/** Where one word of several is said, the one that names have. */
const SAME: ReadonlyMap<string, string> = new Map(
  (
    "configuration=config configurations=configs repository=repo repositories=repos colour=color colours=colors biggest=largest huge=large " +
    "bigger=largest larger=largest heaviest=largest prs=pull_requests pr=pull_request mrs=merge_requests dotenv=env twice=duplicate " +
    "duplicated=duplicate repeated=duplicate identical=duplicate expires=expiring expire=expiring mails=emails"
  )
    .split(" ")
    .map((entry) => entry.split("=") as [string, string]),
);

export function nameWord(word: string): string {
  return SAME.get(word) ?? word;
}

/** What is said in several words, and what a name would say. In order: the first that fits stands. */
export const REWRITES: readonly (readonly [RegExp, string])[] = [
  [/\bkeep(?:s|ing)? (.{1,60}?) in (?:sync|step|line)\b/gi, "sync $1"],
  [/\bbring(?:s|ing)? (.{1,60}?) up to date\b/gi, "update $1"],
  [/\bmake (.{1,60}?) match\b/gi, "update $1 to"],
  [/\bturn (.{1,60}?) into\b/gi, "convert $1 into"],
  [/\bput (.{1,60}?) in(?:to)? (?:the right )?order\b/gi, "sort $1"],
  [/\bget (.{1,60}?) ready\b/gi, "prepare $1"],
  [/\bgive (.{1,60}?) an? (?:new |better |proper )?name\b/gi, "rename $1"],
  [/\bgive (.{1,60}?) access to\b/gi, "grant $1 access to"],
  [/\b(?:that |which )?(?:appears?|occurs?|are|is|exists?) in both\b/gi, " common "],
  [
    /\b(?:query|search|scan|comb(?: through)?|look through|go through) ((?:the|a|all|my|our|this|every|each) .{1,50}?) for ((?:\w+ ){0,3}?\w+)(?=\s*(?:[.,;:!?(]|$))/gi,
    "find $2 in $1",
  ],
  [
    /\b(?:take|grab|get|obtain) (the |a |an )((?:\w+ ){0,3}?)(lock|lease|mutex|semaphore)\b/gi,
    "acquire $1$2$3",
  ],
  [
    /\b(?:put|fit) (.{1,60}?) in(?:to)? (?=(?:as few |the |fewest )?(?:\w+ ){0,2}?(?:boxes|bins|containers|crates|parcels|trucks)\b)/gi,
    "pack $1 into ",
  ],
  [
    /\b(?:put|divide|break) (.{1,60}?) into (?=(?:\w+ ){0,2}?(?:groups|buckets|categories|teams)\b)/gi,
    "group $1 into ",
  ],
  [
    /\b(?:that |which )?(?:never|not|didn't|did not|haven't|have not|hasn't|has not) (?:yet )?(?:got|gotten|get|received?|had|have) (?:an? |any )?(?:answer|reply|response)s?\b/gi,
    " unanswered ",
  ],
  [
    /\b(?:that |which )?(?:have|has|having|with|got) no (?:answer|reply|response)s?(?: of mine| from \w+)?(?: yet)?\b/gi,
    " unanswered ",
  ],
  [/\bgive (.{1,40}?) an? (?:\w+ )?(role|permission|right|licen[sc]e|badge)s?\b/gi, "grant $1 $2"],
  [/\b(?:this|another|one more|next) time\b/gi, " "],
  [/\b(?:that |which )?(?:never|do not|don't|does not|doesn't) expires?\b/gi, " persistent "],
  [/[!#$]?\{+[\w. ]{0,40}\}+/g, " "],
  [
    /\blinks? (?:to|at) (?:an? |the |some )?(\w+) (?:that|which) (?:is|are|was|were|does|do)(?:n't| not| no longer) (?:there|exist|here|available|reachable)(?: any ?more)?\b/gi,
    " broken links to $1 ",
  ],
  [
    /\b(?:that |which )?(?:is|are)(?:n't| not| no longer) (?:there|available|reachable)(?: any ?more)?\b/gi,
    " missing ",
  ],
  [/\bhow big\b/gi, "how much size"],
  [/\bhow old\b/gi, "how much age"],
  [/\bhow far\b/gi, "how much distance"],
  [/\bhow heavy\b/gi, "how much weight"],
  [/\bhow often\b/gi, "how much frequency"],
  [/\bhow long\b/gi, "how much duration"],
  [
    /(?<=^|[:;,] )(json|csv|tsv|yaml|xml|html|markdown|pdf|toml|ini|sql|text|an? object|objects) (?:out of|made (?:from|of)) (?=\w)/gi,
    "convert to $1 from ",
  ],
  [/\btop (?:ten|five|three|twenty|hundred|\d+)\b/gi, "top"],
  [/\bput (.{1,60}?) under(?:neath)?\b/gi, "move $1 under"],
  [/(?<=[:,(] ?)no (?:assignee|owner)s?\b/gi, " unassigned "],
  [/(?<=[:,(] ?)no (?:labels?|tags?)\b/gi, " unlabeled "],
  [/\bwhat(?:'s| is| are)? (?:only )?in one (?:and|but) not (?:in )?the other\b/gi, "compare"],
  [/\btl;? ?dr\b/gi, "summary"],
  [
    /\b(?:that |which |who )?(?:points?|pointing|refers?|referring|belongs?|belonging|links?|linked|linking|attached) to (?:a |an |the |some )?(\w+) (?:that|which|who) (?:does not|doesn't|do not|don't|no longer) exists?(?: any ?more)?\b/gi,
    " orphan $1 ",
  ],
  [
    /\bwhose (\w+) (?:does not exist|doesn't exist|no longer exists?|is gone|are gone|was deleted|were deleted|has been deleted|have been deleted)(?: any ?more)?\b/gi,
    " orphan $1 ",
  ],
  [
    /\b(?:that |which )?(?:does not|doesn't|do not|don't|no longer) (?:work|respond|open|resolve|load)s?(?: any ?more)?\b/gi,
    " broken ",
  ],
  [
    /\b(?:that |which |who )?(?:nobody|no one) (?:has )?(?:called|contacted|visited|looked at|worked on|moved|commented on)\b/gi,
    " stale ",
  ],
  [
    /\b(?:with no|without any|without) (?:recent )?(?:activity|updates?|movement|commits?|changes?)\b/gi,
    " inactive ",
  ],
  [/\b(?:that |which )?(?:sometimes|randomly|intermittently) (?:fails?|pass(?:es)?|breaks?)\b/gi, " flaky "],
  [/\b(?:running|run|runs|getting|get|gets) (?:low|short)(?: on| of)?\b/gi, " low "],
  [/\be-?mails?\b/gi, "email"],
  [/\bpast (?:due|(?:their|its|the) (?:due date|deadline)s?)\b/gi, "overdue"],
  [
    /\b(?:whose|with a) (?:deadline|due date) (?:has|have|is|was) (?:passed|over|missed|in the past)\b/gi,
    "overdue",
  ],
  [/\b(?:that|which|who) (?:are|is|were) (?:too )?late\b/gi, "overdue"],
  [
    /\b(?:are|is|were)?\s*(?:no longer|not|never|aren't|isn't|not any ?more) (?:being )?(?:used|referenced|needed)(?: (?:anywhere|any ?more|by (?:any(?:one|thing)?|no)))?\b/gi,
    " unused ",
  ],
  [
    /\b(?:nobody|no one|nothing|no code) (?:uses|references|needs|reads|imports|calls)(?: any ?more)?\b/gi,
    " unused ",
  ],
  [
    /\b(?:that |which )?(?:nobody|no one) (?:has |have )?(?:ever )?(?:touched|opened|updated|used|edited|changed|modified|read|viewed|visited)\b/gi,
    " stale ",
  ],
  [/\b(?:not|no longer|never) (?:been )?(?:touched|updated|changed|maintained)\b/gi, " stale "],
  [
    /\b(?:defined|declared|listed|present|occurr?ing|appearing|entered|imported) (?:twice|more than once|several times|multiple times)\b/gi,
    " duplicate ",
  ],
  [/\b(?:more than once|twice|several times)\b/gi, " duplicate "],
  [
    /\b(?:about to expire|expires? (?:soon|within|in)|run(?:s|ning)? out (?:soon|within|in|next|this|at))\b/gi,
    " expiring ",
  ],
  [/\b(?:take|takes|taking|took) (?:too long|the longest|the most time)\b/gi, " slow "],
  [
    /\b(?:take|takes|taking|took|use|uses|using|eat|eats|eating) (?:up )?(?:the )?(?:most|too much) (?:disk )?(?:space|room)\b/gi,
    " largest ",
  ],
  [/\bcrash ?loop(?:ing|s)?(?: ?back ?off)?\b/gi, " crashing "],
  [/\b(?:people|users|those|everyone|everybody|persons) who contributed\b/gi, " contributors "],
  [/\bwho (?:has|have) access\b/gi, "which access"],
  [/\b(?:as of|up to) (?:today|now)\b/gi, " "],
  [/\bcomma[- ]separated\b/gi, " csv "],
  [
    /\b(?:wait(?:s|ing)?(?: for)?|awaits?|awaiting|in need of|needs?|still need) (?:an? |the )?(review|approval|payment|signature|triage|reply|response|answer|feedback)\b/gi,
    " pending $1 ",
  ],
  [
    /\b(?:have not|haven't|has not|hasn't|did not|didn't|never|not) (?:ever )?(?:logged in|signed in|been seen|been active)\b/gi,
    " inactive ",
  ],
  [/\bolder than\b/gi, " old "],
  [/\bmore than (?:\w+) (?:days?|weeks?|months?|years?|hours?) old\b/gi, " old "],
  [
    /\b(?:untouched|idle|open|unchanged|unmodified) (?:for|since) (?:over |more than |at least )?(?:an? |\w+ )?(?:days?|weeks?|months?|years?|ages?)\b/gi,
    " stale ",
  ],
  [/\b(?:with|share|shares|sharing|have|has|having) the same (?=[a-z])/gi, " duplicate "],
  [
    /\b(?:do not|don't|does not|doesn't|no longer) (?:match|agree|add up|line up)(?: any ?more)?\b/gi,
    " mismatched ",
  ],
  [
    /\b(?:most|highest|biggest) (?:active|used|viewed|visited|read|sold|popular|frequent|common|played|downloaded|requested|called)\b/gi,
    " top ",
  ],
  [/\b(?:least|seldom|rarely) (?:active|used|viewed|visited|read)\b/gi, " unused "],
  [/\bnot (?:yet )?(?:done|finished|completed?)\b/gi, " unfinished "],
  [/\b(?:coming up|in the next|over the next|within the next)\b/gi, " upcoming "],
  [/\b(?:that |which |who )?(?:have|has|having|with) no (?!longer|more|one)(?=[a-z])/gi, " missing "],
  [
    /(?<=[a-z] )(?:that |which |who )?(?:lack|lacks|lacking|without) (?!downtime|loss|loss|interrupt|error|problem|delay|warning|restart|chang|break|touch|fail|notice|duplicate|prompt|asking)(?:an? |any |the )?(?=[a-z]{3,}(?<!ing)\b)/gi,
    " missing ",
  ],
];

/** An intent of these alone says nothing: somebody had no time, or was in the middle of something. */
export const EMPTY_WORDS = wordSet(`
fix test tests testing try again same hack quick wip todo asap tmp temp foo bar baz asdf stuff thing things script run code work works working
talked discussed before earlier previous above usual again retry attempt debug misc various final finally v2 v3 draft
experiment play playground sandbox demo example hello world ok done go continue finish next step steps part rest
check do make help handle update change changes ignore nothing whatever anyway skip dont nevermind placeholder untitled none job task ticket request need ask question idea plan
execute executes executing exec executed runs running call calls calling invoke snippet snippets typescript javascript ts js mjs cts mts program function
command tool tools capability capabilities pml mcp sample trial intent default unknown unnamed perform process
`);

/** Whether an intent is made of such words alone, as the default ones of tools are: `Run code`. */
export function saysNothing(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.every((word) => FILLERS.has(word) || EMPTY_WORDS.has(word) || /^\d+$/.test(word));
}
