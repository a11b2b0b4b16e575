/**
 * Replaces phrases of an intent by single words of names.
 *
 * One rule per line: `words = instead`. `a|b` is either of them, `a?` is optional, `no_longer` is two words, `*` is a
 * few words, `@` is one; `$1` is what the first of these matched. Rules are applied in order.
 *
 * @module
 */
type Rewrite = readonly [pattern: RegExp, instead: string];

const STANDS_FOR: Readonly<Record<string, string>> = { "*": "(.{1,60}?)", "@": "(\\w+)" };

const ENGLISH = rewrites(`
keep|keeps|keeping * in sync|step|line = sync $1
bring|brings|bringing * up to date = update $1
turn * into = convert $1 into
give * a|an new|better|proper? name = rename $1
put|fit * into as few = pack $1 into
that|which? never|not|didn't|haven't|hasn't yet? got|get|received|had a|an|any? answer|reply|response = unanswered
that|which? have|has|having|with|got no answer|reply|response|answers|replies|responses = unanswered
how big = how much size
how old = how much age
how long = how much duration
top ten|five|three|twenty|hundred|\\d+ = top
tl;dr|tldr|tl;_dr = summary
that|which|who? point|points|refer|refers|belong|belongs|link|links to a|an|the? @ that|which|who does_not|doesn't|do_not|don't|no_longer exist|exists any_more|anymore? = orphan $1
that|which? does_not|doesn't|do_not|don't|no_longer work|works|respond|responds|open|opens|load|loads any_more|anymore? = broken
that|which|who? nobody|no_one has? called|contacted|visited|looked_at|worked_on|moved|commented_on = stale
that|which? nobody|no_one has|have? ever? touched|opened|updated|used|edited|changed|modified|read|viewed|visited = stale
sometimes|randomly|intermittently fail|fails|pass|passes|break|breaks = flaky
e-mail|e-mails|emails = email
past due|their_due_dates|their_due_date|its_due_date|the_due_date|their_deadline|the_deadline = overdue
are|is|were? no_longer|not|never|aren't|isn't being? used|referenced|needed anywhere|any_more|anymore? = unused
nobody|no_one|nothing|no_code uses|references|needs|reads|imports|calls any_more|anymore? = unused
defined|declared|listed|present|entered|imported? twice|more_than_once|several_times|multiple_times = duplicate
about_to_expire|expires_soon|expire_soon|expires_within|expire_within|expires_in|expire_in|run_out|runs_out = expiring
crashloopbackoff|crashloop|crash_loop|crash_looping|crash_loops = crashing
people|users|those|everyone|everybody who contributed = contributors
older than = old
most|highest active|used|viewed|visited|read|sold|popular|frequent|common|played|downloaded|requested|called = top
not yet? done|finished|completed = unfinished
that|which|who? have|has|having|with no = missing
that|which|who? lack|lacks|lacking|without a|an|any = missing
`);

/** Without accents. */
const FRENCH = rewrites(`
quel|quelle|quels|quelles est|sont = what is
qu'est-ce que|qu'|qui = what
est-ce que? = is
y a-t-il|a_t_il = is there
il y a =
ne|n' sont|est|soient|soit|servent|sert plus|pas|jamais utilises|utilise|utilisee|utilisees|references|employes|a_rien? = inutilises
ne? sont|est|soient|soit|ont|a|etre? pas|jamais encore? ete? (\\w{3,}(?:e|es|is|ies?|its?|us?|ues?)) = non $1
ne sont|est ete? (\\w{3,}(?:e|es|is|ies?|its?|us?|ues?)) a|par|dans|avec|sur|de aucun|aucune|rien|personne autre|autres|part? = non $1
faut-il|dois-je|doit-on|devons-nous|peut-on|puis-je|faut_il = should we
en double|doublon|doublons = doublons
en retard = en-retard
le|la|les plus gros|grosse|grosses|grand|grande|grands|grandes|volumineux|volumineuse|lourds|lourd = largest
le|la|les plus recent|recente|recents|recentes|nouveaux|nouvelles = latest
le|la|les plus ancien|anciens|ancienne|anciennes|vieux|vieilles = oldest
sous-dossiers|sous-dossier = subfolder
mot de passe = password
au|vers|vers_le format = en
pareil|pareillement =
combien de temps = how long
combien de|d' = combien
merci_de|veuillez|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|il_faudrait|il_faut = please
j'aimerais|je_voudrais|je_veux|on_veut|on_voudrait|on_aimerait|nous_voulons = please
`);

export function rewrittenEnglish(text: string): string {
  return rewritten(text, ENGLISH);
}

/** @param text without accents */
export function rewrittenFrench(text: string): string {
  return rewritten(text.replace(/\bn'/gi, "ne "), FRENCH);
}

function rewritten(text: string, rules: readonly Rewrite[]): string {
  return rules.reduce((said, [pattern, instead]) => said.replace(pattern, ` ${instead} `), text);
}

function rewrites(text: string): readonly Rewrite[] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [words = "", instead = ""] = line.split(/ =(?: |$)/);
      return [patternOf(words.split(" ")), instead];
    });
}

function patternOf(tokens: readonly string[]): RegExp {
  let source = "";
  for (const token of tokens) {
    const isOptional = token.endsWith("?") && !token.startsWith("(");
    const words = (isOptional ? token.slice(0, -1) : token).replaceAll("_", " ");
    const part = STANDS_FOR[token] ?? `(?:${words})`;
    if (source === "" || source.endsWith(" )?")) source += isOptional ? `(?:${part} )?` : part;
    else source += isOptional ? `(?: ${part})?` : ` ${part}`;
  }
  return new RegExp(`(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])`, "giu");
}
