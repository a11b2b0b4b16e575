/**
 * French nouns, and adjectives that go with them.
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
