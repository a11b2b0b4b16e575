/**
 * French words that hold a sentence together. Articles and pronouns are left away in English; they help no search.
 *
 * @module
 */
export const SMALL_WORDS = `
le: la: les: l: un: une: des: du:of de:of d:of au:to aux:to a:to et:and ou:or ni:nor mais:but donc:so or:now car:because
en:in dans:in sur:on sous:under pour:for par:by avec:with sans:without chez:at entre:between vers:to depuis:from
jusque:until jusqu:until pendant:during avant:before apres:after contre:against selon:according_to malgre:despite parmi:among
devant:in_front_of derriere:behind autour:around pres:near loin:far hors:outside afin:to lors:during
ce: c: cet:this cette:this ces:these cela:this ca:this ceci:this celui:the_one celle:the_one ceux:those celles:those
mon:my ma:my mes:my ton:your ta:your tes:your son:its sa:its ses:its notre:our nos:our votre:your vos:your leur:their leurs:their
qui:who que: qu: quoi:what dont:of_which ou_est:where_is quel:which quelle:which quels:which quelles:which lequel:which
quand:when comment:how pourquoi:why combien:how_many ou_se_trouve:where_is est_ce_que: qu_est_ce_que:what_is
il: elle: ils: elles: on: nous:us vous: je: j: tu: me:me moi:me te: toi: se: s: lui: eux:them y: n: ne: m: t:
est:is sont:are etre:be suis:am es: sommes:are etes:are etait:was etaient:were sera:will_be seront:will_be soit:be ete:been
fera: feront: ferait: ai: as: ont: avons: avez: avoir:have avait: aura: il_y_a:there_is
pas:not plus:more moins:less tres:very trop:too assez:enough bien:well mal:badly mieux:better aussi:also encore:again
toujours:always jamais:never souvent:often parfois:sometimes deja:already bientot:soon maintenant:now ici:here la_bas:there
tout:all toute:all tous:all toutes:all chaque:each plusieurs:several quelque:some quelques:some certains:some
meme:same tel:such telle:such aucun:no aucune:no rien:nothing personne:person quelqu_un:someone
si:if alors:then puis:then ensuite:then enfin:finally d_abord:first ainsi:so comme:like parce_que:because lorsque:when
veux: veut: voudrais: aimerais: souhaite: peux:can peut:can pouvez:can pourrais:could pourriez:could dois:must doit:must faut:must
besoin:need j_ai_besoin_de: il_faut: s_il_vous_plait:please s_il_te_plait:please svp:please merci:thanks bonjour: salut:
aujourd_hui:today hier:yesterday demain:tomorrow apres_demain:the_day_after_tomorrow avant_hier:the_day_before_yesterday
a_partir_de:from en_fonction_de:depending_on a_cote_de:next_to au_dessus:above en_dessous:below a_propos_de:about au_sujet_de:about
grace_a:with a_l_aide_de:with au_moyen_de:with en_cours:current en_ligne:online hors_ligne:offline a_distance:remote au_lieu_de:instead_of
zero:zero deux:two trois:three quatre:four cinq:five six:six sept:seven huit:eight neuf:nine dix:ten vingt:twenty cent:hundred
mille:thousand million:million milliard:billion
`;
