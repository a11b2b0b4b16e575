/**
 * What French says in several words and a name in one. Accents are gone by then.
 *
 * @module
 */
export const FRENCH_REWRITES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:mettre|mets|mettez|passer|passe|passez) (.{1,60}?) (?:au|en|sous) (?:le )?format\b/gi,
    "formater $1 en",
  ],
  [/\b(?:passer|passe|passez|mettre|mets|mettez) (?:a |en )?(?:l'etat )?« ?(\w+) ?»/gi, "marquer $1"],
  [/\b(\p{L}{3,})-(?:ci|la)\b/giu, "$1"],
  [/\bquel(?:le)?s? (?:est|sont)\b/gi, " what is "],
  [/\bnon (?:regle|paye|solde)e?s?\b/gi, " impayes "],
  [/\bqu'est[- ]ce (?:que |qu'|qui )/gi, " what "],
  // What it is done to may come after how or for whom: `transferer a la comptabilite les factures`.
  [
    /^(?!(?:re)?met|fai|pren|tenir|passe)(\p{L}+) ((?:a|en|avec|par|dans|sur|pour) (?:la |le |les |l'|un |une |mon |ma )?\p{L}+(?: \p{L}+)?) ((?:les? |la |l'|tou(?:s|tes) les |chaque |mes |nos )[^,.;:?!]+)/iu,
    "$1 $3 $2",
  ],
  [
    /\b(?:ne |n')(?:sont|est|soient|soit) (?:plus|pas|jamais) (?:utilise|reference|employe)e?s?(?: (?:par|dans|nulle) (?:aucune?|rien|personne|part))?\b/gi,
    " inutilises ",
  ],
  [/\b(?:ne |n')(?:servent|sert) (?:plus|pas|jamais)(?: a rien)?\b/gi, " inutilises "],
  [/\b(?:ne |n')(?:ont|a|avons) (?:pas|jamais|pas encore) (?:ete )?paye(?:e?s?)\b/gi, " impayes "],
  [/\b(?:ne |n')(?:sont|est) (?:pas|pas encore|jamais) (?:paye|regle)e?s?\b/gi, " impayes "],
  [/\b(?:ne |n')(?:sont|est|ont) (?:pas|pas encore|jamais) (?:ete )?traduite?s?\b/gi, " non traduits "],
  [
    /\b(?:ne |n')(?:sont|est|soient|soit|ont|a) (?:ete )?(\w{3,}(?:e|ee|es|ees|is|ies?|it|its|u|us|ues?)) (?:a|par|dans|avec|sur|de|d') ?(?:aucune?s?|rien|personne|nulle)(?: (?:autres?|part))?\b/gi,
    " non $1 ",
  ],
  [
    /\b(?:ne |n')?(?:sont |est |soient |soit |ont |a |etre )?(?:pas|jamais)(?: encore)? (?:ete )?(\w{3,}(?:e|ee|es|ees|is|ies?|it|its|u|us|ues?))\b/gi,
    " non $1 ",
  ],
  [/\b(?:reste(?:e?s?)? )?sans (?:aucune )?(?:reponse|retour)s?\b/gi, " unanswered "],
  [/\bsans (?:aucune? )?(?:etiquettes?|labels?)\b/gi, " unlabeled "],
  [/\bsans (?:aucune? )?(?:responsables?|proprietaires?|assignes?|titulaires?)\b/gi, " unassigned "],
  [/\bsans (?:aucune? )?(?:relecture|revue|relecteur)s?\b/gi, " unreviewed "],
  [/\bsans (?:aucune? )?(?:activite|mouvement|mise a jour)s?\b/gi, " inactive "],
  [/\b(?:faut-il|dois-je|doit-on|devons-nous|peut-on|puis-je|faut il)\b/gi, " should we "],
  [/\ben (?:double|doublon)s?\b/gi, " doublons "],
  [/\ben retard\b/gi, " en-retard "],
  [
    /\b(?:le|la|les) plus (?:gros|grosse|grosses|grand|grande|grands|grandes|volumineux|volumineuses?|lourds?|lourdes?)\b/gi,
    " largest ",
  ],
  [/\b(?:le|la|les) plus (?:lente?s?)\b/gi, " slowest "],
  [/\b(?:le|la|les) plus (?:recente?s?|nouveaux|nouvelles?)\b/gi, " latest "],
  [/\b(?:le|la|les) plus (?:anciens?|anciennes?|vieux|vieilles?)\b/gi, " oldest "],
  [/\b(?:le|la|les) plus (?:cheres?|chers?|couteux|couteuses?)\b/gi, " most-expensive "],
  [/\b(?:le|la|les) plus (?:petite?s?)\b/gi, " smallest "],
  [/\b(?:le|la|les) plus (?:populaires?|frequente?s?|vendue?s?|utilisee?s?|demandee?s?|lue?s?)\b/gi, " top "],
  [/\bsous[- ]dossiers?\b/gi, " subfolder "],
  [/\bmot de passe\b/gi, "password"],
  [/\bau format\b/gi, " en "],
  [/\bvers (?:le )?format\b/gi, " en "],
  [/\best[- ]ce que?\b/gi, " is "],
  [/\b(?:y a-t-il|y a t il)\b/gi, " is there "],
  [/\bil y a\b/gi, " "],
  [/\b(?:deux|plusieurs) fois\b/gi, " doublons "],
  [/\bpareil(?:lement)?\b/gi, " "],
  [/\bmots?[- ]dieses?\b/gi, " hashtags "],
  [/(?<=^|[.?!] )ou (?=(?:est|sont|part|partent|va|vont|passe|se)\b)/gi, "where "],
  [/\bcombien de temps\b/gi, "how long"],
  [/\bcombien d(?:e |')/gi, "combien "],
  [/\bd'ici (?:a )?/gi, " within "],
  [
    /\b(?:merci de|veuillez|prier? de|peux[- ]tu|pouvez[- ]vous|pourrais[- ]tu|pourriez[- ]vous|il faudrait|il faut|faudrait|j'aimerais|je voudrais|je veux|on veut|on voudrait|on aimerait|nous voulons)\b/gi,
    " please ",
  ],
];
