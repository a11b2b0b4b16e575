/**
 * French nouns, and adjectives that occur with them.
 *
 * @module
 */

export const THINGS = `
fichier:file dossier:folder repertoire:directory chemin:path document:document contenu:content texte:text ligne:line mot:word
phrase:sentence paragraphe:paragraph page:page titre:title chapitre:chapter lettre:letter caractere:character tableau:table
colonne:column rangee:row cellule:cell feuille:sheet feuille_de_calcul:spreadsheet tableur:spreadsheet classeur:workbook
diaporama:slideshow diapositive:slide presentation:presentation modele:template formulaire:form champ:field signature:signature
donnee:data donnees:data base_de_donnees:database base:database table:table requete:query schema:schema index:index cle:key
valeur:value nombre:number chiffre:figure somme:sum moyenne:average mediane:median total:total pourcentage:percentage taux:rate
ensemble:set jeu_de_donnees:dataset liste:list element:element objet:object propriete:property parametre:parameter variable:variable
statistique:statistics graphique:chart graphe:graph courbe:curve diagramme:diagram histogramme:histogram carte_mentale:mind_map
nuage_de_mots:word_cloud camembert:pie_chart rapport:report compte_rendu:report bilan:report journal:log journaux:logs historique:history
taille:size longueur:length largeur:width hauteur:height poids:weight profondeur:depth surface:area aire:area volume:volume
site:website site_web:website page_web:web_page toile:web lien:link adresse:address moteur:engine navigateur:browser onglet:tab
serveur:server client:client reseau:network domaine:domain nom_de_domaine:domain_name hebergement:hosting nuage:cloud internet:internet
bouton:button ecran:screen capture_d_ecran:screenshot capture:capture souris:mouse clavier:keyboard fenetre:window menu:menu
ordinateur:computer machine:machine telephone:phone portable:mobile appareil:device imprimante:printer disque:disk memoire:memory
processeur:processor logiciel:software programme:program application:app outil:tool systeme:system processus:process tache:task
travail:job flux:stream file_d_attente:queue evenement:event erreur:error bogue:bug panne:failure avertissement:warning
code:code code_source:source_code fonction:function classe:class methode:method bibliotheque:library paquet:package module:module
dependance:dependency version:version depot:repository branche:branch ticket:issue demande_de_fusion:pull_request
demande_de_tirage:pull_request etiquette:label commentaire:comment conteneur:container grappe:cluster environnement:environment
mot_de_passe:password identifiant:identifier compte:account utilisateur:user profil:profile droit:permission role:role jeton:token
securite:security sauvegarde:backup certificat:certificate vulnerabilite:vulnerability attaque:attack pare_feu:firewall
courriel:email mail:mail e_mail:email courrier:mail boite_de_reception:inbox piece_jointe:attachment destinataire:recipient
expediteur:sender objet_du_message:subject brouillon:draft message:message discussion:discussion conversation:conversation
canal:channel salon:channel groupe:group equipe:team membre:member contact:contact carnet_d_adresses:address_book ami:friend
reseau_social:social_network reseaux_sociaux:social_networks abonne:subscriber publication:post notification:notification avis:review
agenda:calendar calendrier:calendar rendez_vous:appointment reunion:meeting conference:conference visioconference:video_conference
date:date heure:time minute:minute seconde:second jour:day journee:day semaine:week mois:month an:year annee:year siecle:century
matin:morning midi:noon soir:evening nuit:night week_end:weekend lundi:Monday mardi:Tuesday mercredi:Wednesday jeudi:Thursday
vendredi:Friday samedi:Saturday dimanche:Sunday janvier:January fevrier:February mars:March avril:April mai:May juin:June
juillet:July aout:August septembre:September octobre:October novembre:November decembre:December printemps:spring automne:autumn
hiver:winter ete:summer vacances:holidays jour_ferie:public_holiday anniversaire:birthday delai:deadline echeance:deadline
duree:duration fuseau_horaire:time_zone horaire:timetable minuteur:timer minuterie:timer alarme:alarm reveil:alarm compte_a_rebours:countdown
carte:map plan:plan lieu:place endroit:place position:position emplacement:location coordonnees:coordinates distance:distance
itineraire:route trajet:trip route:road rue:street ville:city village:village pays:country region:region monde:world capitale:capital
continent:continent mer:sea montagne:mountain fleuve:river riviere:river ile:island plage:beach foret:forest quartier:neighborhood
code_postal:postal_code code_pays:country_code altitude:altitude voiture:car velo:bike train:train avion:plane vol:flight
bateau:boat bus:bus metro:subway taxi:taxi gare:station aeroport:airport port:port billet:ticket bagage:luggage voyage:trip
voyageur:traveler hotel:hotel chambre:room auberge:hostel restaurant:restaurant tourisme:tourism essence:fuel carburant:fuel
borne_de_recharge:charging_station station_service:gas_station circulation:traffic embouteillage:traffic_jam stationnement:parking parking:parking
meteo:weather temps:weather temperature:temperature pluie:rain neige:snow vent:wind soleil:sun orage:storm tempete:storm humidite:humidity
climat:climate chaleur:heat froid:cold qualite_de_l_air:air_quality tremblement_de_terre:earthquake seisme:earthquake inondation:flood
argent:money prix:price cout:cost tarif:rate monnaie:currency devise:currency taux_de_change:exchange_rate banque:bank
compte_bancaire:bank_account carte_bancaire:credit_card virement:transfer facture:invoice devis:quote recu:receipt budget:budget
depense:expense revenu:income salaire:salary impot:tax taxe:tax tva:VAT pret:loan emprunt:loan credit:credit interet:interest
taux_d_interet:interest_rate dette:debt epargne:savings bourse:stock_market action:stock cours:price cours_de_bourse:stock_price
actif:asset portefeuille:portfolio marche:market rendement:yield benefice:profit perte:loss chiffre_d_affaires:revenue assurance:insurance
entreprise:company societe:company client:customer fournisseur:supplier produit:product article:item catalogue:catalog magasin:store
boutique:shop panier:cart remise:discount solde:sale promotion:promotion offre:offer contrat:contract projet:project employe:employee
salarie:employee patron:boss chef:manager emploi:job poste:position offre_d_emploi:job_offer candidature:application cv:resume
curriculum_vitae:resume lettre_de_motivation:cover_letter entretien:interview metier:profession carriere:career conge:leave
sante:health medecin:doctor docteur:doctor hopital:hospital pharmacie:pharmacy medicament:medicine maladie:disease symptome:symptom
traitement:treatment ordonnance:prescription patient:patient douleur:pain blessure:injury allergie:allergy vaccin:vaccine sang:blood
coeur:heart tension:pressure tension_arterielle:blood_pressure glycemie:blood_sugar imc:BMI indice_de_masse_corporelle:body_mass_index
regime:diet alimentation:diet calorie:calorie nutrition:nutrition sommeil:sleep sport:sport exercice:exercise entrainement:workout
course:running musculation:weight_training fitness:fitness yoga:yoga corps:body tete:head main:hand pied:foot oeil:eye yeux:eyes dent:tooth
nourriture:food repas:meal recette:recipe ingredient:ingredient plat:dish dessert:dessert petit_dejeuner:breakfast dejeuner:lunch
diner:dinner boisson:drink vin:wine biere:beer cafe:coffee eau:water lait:milk pain:bread fromage:cheese viande:meat
poulet:chicken poisson:fish legume:vegetable fruit:fruit sucre:sugar sel:salt oeuf:egg gateau:cake
image:image photo:photo photographie:photo illustration:illustration icone:icon logo:logo couleur:color arriere_plan:background
fond:background pixel:pixel visage:face portrait:portrait video:video film:movie cinema:cinema serie:series episode:episode
sous_titre:subtitle transcription:transcript audio:audio son_audio:sound voix:voice musique:music chanson:song parole:lyric
paroles:lyrics chanteur:singer artiste:artist album:album liste_de_lecture:playlist concert:concert radio:radio balado:podcast
television:television chaine:channel emission:show acteur:actor actrice:actress realisateur:director theatre:theater musee:museum
peinture:painting art:art jeu:game jeux:games jeu_video:video_game joueur:player score:score match:match equipe_de_football:football_team
football:football tennis:tennis championnat:championship resultat:result classement:standings livre:book auteur:author roman:novel
poeme:poem histoire:story bibliotheque_municipale:public_library citation:quote editeur:publisher article_scientifique:scientific_paper
article_de_presse:news_article actualite:news actualites:news nouvelle:news nouvelles:news presse:press information:information
informations:information magazine:magazine source:source reference:reference sujet:topic theme:theme tendance:trend question:question
reponse:answer ecole:school universite:university cours_en_ligne:online_course etudiant:student eleve:student professeur:teacher
examen:exam note:note notes:notes diplome:degree lecon:lesson langue:language anglais:English francais:French allemand:German
espagnol:Spanish italien:Italian chinois:Chinese japonais:Japanese portugais:Portuguese russe:Russian arabe:Arabic
grammaire:grammar orthographe:spelling vocabulaire:vocabulary synonyme:synonym dictionnaire:dictionary faute:mistake
mathematiques:mathematics equation:equation formule:formula triangle:triangle cercle:circle carre:square rectangle:rectangle angle:angle
vitesse:speed force:force energie:energy masse:mass pression:pressure electricite:electricity puissance:power chimie:chemistry
physique:physics biologie:biology espece:species animal:animal animaux:animals chien:dog chat:cat cheval:horse oiseau:bird plante:plant
arbre:tree fleur:flower jardin:garden etoile:star planete:planet espace:space lune:moon terre:earth
maison:house appartement:apartment immeuble:building logement:housing immobilier:real_estate piece:room cuisine:kitchen
salle_de_bain:bathroom loyer:rent lumiere:light lampe:lamp porte:door chauffage:heating meuble:furniture bien_immobilier:property
famille:family enfant:child enfants:children parent:parent mere:mother pere:father frere:brother soeur:sister fils:son fille:daughter
femme:woman homme:man mari:husband bebe:baby gens:people nom:name prenom:first_name age:age naissance:birth deces:death mariage:wedding
cadeau:gift fete:party vetement:clothing vetements:clothes chaussure:shoe robe:dress mode:fashion coiffure:hairstyle beaute:beauty
loi:law avocat:lawyer justice:justice tribunal:court police:police gouvernement:government ministre:minister president:president
election:election parti:party politique:politics guerre:war paix:peace armee:army population:population habitant:inhabitant
passeport:passport visa:visa permis:license permis_de_conduire:driving_license carte_d_identite:identity_card brevet:patent
blague:joke devinette:riddle horoscope:horoscope signe:sign reve:dream idee:idea avis:opinion sentiment:sentiment emotion:emotion
but:goal objectif:goal etape:step methode:method probleme:problem solution:solution choix:choice difference:difference exemple:example
type:type sorte:kind format:format niveau:level qualite:quality quantite:quantity etat:status statut:status mode_d_emploi:manual
plus_proche:nearest plus_grand:largest plus_grande:largest plus_petit:smallest plus_recent:latest plus_recente:latest
plus_populaire:most_popular plus_court:shortest plus_long:longest plus_cher:most_expensive moins_cher:cheapest mieux_note:best_rated
aleatoire:random nouveau:new nouvelle_version:new_version nouvel:new ancien:old vieux:old vieille:old jeune:young grand:large
grande:large petit:small petite:small gros:big grosse:big long:long longue:long court:short courte:short haut:high haute:high bas:low
basse:low bon:good bonne:good mauvais:bad meilleur:best meilleure:best pire:worst beau:beautiful belle:beautiful rapide:fast
lent:slow facile:easy difficile:hard simple:simple complexe:complex important:important urgent:urgent principal:main principale:main
gratuit:free payant:paid cher:expensive chere:expensive pas_cher:cheap bon_marche:cheap ouvert:open ferme:closed vide:empty plein:full
actuel:current actuelle:current recent:recent recente:recent public:public publique:public prive:private privee:private
vrai:true faux:false possible:possible disponible:available populaire:popular celebre:famous proche:nearby local:local mondial:global
quotidien:daily hebdomadaire:weekly mensuel:monthly annuel:annual entier:whole complet:complete complete:complete detaille:detailed
premier:first premiere:first deuxieme:second second:second troisieme:third dernier:last derniere:last prochain:next
suivant:next precedent:previous autre:other certain:certain rouge:red bleu:blue vert:green jaune:yellow noir:black blanc:white gris:gray
medical:medical financier:financial scientifique:scientific technique:technical juridique:legal social:social professionnel:professional
personnel:personal historique:historical geographique:geographic numerique:digital virtuel:virtual automatique:automatic
electrique:electric electronique:electronic vegetarien:vegetarian vegan:vegan
intelligence_artificielle:artificial_intelligence apprentissage_automatique:machine_learning reseau_de_neurones:neural_network
empreinte:fingerprint somme_de_controle:checksum expression_reguliere:regular_expression chaine_de_caracteres:string booleen:boolean
interface:interface point_d_acces:endpoint tache_planifiee:scheduled_task ligne_de_commande:command_line terminal:terminal
variable_d_environnement:environment_variable espace_disque:disk_space adresse_ip:IP_address code_qr:QR_code code_barres:barcode
`;

