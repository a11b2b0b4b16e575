/**
 * Translates French to English word by word: enough for searching, both by words and with a model that only knows
 * English.
 *
 * @module
 */
import { wordSet } from "../../base/word-set.js";
import { GLOSSARY_WORDS, infinitiveOf, isEntry, isSmallWord, lemmasOf, lookUp } from "./glossary.js";

const SENSES: ReadonlyMap<string, readonly string[]> = new Map(
  `
carte:card,map,menu course:shopping,errand,race,ride,course cours:course,lesson,class,rate,price,quote note:note,grade,rating,score,memo compte:account,count
fiche:card,record,sheet,page,profile,contact tableau:table,board,array,sheet,dashboard,painting avis:review,notice,opinion,rating commande:order,command
piece:room,part,document,piece,coin poste:position,job,post,workstation,item etat:status,state,report demande:request,ticket,issue,inquiry demande_de_fusion:pull_request,merge_request
dossier:folder,directory,case,record,file,application billet:ticket,post,note,article livraison:delivery,release,shipment recette:recipe,revenue,staging
bon:voucher,coupon,order releve:statement,reading,record ligne:line,row,item,route feuille:sheet,leaf,page onglet:tab,sheet,worksheet base:database,base
ticket:ticket,issue,receipt tache:task,issue,todo,job,card,item article:item,article,product,post client:customer,client affaire:deal,case,matter
rendez-vous:appointment,meeting,event reunion:meeting,event evenement:event,incident etiquette:label,tag depot:repo,repository,deposit message:message,mail,email,post
courriel:email,mail,message mail:mail,email,message publication:post,publication,article annonce:announcement,ad,listing,notice sujet:topic,subject,issue,thread
fil:thread,feed,wire discussion:thread,discussion,conversation,channel salon:channel,room,lounge canal:channel groupe:group,team membre:member,user
utilisateur:user abonne:subscriber,follower contact:contact,lead prospect:lead,prospect,contact societe:company,organization,account entreprise:company,business,organization
employe:employee,user salarie:employee personne:person,people,user responsable:owner,assignee,manager auteur:author,reporter
serveur:server,host,node machine:machine,host,server,vm image:image,picture,photo photo:photo,picture,image modele:template,model version:version,release,revision
paquet:package,packet,parcel colis:parcel,package,shipment envoi:shipment,sending,mailing,send vente:sale,deal achat:purchase,order depense:expense,spending,cost
facture:invoice,bill paiement:payment,charge virement:transfer,payment remise:discount,delivery taux:rate,ratio prix:price,cost tarif:price,rate,fee
cle:key jeton:token secret:secret droit:permission,right,access acces:access role:role regle:rule,policy panne:outage,failure,breakdown,incident
alerte:alert,alarm,warning erreur:error,failure echec:failure,failed incident:incident,issue journal:log,journal,newspaper,diary trace:trace,log
mesure:measurement,metric,measure releves:readings,statements capteur:sensor seance:session,class voyage:trip,travel trajet:trip,route,journey,ride
vol:flight,theft place:seat,place,spot salle:room chambre:room,bedroom bureau:office,desk,desktop plan:plan,map,outline carnet:notebook,backlog,book
livre:book,pound morceau:track,chunk,piece,song piste:track,lead,slope titre:title,song,heading lecture:reading,playback,read liste:list,playlist
suivi:tracking,follow_up,monitoring bilan:report,summary,balance rapport:report,ratio compte_rendu:minutes,report resume:summary,abstract
rappel:reminder,recall,callback relance:reminder,follow_up,dunning retard:delay,overdue,late delai:delay,deadline,time echeance:deadline,due,expiry
retour:return,feedback,response reponse:answer,reply,response question:question,query requete:query,request recherche:search,research
cible:target source:source lien:link,relation relation:relation,relationship noeud:node branche:branch fusion:merge,fusion jalon:milestone
carte_bancaire:card code:code entree:entry,input,entrance sortie:output,exit,release,outing charge:load,charge,expense debit:throughput,flow,debit
stock:stock,inventory produit:product,item article_de_blog:post effectif:staff,headcount equipe:team,squad service:service,department magasin:store,shop boutique:shop,store
panier:cart,basket caisse:register,box,till lot:batch,lot tirage:draw,print,pull train:train voie:track,lane quai:platform,dock film:movie,film serie:series,show sauvegarder:save,backup,dump sauvegarde:backup plage:beach,range solde:sale,balance flux:stream,feed,flow quantite:quantity,stock,count prevu:scheduled,forecast prevue:scheduled,forecast
livre:book,pound detail:detail,list creneau:slot titre:title,headline disponible:available,free,stock conge:leave,vacation vacances:vacation,leave,holiday
identique:identical,duplicate mort:dead,broken brise:broken,dead casse:broken,dead agenda:calendar,agenda,schedule journee:day rendez_vous:appointment,meeting,event
dernier:last,latest prochain:next demarche:procedure moyen:average,mean
chaine:string,channel,chain,pipeline file:queue,line tampon:buffer,stamp bord:edge,board fenetre:window cadre:frame,executive page:page ecran:screen,monitor
capture:screenshot,capture enregistrement:record,recording,row,entry valeur:value champ:field colonne:column rangee:row,shelf cellule:cell
ecrire:write envoyer:send,post,email publier:publish,post poster:post noter:rate,note,log,score classer:classify,sort,rank,file ranger:organize,sort,move,store,file,save
relever:read,collect,note,raise valider:validate,approve,confirm,accept clore:close,resolve transmettre:forward,send,pass relancer:remind,rerun,restart,retry
ouvrir:open,create demander:ask,request lancer:start,launch,run,trigger passer:move,set,mark,scale,switch,pass,place,run,convert tirer:draw,pull,pick monter:mount,raise,upload,build
sortir:export,output,list,extract remettre:reset,restore,put mettre:put,set deposer:upload,submit,create,file,drop,put poser:ask,put,set rendre:return,make,render
regler:pay,set,adjust,settle commander:order relancer:remind,restart,retry,rerun rappeler:remind,call reprendre:resume,retry,restore suivre:follow,track,monitor
reporter:postpone,reschedule,report,move,copy decaler:reschedule,move,shift annuler:cancel,undo,revert,void fermer:close,shut couper:cut,turn_off,stop,crop
tracer:plot,trace,draw imprimer:print afficher:show,display,list regarder:check,watch,read,get controler:check,control,inspect enregistrer:save,record,register,store
`
    .trim()
    .split(/\s+/u)
    .map((entry) => {
      const [french = "", english = ""] = entry.split(":");
      return [french.replaceAll("_", " "), english.split(",").map((sense) => sense.replaceAll("_", " "))];
    }),
);

