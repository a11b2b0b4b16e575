/**
 * More French nouns, names of countries and towns, and verbs.
 *
 * @module
 */
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
