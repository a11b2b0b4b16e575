/**
 * French words that are several in English: which of them is meant, only what they stand beside can tell.
 *
 * @module
 */
import { lemmasOf } from "./lemmas-of.js";

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
panier:cart,basket caisse:register,box,till lot:batch,lot tirage:draw,print,pull train:train voie:track,lane quai:platform,dock film:movie,film serie:series,show
chaine:string,channel,chain,pipeline file:queue,line tampon:buffer,stamp bord:edge,board fenetre:window cadre:frame,executive page:page ecran:screen,monitor
capture:screenshot,capture enregistrement:record,recording,row,entry valeur:value champ:field colonne:column rangee:row,shelf cellule:cell
ecrire:write envoyer:send,post,email publier:publish,post poster:post noter:rate,note,log,score classer:classify,sort,rank,file ranger:organize,sort,move,store,file,save
relever:read,collect,note,raise lancer:start,launch,run,trigger passer:move,switch,pass,place,run tirer:draw,pull,pick monter:mount,raise,upload,build
sortir:export,output,list,extract remettre:reset,restore,put mettre:put,set deposer:upload,submit,drop,put poser:ask,put,set rendre:return,make,render
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

/** In English, the most usual first; none where there is but one. */
export function sensesOf(french: string): readonly string[] {
  for (const lemma of lemmasOf(french)) {
    const senses = SENSES.get(lemma);
    if (senses !== undefined) return senses;
  }
  return [];
}