/** The English translations, the most usual first; empty if there is only one. */
function sensesOf(french: string): readonly string[] {
  for (const lemma of lemmasOf(french)) {
    const senses = SENSES.get(lemma);
    if (senses !== undefined) return senses;
  }
  return [];
}

/** Words of French sentences that are not English words; `on`, `me`, `a` and the like are excluded. */
const FRENCH = wordSet(
  "le la les un une des du de au aux et ou dans sur pour par avec sans ce cet cette ces mon ma mes ton tes sa ses " +
    "notre nos votre vos leur leurs qui que quoi dont quel quelle quels quelles est sont il elle ils elles nous vous " +
    "je tu se ne pas mais donc chez entre vers depuis lors apres avant sous plus moins tres tout tous toute toutes " +
    "qu moi toi lui eux veux voudrais peux peut faut combien comment quand pourquoi en y aujourd hui demain hier",
);
/** Words of one letter. */
const ALONE = wordSet("a y");
const ENGLISH = wordSet(
  "the a an of and or to in on for with from by is are be was were it its this that these those my your our their " +
    "what which who how when where why please can could would should i you me he she we they not do does did has have",
);
/** The share of the remaining words that must be known if nothing else shows the language. */
const MOSTLY = 0.6;
const CHUNK = /\S+/gu;
/** Paths, addresses, names and code are neither French nor English. */
const NO_PROSE = /[/\\@_=<>{}\d]|[.:]\p{L}|\p{Ll}\p{Lu}/u;
const WORD = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}+/gu;
const PLAIN = /^[a-z]+$/i;
const JOINED = /^['’-]/u;
/** The rest is ignored: an intent is a sentence or two. */
const TEXT_CHARS = 8_000;
const TEXT_WORDS = 1_000;
/** The part of a long text that determines its language. */
const JUDGED_CHARS = 400;

interface Token {
  /** The text between it and the previous word. */
  readonly before: string;
  readonly written: string;
  /** In lower case, without accents; empty if it is not a word. */
  readonly folded: string;
  /** `l'`, `d'`, `t-il`: a single letter is a word only in this form. */
  readonly isElided: boolean;
}

/** The English translation of a French text, with unknown words unchanged; undefined if it is not French. */
export function englishOf(text: string): string | undefined {
  // Most texts are English, and the beginning of a long one is enough to see it.
  if (text.length > JUDGED_CHARS && !isFrench(tokensOf(text.slice(0, JUDGED_CHARS)).tokens)) return undefined;
  const read = tokensOf(text.slice(0, TEXT_CHARS));
  return isFrench(read.tokens) ? translated(read) : undefined;
}

export interface Rendering {
  /** For a word with several translations, whether this one is meant. */
  readonly isMeant: (english: string) => boolean;
  /** Unknown words stay unchanged. */
  readonly keepsUnknown?: boolean;
}

const WITH_PLURALS: Rendering = { isMeant: () => false, keepsUnknown: true };
/** A clause of a command begins with its verb, often the only verb: `montre-moi`. */
const CLAUSE_START = /(^|[,;:.!?]\s+|\b(?:et|puis)\s+)(\p{L}+)(-(?:moi|nous|lui|le|la|les)\b)?/gu;

const ARTICLE = /^\s*(?:l['’]|(?:le|la|les|que|une?|cet?|cette|ces|mon|ma|mes|tou[st]|toutes?)\s)/iu;

/**
 * Like {@link englishOf}, with plurals, and with words at the start of clauses read as verbs. `isMeant` chooses among
 * several English words for one French word.
 */
export function englishRequest(text: string, isMeant?: Rendering["isMeant"]): string | undefined {
  if (englishOf(text) === undefined) return undefined;
  const request = text.replace(
    CLAUSE_START,
    (all: string, before: string, word: string, pronoun = "", at = 0, whole = "") => {
      const folded = fold(word);
      // `ferme le ticket` is an order, `ferme` alone may be a participle.
      const isMaybe = folded.endsWith("e") && ARTICLE.test(whole.slice(at + all.length));
      const isOrder = pronoun !== "" || !isEntry(folded) || isMaybe;
      const infinitive = isOrder ? infinitiveOf(folded) : undefined;
      return infinitive === undefined ? all : `${before}${infinitive} ${pronoun.slice(1)}`;
    },
  );
  return wordsInEnglish(request, isMeant === undefined ? WITH_PLURALS : { ...WITH_PLURALS, isMeant });
}

/** The same for a text that is known to be French; with plurals, for readers. */
export function wordsInEnglish(text: string, rendering: Rendering): string {
  return translated(tokensOf(text.slice(0, TEXT_CHARS)), rendering);
}

interface ReadText {
  readonly tokens: readonly Token[];
  readonly rest: string;
}

function translated({ tokens, rest }: ReadText, rendering?: Rendering): string {
  let english = "";
  let areMany = false;
  for (let at = 0; at < tokens.length; ) {
    const { before = "", folded = "" } = tokens[at] ?? {};
    const entry = entryAt(tokens, at, rendering);
    const { words } = entry;
    // In `les vieux canaux` only the noun has a plural in English.
    const isThing: boolean = areMany && entry.translation !== "" && !BEFORE_THINGS.has(folded);
    const isPlural =
      isThing &&
      rendering !== undefined &&
      /[sx]$/u.test(folded) &&
      !ALIKE.has(folded) &&
      !isSmallWord(folded);
    const translation = isPlural ? pluralOf(entry.translation) : entry.translation;
    areMany = MANY.has(folded) || (areMany && !isThing);
    // Separators inside an entry, or around an omitted word, are dropped.
    if (translation !== "") english += `${between(before, english)}${translation}`;
    else english += before.trim().replace(/^['’-]+$/u, "");
    at += words;
  }
  return `${english}${rest}`.trim();
}

function tokensOf(text: string): ReadText {
  const tokens: Token[] = [];
  let end = 0;
  const add = (written: string, index: number, isWord: boolean) => {
    const isElided = JOINED.test(text.slice(index + written.length, index + written.length + 1));
    const folded = isWord ? fold(written) : "";
    tokens.push({
      before: text.slice(end, index),
      written,
      folded: folded.length === 1 && !isElided && !ALONE.has(folded) ? "" : folded,
      isElided,
    });
    end = index + written.length;
  };
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    if (tokens.length >= TEXT_WORDS) break;
    if (NO_PROSE.test(chunk)) add(chunk, index, false);
    else for (const { 0: word, index: at } of chunk.matchAll(WORD)) add(word, index + at, true);
  }
  return { tokens, rest: text.slice(end) };
}

function fold(written: string): string {
  if (PLAIN.test(written)) return written.toLowerCase();
  return written.normalize("NFKD").replace(MARKS, "").toLowerCase().replaceAll("œ", "oe");
}

function isFrench(tokens: readonly Token[]): boolean {
  let french = 0;
  let english = 0;
  const others: string[] = [];
  for (const { written, folded, isElided } of tokens) {
    // `à` is not `a`.
    const isSmall = folded.length === 1 && (isElided || written.toLowerCase() !== folded);
    if (FRENCH.has(folded) || isSmall) french += 1;
    else if (ENGLISH.has(folded)) english += 1;
    else if (folded.length > 1) others.push(folded);
  }
  // Most texts are English, and need no lookup.
  if (english > 0 && french <= english) return false;
  const known = others
    .map((word) => ({ word, english: lookUp(word) }))
    .filter((one) => one.english !== undefined);
  // A word that is the same in both languages does not show the language.
  const told = known.filter((one) => one.english?.toLowerCase().startsWith(one.word.slice(0, 4)) === false);
  // `clôturer WEB-88`: no English verb has an accent.
  const { written = "", folded: first = "" } = tokens[0] ?? {};
  if (english === 0 && /[à-ÿ]/iu.test(written) && infinitiveOf(first) === first) return true;
  if (english === 0 && told.length > 1 && told.length >= MOSTLY * others.length) return true;
  if (french === 0 || known.length === 0) return false;
  const isKnown = 2 * known.length > others.length;
  if (english > 0) return french > english + 1 || isKnown;
  return french > 1 || (told.length > 0 ? isKnown : known.length === others.length);
}

/** The longest entry that begins here; an unknown word stands for itself. */
function entryAt(
  tokens: readonly Token[],
  at: number,
  rendering?: Rendering,
): { words: number; translation: string } {
  for (let words = Math.min(GLOSSARY_WORDS, tokens.length - at); words > 1; words -= 1) {
    const some = tokens.slice(at, at + words);
    if (some.slice(1).some(({ before }) => !/^[\s'’-]*$/u.test(before))) continue;
    const last = some.at(-1)?.folded ?? "";
    const first = some[0]?.folded ?? "";
    const middle = some.slice(1, -1).map(({ folded }) => folded);
    for (const begin of singular(first))
      for (const end of singular(last)) {
        const translation = lookUp([begin, ...middle, end].join(" "));
        if (translation !== undefined) return { words, translation };
      }
  }
  const { folded = "", written = "" } = tokens[at] ?? {};
  const meant = rendering === undefined ? undefined : sensesOf(folded).find(rendering.isMeant);
  const english = meant ?? lookUp(folded);
  if (
    english === undefined &&
    rendering !== undefined &&
    rendering.keepsUnknown !== true &&
    INFLECTED.test(folded) &&
    !rendering.isMeant(folded)
  )
    return { words: 1, translation: "" };
  return { words: 1, translation: english ?? written };
}

/**
 * Endings of French adverbs and verb forms: an unknown word with such an ending is omitted, since it rarely names a
 * thing.
 */
const INFLECTED = /.{3}(?:ement|amment|emment|ent|aient|eront|issant|erait|erons|erez|assent)$/u;

/** Words that are followed by a plural. */
const MANY = wordSet(
  "les des mes tes ses nos vos leurs ces aux quels quelles lesquels lesquelles plusieurs quelques tous toutes deux trois quatre cinq six dix combien de d",
);
const BEFORE_THINGS = wordSet(
  "vieux vieilles anciens anciennes nouveaux nouvelles derniers dernieres premiers premieres prochains prochaines gros grosses grands grandes petits petites " +
    "meilleurs meilleures mauvais mauvaises pires autres deux trois quatre cinq six sept huit neuf dix vingt cent principaux principales futurs futures mille de d la le l",
);
/** Nouns with these endings do not change in the plural. */
const ALIKE = wordSet(
  "temps mois pays acces processus fois corps secours cours avis colis prix choix voix poids bras dos bois gros reseaux_sociaux paris status refus propos progres succes exces deces proces",
);
const NO_PLURAL =
  /(?:s|people|data|software|staff|traffic|weather|news|feedback|stock|leave|shopping|overtime|history|money|revenue|cash|equipment|music|metadata|running)$/i;

function pluralOf(english: string): string {
  if (NO_PLURAL.test(english)) return english;
  if (/[^aeiou]y$/i.test(english)) return `${english.slice(0, -1)}ies`;
  if (/person$/i.test(english)) return `${english.slice(0, -6)}people`;
  return /(?:x|ch|sh|z)$/i.test(english) ? `${english}es` : `${english}s`;
}

function singular(word: string): readonly string[] {
  return /(?<=..)[sx]$/u.test(word) ? [word, word.slice(0, -1)] : [word];
}

/** Apostrophes and hyphens of French words become spaces in English; everything else stays. */
function between(before: string, english: string): string {
  if (english === "") return before.trimStart();
  return /^['’-]?$/u.test(before) ? " " : before;
}
