import { waitText } from 'formtrail-session/sentences';
import { counted, French, typesText } from 'formtrail-session/sentences/fr';
import type { Translation } from '../words.js';

const places = counted({ one: '# place restante', other: '# places restantes' });
const steps = counted({ one: 'L’étape est terminée', other: 'Les # étapes sont terminées' });
const questions = counted({ one: '# question de plus', other: '# questions de plus' });
const tooMany = counted({ one: '# caractère de trop', other: '# caractères de trop' });
const left = counted({ one: '# caractère restant', other: '# caractères restants' });

export const texts: Translation = {
  errors: French,

  optional: '(facultatif)',
  required: '',
  newTab: '(ouvre un nouvel onglet)',
  chooseOne: 'Choisissez une option',
  clearChoice: 'Annuler le choix',
  unticked: (options) => `N’est plus choisi\u202f: ${options}`,
  placesLeft: (count) => `(${count ? places(count) : 'complet'})`,
  next: 'Suivant',
  back: 'Retour',
  review: 'Vérifier vos réponses',
  submit: 'Envoyer',
  submitting: 'Envoi en cours…',
  checking: 'Vérification en cours…',
  uploading: 'Envoi des fichiers en cours…',
  change: 'Modifier',
  tryAgain: 'Réessayer',
  stepOf: (number, count) => `Étape ${number} sur ${count}`,
  allSteps: steps,
  progress: 'Progression',
  steps: 'Étapes',
  passed: '(terminée)',

  allForms: 'Tous les formulaires',
  forms: 'Formulaires',
  drafts: 'Reprendre là où vous vous êtes arrêté',
  beginForm: 'Commencer un formulaire',
  submitted: 'Envoyés',
  noForms: 'Il n’y a pas de formulaires ici.',
  continueDraft: 'Reprendre',
  begin: 'Commencer',
  beginNew: 'En commencer un nouveau',
  show: 'Afficher les réponses',
  showMore: 'Afficher plus',
  lastChanged: (when, step) =>
    `Dernière modification\u202f: ${when}${step ? `, à «\u202f${step}\u202f»` : ''}`,
  hasDraft: (when) => `Vous avez un brouillon de ce formulaire, dernière modification\u202f: ${when}.`,
  deleteDraft: 'Supprimer',
  confirmDeletion: (form) =>
    `Supprimer vos réponses à «\u202f${form}\u202f»\u202f? Cette action est irréversible.`,

  loading: 'Chargement du formulaire…',
  preparing:
    'Le premier enregistrement prend quelques secondes. Cela tient les programmes automatiques à l’écart.',
  failed: 'Le formulaire n’a pas pu être ouvert',
  gone: 'Ces réponses ont été supprimées ou appartiennent à quelqu’un d’autre.',
  signIn: 'Connectez-vous pour remplir ce formulaire.',

  problems: 'Veuillez vérifier vos réponses',
  error: 'Erreur\u202f:',

  reviewIntroduction: 'Vous ne pourrez plus modifier vos réponses après les avoir envoyées.',
  noAnswer: 'Sans réponse',
  missing: 'Une réponse est encore nécessaire',
  noEntries: 'Aucune entrée',
  yes: 'Oui',
  no: 'Non',
  separator: ', ',

  completed: 'Merci',
  completedText: 'Vos réponses ont été envoyées.',
  reference: 'Votre référence',

  saving: 'Enregistrement en cours…',
  saved: 'Enregistré',
  savedExcept: 'Enregistré, sauf les réponses signalées',
  waiting: (seconds) => `Trop de demandes. Reprise dans ${waitText(seconds, 'fr')}`,
  offline: 'Vous êtes hors ligne\u202f; vos réponses sont conservées sur cet appareil',
  notSaved: 'Pas encore enregistré\u202f; vos réponses sont conservées sur cet appareil',

  add: (entity) => `Ajouter\u202f: ${entity}`,
  atLeast: (count) => `Au moins ${count}`,
  remove: 'Supprimer',
  removeEntry: (entry) => `Supprimer ${entry}`,
  added: (entry) => `Ajout effectué\u202f: ${entry}`,
  removed: (entry) => `Suppression effectuée\u202f: ${entry}`,
  confirmRemoval: (entry) => `Supprimer «\u202f${entry}\u202f» et toutes ses réponses\u202f?`,
  moreQuestions: questions,
  charactersLeft: (count) => (count < 0 ? tooMany(-count) : left(count)),

  cancel: 'Annuler',
  chooseFile: 'Choisissez un fichier ou déposez-le ici',
  chooseAnother: 'Choisir un autre fichier',
  uploadingFile: (name) => `Envoi de ${name} en cours`,
  uploaded: (name) => `${name} a été envoyé`,
  isChecked: 'Recherche de virus en cours',
  isInfected: 'Infecté par un virus',
  isWaiting: 'Cet envoi commencera quand les autres seront terminés',
  isInterrupted: 'Interrompu. L’envoi reprendra automatiquement.',
  isRefused: 'Non envoyé',
  fileWithoutName: 'Un fichier',
  leftOut: (names) => `Non envoyé\u202f: ${names}. Il n’y a plus de place pour d’autres fichiers ici.`,
  fileTypes: typesText,
  upTo: (size) => `jusqu’à ${size}`,

  conflicts: 'Réponses différentes ailleurs',
  conflictsText:
    'Une autre fenêtre ou un autre appareil a enregistré des réponses différentes. Choisissez celles à conserver\u202f:',
  here: 'Ici',
  elsewhere: 'Ailleurs',
  keep: 'Conserver cette réponse',
  changedElsewhere:
    'Ces réponses ont été modifiées dans une autre fenêtre ou sur un autre appareil. Vérifiez-les, puis continuez.',
  formChanged:
    'Ce formulaire a été modifié pendant que vous le remplissiez. Vos autres réponses sont conservées.',
  addedQuestions: 'Ces questions sont nouvelles\u202f:',
  removedQuestions:
    'Ces questions ne sont plus posées. Les réponses enregistrées restent chez les destinataires du formulaire\u202f:',
  retyped: 'Cette question a été modifiée. Vérifiez votre réponse.',

  otherDevice: 'Continuer sur un autre appareil',
  otherDeviceText: (date) =>
    `Ouvrez ce formulaire sur l’autre appareil et saisissez le code. Il ne fonctionne qu’une fois, jusqu’au ${date}. Gardez-le secret\u202f: il donne accès à vos réponses.`,
  orLink: 'Ou ouvrez-y ce lien\u202f:',
  code: 'Code de reprise',
  codeText:
    'Saisissez uniquement votre propre code. Si quelqu’un d’autre vous a donné ce code, il peut lire vos réponses.',
  haveCode: 'Continuer avec un code',
  useCode: 'Continuer avec le code',
  withoutCode: 'Continuer sans le code',
  enterCode: 'Saisissez le code.',
  codeRefused:
    'Ce code ne fonctionne pas. Il est mal saisi, déjà utilisé ou expiré. Créez-en un nouveau sur l’autre appareil.',
  expired: 'Reprendre votre brouillon',
  expiredText:
    'Ce navigateur ne peut plus ouvrir le brouillon. Vos réponses sur cette page sont conservées. Saisissez un code créé sur un appareil où le brouillon est ouvert, ou recommencez\u202f: un nouveau brouillon reprendra ces réponses, sauf les fichiers.',
  beginAgain: 'Recommencer',
};
