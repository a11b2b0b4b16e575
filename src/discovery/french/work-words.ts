/**
 * French words of offices, workshops and computers: what people who write code for others are asked for.
 *
 * @module
 */
export const WORK_WORDS = `
acces:access externe:external interne:internal langage:language retard:delay reglage:settings reglages:settings salle:room
impaye:unpaid impayee:unpaid inutilise:unused inutilisee:unused doublon:duplicate activite:activity inactivite:inactivity inactif:inactive
actif:active moyen:average moyenne:average solde:balance montant:amount compteur:counter seuil:threshold diffusion:broadcast
liste_de_diffusion:mailing_list atelier:workshop serre:greenhouse recette_technique:staging preproduction:staging production:production
invalide:invalid libre:free disponible:available disponibilite:availability indisponible:unavailable occupe:busy creneau:slot plage:range
horaire:schedule reservation:booking reserver:book rendez_vous:appointment echeance:deadline delai:delay duree:duration expirer:expire
expire:expired expiree:expired perime:expired obsolete:obsolete orphelin:orphan orpheline:orphan manquant:missing manquante:missing
absent:absent vide:empty casse:broken cassee:broken mort:dead morte:dead rompu:broken bloque:blocked bloquee:blocked ouvert:open
ferme:closed fermee:closed termine:finished terminee:finished fusionne:merged fusionnee:merged supprime:deleted modifie:modified
modifiee:modified recent:recent recente:recent ancien:old ancienne:old lent:slow lente:slow rapide:fast lourd:large lourde:large
volumineux:large gros:large grosse:large gras:fat cher:expensive urgent:urgent prioritaire:priority priorite:priority important:important
sensible:sensitive personnel:personal public:public prive:private partage:shared partagee:shared quotidien:daily hebdomadaire:weekly
mensuel:monthly mensuelle:monthly trimestriel:quarterly trimestre:quarter annuel:yearly annuelle:yearly semestre:semester
arrondir:round formater:format formatage:formatting arrondi:rounding ranger:organize rangement:organizing relever:read mentionner:mention
depasser:exceed depassement:overrun echouer:fail echec:failure reussir:succeed reussite:success rester:remain restant:remaining reste:remaining
commander:order relancer:remind rappeler:remind rappel:reminder relance:reminder signaler:report signalement:report alerter:alert alerte:alert
prevenir:notify avertir:warn informer:inform notifier:notify notification:notification cloturer:close cloture:closing clore:close
rouvrir:reopen affecter:assign attribuer:assign assigner:assign affectation:assignment etiqueter:label marquer:mark epingler:pin
archiver:archive archivage:archiving purger:purge purge:purge nettoyer:clean epurer:purge detruire:delete jeter:delete revoquer:revoke
invalider:invalidate expulser:evict deconnecter:disconnect connecter:connect connexion:login identifier:identify authentifier:authenticate
inscrire:register inscription:registration desinscrire:unsubscribe desabonner:unsubscribe abonnement:subscription abonne:subscriber
resilier:cancel resiliation:cancellation rembourser:refund remboursement:refund facturer:invoice facturation:billing payer:pay paiement:payment
encaisser:charge virement:transfer tresorerie:cash chiffre_d_affaires:revenue revenu:revenue recettes:revenue depense:expense depenses:expenses
marge:margin benefice:profit cout:cost tarif:price remise:discount promotion:promotion tva:vat taxe:tax devis:quote bon_de_commande:purchase_order
commande:order panier:cart livraison:delivery livrer:deliver expedition:shipment colis:parcel stock:stock rupture_de_stock:out_of_stock
reapprovisionner:restock entrepot:warehouse inventaire:inventory article:article produit:product fournisseur:supplier prestation:service
salarie:employee employe:employee employee:employee effectif:staff embauche:hiring candidat:candidate candidature:application recruteur:recruiter
conge:leave conges:leave absence:absence paie:payroll salaire:salary note_de_frais:expense_report contrat:contract avenant:amendment
participant:participant invite:guest presence:attendance reunion:meeting ordre_du_jour:agenda compte_rendu:minutes proces_verbal:minutes
sondage:survey avis:review retour_client:feedback reclamation:complaint plainte:complaint satisfaction:satisfaction
capteur:sensor sonde:probe chaudiere:boiler chauffage:heating eclairage:lighting lumiere:light lampe:lamp volet:shutter porte:door
arrosage:watering arroser:water pompe:pump vanne:valve cuve:tank debit:flow pression:pressure humidite:humidity thermostat:thermostat
consommation:consumption electricite:electricity energie:energy panneau_solaire:solar_panel batterie:battery borne:charger borne_de_recharge:charging_station
trajet:trip itineraire:route arret:stop quai:platform gare:station depart:departure arrivee:arrival vol:flight correspondance:connection
correctif:fix anomalie:anomaly incident:incident panne:outage coupure:outage ralentissement:slowdown lenteur:slowness fuite:leak
sante:health etat:status statut:status disponibilites:availability temps_de_reponse:response_time taux_d_erreur:error_rate
serveur:server instance:instance noeud:node grappe:cluster conteneur:container image:image volume:volume charge:load trafic:traffic
requete:query requetes:queries journal_d_acces:access_log journaux_d_acces:access_logs trace:trace pile:stack plantage:crash planter:crash
redemarrage:restart mise_en_production:release livrable:deliverable integration_continue:ci chaine_d_integration:pipeline pipeline:pipeline
deployer:deploy environnement_de_recette:staging_environment recette:staging revue:review relecture:review relire:review relecteur:reviewer
demande_de_revue:review_request valideur:approver contributeur:contributor auteur:author mainteneur:maintainer depot:repository
fourche:fork commit:commit validation:commit etiquette:label jalon:milestone sprint:sprint tableau_de_bord:dashboard colonne:column
sous_tache:subtask tache:task ticket:issue bogue:bug anomalies:bugs carnet:backlog avancement:progress velocite:velocity
traduction:translation cle:key cles:keys chaine:string chaines:strings motif:pattern expression_reguliere:regex casse_de_chameau:camel_case
majuscule:uppercase minuscule:lowercase accent:accent espace:space espaces:spaces virgule:comma point_virgule:semicolon guillemet:quote
separateur:separator entete:header en_tete:header pied_de_page:footer balise:tag arborescence:tree imbrique:nested imbriquee:nested aplatir:flatten
dedoublonner:dedupe dedupliquer:dedupe regrouper:group regroupement:grouping repartir:distribute repartition:breakdown ventilation:breakdown
ventiler:group cumul:total cumuler:sum totaliser:sum additionner:sum ecart:difference difference:difference evolution:trend tendance:trend
croissance:growth baisse:decrease hausse:increase classement:ranking palmares:ranking mediane:median ecart_type:standard_deviation
quantile:quantile histogramme:histogram echantillon:sample aleatoire:random masquer:mask anonymiser:anonymize caviarder:redact
expurger:redact tronquer:truncate raccourcir:truncate decouper:split morceau:chunk morceaux:chunks lot:batch lots:batches
normaliser:normalize uniformiser:normalize nettoyage:cleaning verifier:check controler:check valider:validate recenser:list repertorier:list
reperer:find detecter:detect detection:detection deceler:detect retrouver:find denicher:find recuperer:get rapatrier:fetch aspirer:scrape
consigner:log historiser:archive horodater:timestamp horodatage:timestamp dater:date date:date dates:dates daté:dated jour_ferie:holiday jours_feries:holidays
jour_ouvre:business_day jours_ouvres:business_days fuseau_horaire:timezone fuseau:timezone heure:time anniversaire:birthday
synchroniser:sync synchronisation:sync rapprocher:reconcile rapprochement:reconciliation croiser:match recouper:match apparier:match
basculer:switch migrer:migrate migration:migration transvaser:move deverser:export injecter:insert alimenter:fill remplir:fill completer:complete
renseigner:fill saisir:enter saisie:entry cocher:check bouton:button cliquer:click formulaire:form capture_d_ecran:screenshot capturer:capture
naviguer:navigate onglet:tab page_d_accueil:home_page lien_mort:dead_link liens_morts:dead_links lien_casse:broken_link liens_casses:broken_links
courriel:email courriels:emails pourriel:spam spam:spam lettre_d_information:newsletter infolettre:newsletter piece_jointe:attachment
pieces_jointes:attachments non_lu:unread non_lus:unread non_lue:unread brouillon:draft brouillons:drafts destinataire:recipient fil:thread
canal:channel salon:channel discussion:thread membre:member membres:members reaction:reaction mention:mention annonce:announcement annoncer:announce
dossier:folder sous_dossier:subfolder repertoire:directory fichier:file corbeille:trash racine:root extension:extension poids:size taille:size
sauvegarde:backup copie_de_secours:backup instantane:snapshot somme_de_controle:checksum empreinte:hash condensat:hash jeton:token jetons:tokens
mot_de_passe:password secret:secret secrets:secrets certificat:certificate droits:permissions habilitation:permission faille:vulnerability
modele:model modele_de_langue:language_model invite_de_commande:prompt resume:summary ton:tone sentiment:sentiment classer:classify etiquetage:labeling
transcrire:transcribe transcription:transcript sous_titre:subtitle sous_titres:subtitles legende:caption reformuler:rewrite vulgariser:simplify
question:question reponse:answer souvenir:memory retenir:remember memoriser:remember note:note noter:note fiche:card carnet_d_adresses:address_book
annuaire:directory coordonnees:contacts ville:city pays:country code_postal:postcode adresse:address devise:currency monnaie:currency
cours:rate taux_de_change:exchange_rate meteo:weather prevision:forecast qualite_de_l_air:air_quality pollution:pollution pluie:rain
patient:patient dossier_medical:medical_record ordonnance:prescription eleve:student etudiant:student inscrit:enrolled cours_en_ligne:course
recolte:harvest parcelle:plot troupeau:herd vache:cow ruche:hive bateau:boat navire:ship cargaison:cargo conteneur_maritime:container
camion:truck vehicule:vehicle flotte:fleet chauffeur:driver tournee:route imprimante:printer impression:print bobine:spool piece:part
machine:machine chaine_de_production:production_line usine:factory automate:plc temperature:temperature vibration:vibration etalonnage:calibration
musee:museum oeuvre:artwork exposition:exhibition bibliotheque:library emprunt:loan emprunter:borrow livre:book prix:price ecoute:play
chanson:song morceau_de_musique:track liste_de_lecture:playlist album:album serie:series episode:episode saison:season
partie:game joueur:player score:score match:match equipe:team championnat:league billet:ticket spectacle:show place:seat
prochain:next prochaine:next dernier:last derniere:last derniers:last dernieres:last precedent:previous precedente:previous suivant:next
ecoule:past ecoulee:past passe:past courant:current en_attente:pending en_panne:broken en_erreur:failing en_ligne:online hors_service:broken
pret:ready prete:ready surcharge:overloaded surchargee:overloaded sature:full saturee:full suspect:suspicious suspecte:suspicious
redige:written traduit:translated non_traduit:untranslated non_traduits:untranslated non_utilise:unused non_utilises:unused
non_assigne:unassigned non_assignes:unassigned non_resolu:unresolved non_resolus:unresolved non_paye:unpaid non_payes:unpaid payant:paying payante:paying
a_partir_du:from a_partir_des:from a_partir_d:from aupres_de:from au_sein_de:in a_destination_de:to en_provenance_de:from
mettre_en_forme:format mise_en_forme:formatting mettre_en_pause:pause mettre_en_ligne:publish mise_en_ligne:publication mettre_de_cote:save
remettre_a_zero:reset remise_a_zero:reset mettre_en_cache:cache mise_en_cache:cache faire_le_menage:clean faire_le_point:summarize faire_suivre:forward
tenir_a_jour:update prendre_rendez_vous:book passer_en_revue:review mettre_en_evidence:highlight
savoir:know connaitre:know servir:use repartis:distributed tourner:run heberger:host correspondre:match comporter:contain figurer:appear
concurrent:competitor concurrence:competition portail:portal parcours:flow parcours_d_achat:checkout tunnel_d_achat:checkout de_bout_en_bout:end_to_end
reaffecter:reassign reattribuer:reassign ignorer:skip ignore:skipped motif_de:reason_of raison:reason temporaire:temporary seau:bucket compartiment:bucket tonalite:tone
tomate:tomato sec:dry seche:dry validite:validity hote:host consommer:use replique:replica repliques:replicas bienvenue:welcome cesse:stop
assurance:insurance sinistre:claim adherent:member adherents:members benevole:volunteer association:association don:donation dons:donations donateur:donor
locataire:tenant loyer:rent bail:lease logement:housing chambre:room hotel:hotel sejour:stay voyageur:traveler passager:passenger bagage:baggage
vehicules:vehicles kilometrage:mileage carburant:fuel entretien:maintenance revision:service garage:garage panneau:panel onduleur:inverter
troncon:section voie:track aiguillage:switch maree:tide vent:wind vague:wave station_meteo:weather_station precipitation:precipitation gel:frost
echantillons:samples analyse_de_sang:blood_test laboratoire:lab resultat:result resultats:results mesurage:measurement pesee:weighing balance:scale
etiquettes:labels code_barres:barcode code_barre:barcode numero_de_serie:serial_number numero_de_commande:order_number numero_de_suivi:tracking_number suivi:tracking
emplacement:location rayon:shelf reception:receipt retour:return retours:returns echange:exchange garantie:warranty litige:dispute impression_3d:3d_print
fiche_produit:product_description fiches_produit:product_descriptions catalogue:catalog variante:variant declinaison:variant promotions:promotions coupon:coupon bon_de_reduction:coupon
auditeur:listener podcast:podcast flux_rss:rss_feed fil_d_actualite:feed actualite:news actualites:news depeche:news_item traducteur:translator
formation:training stagiaire:trainee apprenant:learner devoirs:assignments bulletin:report_card absence:absence absences:absences appel_d_offres:tender
commande_shell:shell_command script:script tache_planifiee:scheduled_job taches_planifiees:cron_jobs processus_zombie:zombie_process port_ouvert:open_port ports:ports
espace_disque:disk_space memoire_vive:memory charge_cpu:cpu_load adresse_ip:ip_address nom_d_hote:hostname certificat_tls:tls_certificate cle_ssh:ssh_key cles_ssh:ssh_keys
vulnerabilites:vulnerabilities dependances:dependencies dependance:dependency paquets:packages mise_a_niveau:upgrade retour_arriere:rollback revenir_en_arriere:rollback
en_cours_de:during au_dela_de:over au_moins:at_least au_plus:at_most plus_de:more_than moins_de:less_than pas_encore:not_yet n_a_pas_encore:not_yet
categorie:category recapitulatif:summary recap:summary alternatif:alternative alternative:alternative texte_alternatif:alt_text pointage:timesheet
eteindre:turn_off allumer:turn_on lampe:light demarche:procedure dossier_client:customer_file fiche_client:customer_record clientele:customers prospect:lead prospects:leads
responsable:owner proprietaire:owner gestionnaire:manager administrateur:admin developpeur:developer equipe:team groupe:group groupes:groups
cohorte:cohort segment:segment campagne:campaign objectif:goal indicateur:metric indicateurs:metrics metrique:metric mesures:metrics quota:quota limite:limit
plafond:cap minimum:minimum maximum:maximum repartition:breakdown part:share proportion:ratio ratio:ratio pourcentages:percentages barre:bar
bug:bug bugs:bugs fonctionnalite:feature fonctionnalites:features exigence:requirement cahier_des_charges:specification maquette:mockup
police:font couleur:color couleurs:colors palette:palette icone:icon icones:icons logo:logo gabarit:template composant:component composants:components
commun:common entite:entity connaissances:knowledge graphe:graph lien:link liens:links vieux:old vieille:old neuf:new mauvais:bad
perdu:lost oublie:forgotten abandonne:abandoned abandonnee:abandoned dormant:dormant similaire:similar identique:identical different:different
contraire:opposite conforme:compliant conformite:compliance obligatoire:required facultatif:optional requis:required champs:fields
enquete:survey questionnaire:survey ouvrier:worker chantier:site plan:plan devoir:homework note_de_version:release_notes notes_de_version:release_notes
changelog:changelog mise_en_service:launch appel:call appels:calls rappel_automatique:reminder astreinte:on_call garde:duty planning:schedule
compte_bancaire:bank_account virement_bancaire:bank_transfer releve:statement releve_bancaire:bank_statement ecriture_comptable:ledger_entry
lettrage:reconciliation avoir_client:credit_note acompte:deposit echeancier:schedule relances:reminders penalite:penalty
utilisateurs:users abonnes:subscribers visiteurs:visitors visite:visit visites:visits clic:click clics:clicks vue:view vues:views audience:audience
conversion_de_devises:currency_conversion mesure:measurement unite:unit unites:units metre:meter kilometre:kilometer degre:degree vitesse:speed
reglementaire:regulatory courrier_electronique:email destinataires:recipients expediteurs:senders boite:mailbox boite_mail:mailbox regle:rule regles:rules
corriger:fix reparer:repair bloquer:block debloquer:unblock autoriser:allow interdire:forbid refuser:reject accepter:accept approuver:approve
rejeter:reject confirmer:confirm deleguer:delegate escalader:escalate prioriser:prioritize trier:sort ordonner:sort melanger:shuffle
tirer_au_sort:draw piocher:draw attribution:assignment permuter:swap inverser:invert echanger:swap fractionner:split eclater:split
concatener:concatenate coller:join assembler:assemble agreger:aggregate consolider:consolidate centraliser:collect collecter:collect rassembler:gather
capter:capture enregistrer:record ecouter:listen lire_a_voix_haute:speak dicter:dictate surveiller:monitor suivre:track pister:track tracer:trace
mesurer:measure chronometrer:time evaluer:evaluate noter_un:rate juger:judge estimer:estimate chiffrer_le:estimate budgeter:budget
rediger:write rediger_un:write ecrire_un:write completer_le:fill preremplir:prefill generer:generate fabriquer:build monter:mount demonter:unmount
brancher:connect debrancher:disconnect allumer:enable eteindre:disable activer:enable desactiver:disable augmenter:increase diminuer:decrease
reduire:reduce agrandir:enlarge redimensionner:resize rogner:crop pivoter:rotate retourner:reverse compresser:compress decompresser:extract
prendre:take prennent:take occuper:use occupe_le_plus:largest
`;
