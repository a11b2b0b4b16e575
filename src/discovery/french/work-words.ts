/**
 * French words of offices, workshops and computers: the subjects of people who write code for others.
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

export const TRADE_WORDS = `
accuse_de_reception:acknowledgement accuse:acknowledgement bidon:dummy factice:dummy fictif:fake epreuve:test potager:garden gazon:lawn
pelouse:lawn liste_de_courses:shopping_list epicerie:grocery recette_de_cuisine:recipe traiteur:caterer cantine:canteen
prospection:prospecting affaire:deal opportunite:opportunity vendeur:seller acheteur:buyer revendeur:reseller
grossiste:wholesaler mandat:mandate prelevement:direct_debit cheque:check caisse:register ticket_de_caisse:receipt justificatif:receipt
quittance:receipt proforma:proforma bordereau:slip bon_de_livraison:delivery_note etiquette_d_expedition:shipping_label
affranchissement:postage livreur:courier coursier:courier camionnette:van panne_seche:out_of_fuel expert:expert constat:report amende:fine
contravention:fine bailleur:landlord copropriete:condominium batiment:building etage:floor bureau:office bureaux:offices entree:entry
badge:badge cle_d_acces:access_key jeton_d_acces:access_token cle_api:api_key cle_d_api:api_key
variables_d_environnement:environment_variables fichier_de_configuration:config_file ebauche:draft charte:guidelines filigrane:watermark
vignette:thumbnail miniature:thumbnail calque:layer cadre:frame bordure:border ombre:shadow marge_brute:gross_margin marge_nette:net_margin
tresor:treasury fiscal:fiscal cloture_comptable:closing grand_livre:ledger bilan_comptable:balance_sheet compte_de_resultat:income_statement
amortissement:depreciation immobilisation:asset passif:liability creance:receivable debiteur:debtor crediteur:creditor
mensualite:installment dividende:dividend obligation:bond indice:index portefeuille_boursier:portfolio cryptomonnaie:cryptocurrency
taux_de_conversion:conversion_rate taux_de_rebond:bounce_rate abandon:abandonment paniers_abandonnes:abandoned_carts fidelite:loyalty
parrainage:referral parrain:sponsor filleul:referral code_promo:promo_code cheque_cadeau:gift_card carte_cadeau:gift_card caution:deposit
service_apres_vente:support service_client:customer_service remontee:feedback interlocuteur:contact
referent:contact directeur:director dirigeant:executive chef_de_projet:project_manager superieur:manager collegue:colleague
collaborateur:employee apprenti:apprentice sous_traitant:subcontractor nouvel_arrivant:newcomer nouveaux_arrivants:newcomers
demission:resignation licenciement:dismissal anciennete:seniority filiale:subsidiary siege:headquarters
evaluation_annuelle:review formateur:trainer teletravail:remote_work conges_payes:paid_leave arret_maladie:sick_leave
heures_supplementaires:overtime heure_supplementaire:overtime feuille_de_temps:timesheet bulletin_de_paie:payslip fiche_de_paie:payslip
mutuelle:health_insurance matiere:subject note_moyenne:average_grade cours_du_soir:class lycee:school
inscription_scolaire:enrollment emploi_du_temps:timetable posologie:dosage rendez_vous_medical:appointment cabinet:practice clinique:clinic
soins_infirmiers:nursing exploitation:farm ferme_agricole:farm tracteur:tractor semis:seeding semer:sow culture:crop 
vendange:harvest vigne:vine traite:milking elevage:livestock abeille:bee rucher:apiary etagere:shelf palette_de_stockage:pallet carton:box
cartons:boxes boite_en_carton:box caisse_de_transport:crate emballage:packaging emballer:pack conditionner:pack peser:weigh colisage:packing
manquer:miss egare:lost endommage:damaged abime:damaged defectueux:defective defaillant:faulty en_suspens:pending en_souffrance:overdue
en_double:duplicate en_doublon:duplicate en_conflit:conflicting en_echec:failed en_stock:in_stock a_venir:upcoming a_jour:current
a_jour_de:current caduc:obsolete desuet:outdated inacheve:unfinished inachevee:unfinished incomplet:incomplete incomplete:incomplete
partiel:partial partielle:partial errone:wrong erronee:wrong fausse:wrong incorrect:wrong incorrecte:wrong incoherent:inconsistent
incoherente:inconsistent incoherence:inconsistency contradictoire:conflicting inconnu:unknown inconnue:unknown anonyme:anonymous
frauduleux:fraudulent fraude:fraud douteux:suspicious anormal:abnormal anormale:abnormal inhabituel:unusual inhabituelle:unusual rare:rare
frequent:frequent frequente:frequent habituel:usual ponctuel:one_off recurrent:recurring recurrente:recurring isole:orphan isolee:orphan
rattache:linked rattachee:linked detache:detached traitee:processed relu:reviewed relue:reviewed reporte:postponed
reportee:postponed prevu:scheduled prevue:scheduled documentee:documented verrouille:locked
verrouillee:locked connu:known resolu:resolved resolue:resolved faible:low forte:strong vieil:old
secondaire:secondary unique:unique moitie:half journee_ouvree:business_day ouvrable:business ferie:holiday
feries:holidays vacances_scolaires:school_holidays pont:bridge semaine_prochaine:next_week mois_dernier:last_month ce_matin:this_morning
ce_soir:this_evening cette_nuit:tonight frequentation:traffic affluence:attendance queue:queue attente:wait temps_d_attente:waiting_time
temps_de_trajet:travel_time temps_passe:time_spent temps_moyen:average_time temps_de_chargement:loading_time temps_de_cycle:cycle_time
duree_moyenne:average_duration delai_moyen:average_delay soumission:submission soumettre:submit depot_de_dossier:submission deposer:upload
glisser:drag derouler:scroll defiler:scroll appuyer:press taper:type ecran_d_accueil:home_screen page_de_connexion:login_page
se_connecter:log_in se_deconnecter:log_out bandeau:banner fenetre_modale:modal infobulle:tooltip
menu_deroulant:dropdown case_a_cocher:checkbox champ_de_saisie:input_field message_d_erreur:error_message messages_d_erreur:error_messages
accessibilite:accessibility referencement:seo mot_clef:keyword balisage:markup meta_donnees:metadata metadonnee:metadata
metadonnees:metadata redirection:redirect redirections:redirects plan_du_site:sitemap robot:bot robots:robots indexation:indexing
vitesse_de_chargement:loading_speed poids_de_page:page_weight sous_reseau:subnet passerelle:gateway routeur:router commutateur:switch
equilibreur:load_balancer mandataire:proxy certificat_ssl:ssl_certificate espace_libre:free_space
partition:partition disque_dur:disk cpu:cpu fil_d_execution:thread tache_de_fond:background_job demon:daemon reprise:recovery
plan_de_reprise:recovery_plan retention:retention duree_de_conservation:retention plancher:floor demande_d_acces:access_request
demande_de_conge:leave_request demande_client:customer_request formulaire_de_contact:contact_form fiche_de_contact:contact grille:grid
grille_tarifaire:price_list prix_moyen:average_price fusion_de_branches:branch_merge requete_de_tirage:pull_request
requetes_de_tirage:pull_requests demande_d_extraction:pull_request demandes_de_fusion:merge_requests branche_principale:main_branch
branches_mortes:dead_branches code_mort:dead_code dette_technique:technical_debt couverture_de_tests:test_coverage
couverture_de_code:code_coverage test_unitaire:unit_test tests_unitaires:unit_tests test_instable:flaky_test tests_instables:flaky_tests
instable:flaky dependance_obsolete:outdated_dependency version_majeure:major_version montee_de_version:upgrade
retro_compatibilite:compatibility point_d_entree:endpoint point_de_terminaison:endpoint appel_reseau:network_call cle_primaire:primary_key
cle_etrangere:foreign_key jointure:join vue_materialisee:materialized_view procedure:procedure declencheur:trigger
index_manquant:missing_index requete_lente:slow_query requetes_lentes:slow_queries enregistrement_orphelin:orphan_record
enregistrements_orphelins:orphan_records ligne_vide:empty_line lignes_vides:empty_lines ligne_en_double:duplicate_line saut_de_ligne:newline
retour_a_la_ligne:newline caractere_special:special_character nombre_premier:prime_number nombres_premiers:prime_numbers
chiffre_romain:roman_numeral chiffres_romains:roman_numerals annee_bissextile:leap_year numero_de_semaine:week_number
date_de_naissance:birthdate numero_de_telephone:phone_number numero_de_facture:invoice_number carte_de_credit:credit_card
carte_de_visite:business_card carte_grise:registration piece_d_identite:identity_document trier_par:sort_by classer_par:sort_by
ranger_par:sort_by grouper_par:group_by par_ordre_alphabetique:alphabetically ordre_alphabetique:alphabetical_order
ordre_croissant:ascending_order ordre_decroissant:descending_order jeter_un_oeil:check jeter_un_coup_d_oeil:check faire_le_tri:sort
faire_un_resume:summarize faire_une_copie:copy faire_une_sauvegarde:backup faire_la_liste:list faire_la_moyenne:compute_average
faire_la_somme:sum dresser_la_liste:list dresser:list etablir_la_liste:list mettre_en_page:format mettre_en_place:setup
mettre_en_majuscules:uppercase mettre_hors_ligne:unpublish mettre_fin:stop mettre_sous:put remettre_en_ordre:sort
remettre_en_service:restart remettre:reset passer_en_majuscules:uppercase passer_commande:order prendre_une_capture:capture
rendre_public:publish rendre_prive:unpublish rendre_anonyme:anonymize virer:remove balayer:sweep debarrasser:remove degager:remove
ecarter:filter exclure:exclude omettre:exclude sauter:skip oter:remove extirper:extract puiser:get sortir:export ressortir:find
deterrer:find traquer:track scruter:scan balayage:scan eplucher:review decortiquer:analyze ausculter:inspect sonder:probe
inspecter:inspect auditer:audit jauger:measure quantifier:measure denombrer:count recompter:recount raccorder:connect
rattacher:link delier:unlink dissocier:unlink detacher:detach accrocher:attach greffer:attach reproduire:reproduce rejouer:replay
reessayer:retry retenter:retry reemettre:resend repousser:postpone reporter:postpone decaler:reschedule avancer:advance ajourner:postpone
deprogrammer:cancel reprogrammer:reschedule replanifier:reschedule caler:schedule convoquer:invite convier:invite solliciter:ask
interpeller:ask questionner:ask verrouiller:lock deverrouiller:unlock boucler:lock cadenasser:lock coffre:vault
coffre_fort:vault trousseau:keychain incrementer:increment decrementer:decrement majorer:increase minorer:decrease plafonner:cap
borner:clamp lisser:smooth interpoler:interpolate extrapoler:extrapolate projeter:forecast modeliser:model echantillonner:sample
ponderer:weight transposer:transpose denormaliser:denormalize imbriquer:nest
indenter:indent serialiser:serialize tokeniser:tokenize minifier:minify obfusquer:obfuscate echapper:escape
aspirateur:vacuum tondeuse:mower tondre:mow machine_a_laver:washing_machine lave_linge:washing_machine
lave_vaisselle:dishwasher frigo:fridge refrigerateur:fridge congelateur:freezer cafetiere:coffee_machine bouilloire:kettle
alarme_incendie:fire_alarm detecteur:detector camera_de_surveillance:security_camera prise:plug
interrupteur:switch ampoule:bulb guirlande:lights piscine:pool chlore:chlorine aquarium:aquarium imprimante_3d:3d_printer 
couche:layer decoupe_laser:laser_cutting fraiseuse:mill tour_a_bois:lathe outillage:tooling piste_audio:track playlist:playlist
billetterie:ticketing place_de_concert:ticket collection:collection bibliothecaire:librarian ouvrage:book
equipe_de_foot:team tournoi:tournament classement_general:ranking seance:session seances:sessions course_a_pied:running sortie_velo:ride
cotisation:membership_fee cotisations:membership_fees subvention:grant mairie:town_hall elu:official citoyen:citizen
signalement_citoyen:report voirie:roads dechets:waste poubelle:bin tri_selectif:recycling permis_d_urbanisme:permit cadastre:land_register
clause:clause clauses:clauses plaidoirie:pleading greffe:registry jugement:judgment article_de_loi:law rgpd:gdpr consentement:consent
donnees_personnelles:personal_data mentions_legales:legal_notice conditions_generales:terms conformite_rgpd:gdpr_compliance
mot_de_passe_oublie:forgotten_password double_facteur:two_factor connexion_suspecte:suspicious_login tentative:attempt tentatives:attempts
intrusion:intrusion hameconnage:phishing rancongiciel:ransomware logiciel_malveillant:malware virus:virus quarantaine:quarantine
liste_noire:blocklist liste_blanche:allowlist petit_mot:note mot_d_explication:explanation precision:detail remarque:remark
rappel_des_faits:summary contexte:context rubrique:section point_cle:key_point points_cles:key_points idee_principale:main_idea
resume_executif:executive_summary locuteur:speaker interlocuteurs:speakers orateur:speaker prise_de_parole:turn
enregistrement_audio:recording enregistrement_vocal:voice_recording message_vocal:voice_message messagerie:mailbox repondeur:voicemail
jour_de_retard:day_overdue jours_de_retard:days_overdue retardataire:latecomer retardataires:latecomers absenteisme:absenteeism
ponctualite:punctuality voisin:neighbor voisins:neighbors couple:couple ecart_de_prix:price_difference comparatif:comparison
part_de_marche:market_share veille:monitoring veille_concurrentielle:competitor_monitoring etude:study brut:gross brute:gross net:net
nette:net ttc:gross hors_taxes:net toutes_taxes:gross tva_collectee:collected_vat arrieres:arrears encours:outstanding
tableau_kanban:kanban_board kanban:kanban colonne_kanban:column carte_trello:trello_card pense_bete:reminder aide_memoire:memo
post_it:sticky_note bloc_notes:notebook cahier:notebook gare_de_depart:departure_station train_en_retard:delayed_train greve:strike
bouchon:traffic_jam bouchons:traffic_jams travaux:roadworks deviation:detour depose:drop_off circuit:tour detour:detour
plus_court_chemin:shortest_path secheresse:drought canicule:heatwave gelee:frost rafale:gust ensoleillement:sunshine
niveau_d_eau:water_level crue:flood
tomber:fall trainer:linger allure:pace foulee:stride cadence:pace denivele:elevation
`;

export const ACTIONS = `
chauffer:heat refroidir:cool decliner:decline scanner:scan inclure:include debiter:debit crediter:credit expedier:ship
lire:read ecrire:write ecris:write ecrit:write ecrivez:write lis:read lit:read lisez:read lu:read lecture:reading ecriture:writing
ouvrir:open ouvre:open ouvert:open ouvrez:open fermer:close creer:create creation:creation faire:make fais:make fait:make faites:make
ajouter:add ajout:adding inserer:insert mettre:put mets:put mettez:put mis:put mettre_a_jour:update mise_a_jour:update mets_a_jour:update
modifier:modify modification:modification changer:change changement:change remplacer:replace remplacement:replacement renommer:rename
supprimer:delete suppression:deletion effacer:erase enlever:remove retirer:remove vider:empty nettoyer:clean nettoyage:cleaning
copier:copy copie:copy coller:paste couper:cut deplacer:move deplacement:move dupliquer:duplicate restaurer:restore restauration:restore
sauvegarder:save sauvegarde:backup enregistrer:save enregistrement:record conserver:keep garder:keep stocker:store stockage:storage
interpreter:parse chercher:search recherche:search rechercher:search trouver:find trouve:find localiser:locate explorer:explore parcourir:browse
obtenir:get obtiens:get obtenez:get recuperer:get recuperation:retrieval recevoir:receive recois:receive recu:received recuperation:retrieval
lister:list enumerer:list afficher:show affichage:display montrer:show voir:see vois:see voyez:see vu:seen visualiser:visualize
visualisation:visualization consulter:view consultation:view regarder:watch ecouter:listen decouvrir:discover
envoyer:send envoi:sending transmettre:send transmets:send transferer:transfer transfert:transfer partager:share partage:sharing
publier:publish publication:publication poster:post diffuser:broadcast telecharger:download telechargement:download televerser:upload
importer:import importation:import exporter:export exportation:export charger:load chargement:loading
repondre:reply reponds:reply reponse:answer demander:ask demande:request dire:tell dis:tell dites:tell dit:said parler:speak
poser:ask expliquer:explain explication:explanation decrire:describe decris:describe description:description raconter:tell
resumer:summarize resume:summary synthese:summary synthetiser:summarize traduire:translate traduis:translate traduit:translated
traduisez:translate traduction:translation corriger:correct correction:correction reformuler:rephrase rediger:write redaction:writing
analyser:analyze analyse:analysis examiner:examine verifier:check verification:check controler:check controle:check tester:test
valider:validate validation:validation comparer:compare comparaison:comparison evaluer:evaluate evaluation:evaluation mesurer:measure
calculer:calculate calcul:calculation compter:count comptage:count additionner:add soustraire:subtract multiplier:multiply diviser:divide
estimer:estimate estimation:estimate prevoir:forecast prevois:forecast prevision:forecast predire:predict prediction:prediction
convertir:convert convertis:convert converti:converted conversion:conversion transformer:transform transformation:transformation
encoder:encode decoder:decode chiffrer:encrypt chiffrement:encryption crypter:encrypt dechiffrer:decrypt hacher:hash signer:sign
compresser:compress compression:compression decompresser:decompress extraire:extract extrais:extract extrait:extracted extraction:extraction
fusionner:merge fusion:merge combiner:combine joindre:join reunir:gather regrouper:group grouper:group separer:split scinder:split
diviser:divide decouper:split trier:sort tri:sort classer:rank classement:ranking ordonner:sort filtrer:filter filtre:filter
choisir:choose choisis:choose selectionner:select selection:selection preferer:prefer recommander:recommend recommandation:recommendation
proposer:suggest suggerer:suggest suggestion:suggestion conseiller:advise conseil:advice aider:help aide:help
generer:generate generation:generation produire:produce produis:produce construire:build construis:build construction:build
concevoir:design dessiner:draw dessin:drawing tracer:plot peindre:paint imaginer:imagine inventer:invent composer:compose
executer:run execution:execution lancer:launch lancement:launch demarrer:start demarrage:start commencer:start arreter:stop arret:stop
terminer:finish finir:finish fin:end redemarrer:restart relancer:restart annuler:cancel annulation:cancellation continuer:continue
reprendre:resume suspendre:suspend attendre:wait attends:wait repeter:repeat automatiser:automate planifier:schedule planification:planning
programmer:schedule organiser:organize organisation:organization preparer:prepare preparation:preparation gerer:manage gestion:management
installer:install installation:installation desinstaller:uninstall configurer:configure configuration:configuration activer:enable
desactiver:disable activation:activation deployer:deploy deploiement:deployment compiler:compile deboguer:debug debogage:debugging
developper:develop developpement:development maintenir:maintain maintenance:maintenance surveiller:monitor surveillance:monitoring
suivre:track suis_moi:follow suivi:tracking detecter:detect detection:detection identifier:identify identification:identification
reconnaitre:recognize reconnaissance:recognition deviner:guess savoir:know sais:know connaitre:know connais:know comprendre:understand
apprendre:learn apprends:learn apprentissage:learning enseigner:teach etudier:study reviser:review former:train entrainer:train
connecter:connect connexion:connection deconnecter:disconnect inscrire:register inscription:registration abonner:subscribe
autoriser:authorize autorisation:permission authentifier:authenticate interdire:forbid bloquer:block debloquer:unblock proteger:protect
acheter:buy achat:purchase vendre:sell vends:sell vente:sale payer:pay paiement:payment rembourser:refund remboursement:refund
commander:order commande:order livrer:deliver livraison:delivery reserver:book reservation:booking louer:rent location:rental
depenser:spend economiser:save investir:invest investissement:investment facturer:bill emprunter:borrow preter:lend
aller:go va:go vais:go allez:go venir:come viens:come partir:leave pars:leave arriver:arrive arrivee:arrival depart:departure
voyager:travel conduire:drive marcher:walk courir:run naviguer:navigate navigation:navigation visiter:visit rencontrer:meet
appeler:call appel:call telephoner:call contacter:contact inviter:invite invitation:invitation prevenir:notify notifier:notify
rappeler:remind rappel:reminder alerter:alert alerte:alert informer:inform communiquer:communicate discuter:discuss
cuisiner:cook manger:eat boire:drink dormir:sleep soigner:treat guerir:cure maigrir:lose_weight jouer:play gagner:win
remplir:fill completer:complete imprimer:print impression:printing numeriser:scan photographier:photograph filmer:film
redimensionner:resize recadrer:crop tourner:rotate pivoter:rotate reduire:reduce reduction:reduction agrandir:enlarge augmenter:increase
augmentation:increase diminuer:decrease baisser:lower monter:raise ameliorer:improve amelioration:improvement optimiser:optimize
optimisation:optimization personnaliser:customize adapter:adapt utiliser:use utilisation:usage employer:use essayer:try permettre:allow
donner:give fournir:provide fournis:provide offrir:offer rendre:return renvoyer:return retourner:return prendre:take prends:take
apporter:bring tenir:hold laisser:leave montrer:show indiquer:indicate preciser:specify definir:define definition:definition
nommer:name appliquer:apply attribuer:assign assigner:assign affecter:assign associer:associate lier:link relier:link attacher:attach
archiver:archive indexer:index interroger:query requeter:query synchroniser:synchronize synchronisation:synchronization
passer:pass cloner:clone valider_les_changements:commit pousser:push tirer:pull brancher:branch etiqueter:label annoter:annotate commenter:comment
accepter:accept refuser:refuse approuver:approve rejeter:reject confirmer:confirm confirmation:confirmation signaler:report
resoudre:solve resous:solve resolution:resolution reparer:repair reparation:repair depanner:troubleshoot simuler:simulate
`;