export const MORE_THINGS = `
parenthese:parenthesis accolade:brace crochet:bracket tiret:dash equilibre:balanced expression:expression decimal:decimal flottant:float
matrice:matrix vecteur:vector intersection:intersection union:union variance:variance supermarche:supermarket
reapprovisionnement:restocking recharge:charging pneu:tyre vidange:oil_change serrure:lock desabonnement:unsubscription conflit:conflict
regression:regression exception:exception indesirable:spam lendemain:next_day leger:light acheve:finished majeur:major mineur:minor mur:wall
toit:roof cave:cellar echu:overdue
ouverture:opening fermeture:closing retour:return aller_retour:round_trip publicite:advertisement annonce:ad
habitude:habit competence:skill connaissance:knowledge connaissances:knowledge ressource:resource risque:risk
industrie:industry norme:standard numero:number bataille:battle marque:brand proces:lawsuit concerner:concern
prestataire:provider service:service situe:located noter:rate biologique:organic fourchette:range ajuster:adjust
randonnee:hiking matelas:mattress occasion:used porter:wear habit:clothing tenue:outfit programmation:programming
point:point convaincant:persuasive approfondi:in_depth tutoriel:tutorial guide:guide introduction:introduction
structure:structure economique:economic boursier:stock mouvement:movement correspondant:corresponding
approximatif:approximate presence:presence valide:valid rediriger:redirect autonomie:range etablir:establish
contenir:contain contient:contain intitule:titled existe:exist exister:exist soin:care soins:care pole:hub
technologie:technology technologique:technological danse:dance danser:dance animer:animate grec:Greek
prononcer:pronounce prononciation:pronunciation pente:slope impact:impact chaine_d_approvisionnement:supply_chain
approvisionnement:supply progres:progress tropical:tropical afrique:Africa chine:China bresil:Brazil europe:Europe
asie:Asia amerique:America allemagne:Germany espagne:Spain italie:Italy royaume_uni:United_Kingdom
angleterre:England etats_unis:United_States japon:Japan inde:India russie:Russia canada:Canada belgique:Belgium
suisse:Switzerland pays_bas:Netherlands londres:London pekin:Beijing rome:Rome berlin:Berlin moscou:Moscow
bruxelles:Brussels geneve:Geneva barcelone:Barcelona lisbonne:Lisbon varsovie:Warsaw nord:north sud:south
est_du:east_of ouest:west sortie:release manque:lack sentir:feel penser:think croire:believe aimer:like adorer:love
detester:hate regulier:regular compte_client:customer_account abonnement:subscription facturation:billing
comptabilite:accounting comptable:accountant tresorerie:cash stock:inventory inventaire:inventory
entrepot:warehouse colis:parcel expedition:shipping suivi_de_colis:parcel_tracking transporteur:carrier
douane:customs usine:factory production:production machine_outil:machine_tool piece_detachee:spare_part
agriculture:agriculture recolte:harvest sol:soil engrais:fertilizer satellite:satellite capteur:sensor
mesure:measurement seuil:threshold signal:signal bruit:noise frequence:frequency onde:wave lumineux:bright
fonctionnalite:feature exigence:requirement specification:specification essai:test essais:tests couverture:coverage
revue:review revue_de_code:code_review integration:integration tableau_de_bord:dashboard indicateur:indicator
metrique:metric rendement_moyen:average_yield performance:performance charge:load latence:latency debit:throughput
bande_passante:bandwidth cache:cache noeud:node arborescence:tree racine:root feuille_de_style:stylesheet
balise:tag mise_en_page:layout marge:margin entete:header en_tete:header pied_de_page:footer
sommaire:table_of_contents annexe:appendix lettre_d_information:newsletter infolettre:newsletter sondage:survey
enquete:survey questionnaire:questionnaire vote:vote petition:petition campagne:campaign
vetement_de_sport:sportswear bijou:jewel montre:watch lunettes:glasses sac:bag valise:suitcase parapluie:umbrella
jouet:toy meteo_marine:marine_forecast maree:tide vague:wave ski:ski piste:slope natation:swimming
velo_electrique:electric_bike covoiturage:carpooling peage:toll autoroute:highway
permis_de_construire:building_permit notaire:notary heritage:inheritance retraite:retirement chomage:unemployment
allocation:allowance aide_sociale:welfare naissance_d_un_enfant:childbirth grossesse:pregnancy enceinte:pregnant
dentiste:dentist infirmier:nurse urgence:emergency ambulance:ambulance psychologue:psychologist stress:stress
meditation:meditation respiration:breathing rythme_cardiaque:heart_rate podometre:pedometer pas_effectues:steps
phrase_de_passe:passphrase double_authentification:two_factor_authentication
sauvegarde_automatique:automatic_backup corbeille:trash raccourci:shortcut presse_papiers:clipboard mot_cle:keyword
mots_cles:keywords etiquette_de_prix:price_tag devis_gratuit:free_quote avis_client:customer_review
fichier_joint:attached_file archive:archive dossier_partage:shared_folder lecteur:drive cle_usb:USB_stick
ecouteur:earphone casque:headphones haut_parleur:speaker micro:microphone microphone:microphone camera:camera
appareil_photo:camera objectif_photo:lens montage:editing bande_annonce:trailer sous_titrage:subtitling
doublage:dubbing synopsis:synopsis critique:review personnage:character monstre:monster heros:hero quete:quest
niveau_de_jeu:game_level
`;

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
