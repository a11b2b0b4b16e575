/**
 * French verbs, and the nouns of what they do.
 *
 * @module
 */
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
cloner:clone valider_les_changements:commit pousser:push tirer:pull brancher:branch etiqueter:label annoter:annotate commenter:comment
accepter:accept refuser:refuse approuver:approve rejeter:reject confirmer:confirm confirmation:confirmation signaler:report
resoudre:solve resous:solve resolution:resolution reparer:repair reparation:repair depanner:troubleshoot simuler:simulate
`;
