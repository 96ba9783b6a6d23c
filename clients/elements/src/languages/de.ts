import { waitText } from 'formtrail-session/sentences';
import { counted, German, typesText } from 'formtrail-session/sentences/de';
import type { Translation } from '../words.js';

const places = counted({ one: 'noch # Platz', other: 'noch # Plätze' });
const steps = counted({ one: 'Der Schritt ist erledigt', other: 'Alle # Schritte sind erledigt' });
const questions = counted({ one: 'Eine weitere Frage', other: '# weitere Fragen' });
const characters = counted({ other: '# Zeichen' });

export const texts: Translation = {
  errors: German,

  optional: '(freiwillig)',
  required: '',
  newTab: '(öffnet einen neuen Tab)',
  chooseOne: 'Bitte auswählen',
  clearChoice: 'Auswahl aufheben',
  unticked: (options) => `Nicht mehr ausgewählt: ${options}`,
  placesLeft: (count) => `(${count ? places(count) : 'kein Platz mehr'})`,
  next: 'Weiter',
  back: 'Zurück',
  review: 'Antworten prüfen',
  submit: 'Absenden',
  submitting: 'Wird abgesendet …',
  checking: 'Wird geprüft …',
  uploading: 'Wird hochgeladen …',
  change: 'Ändern',
  tryAgain: 'Noch einmal versuchen',
  stepOf: (number, count) => `Schritt ${number} von ${count}`,
  allSteps: steps,
  progress: 'Fortschritt',
  steps: 'Schritte',
  passed: '(erledigt)',

  allForms: 'Alle Formulare',
  forms: 'Formulare',
  drafts: 'Dort weitermachen, wo Sie aufgehört haben',
  beginForm: 'Ein Formular beginnen',
  submitted: 'Abgesendet',
  noForms: 'Hier gibt es keine Formulare.',
  continueDraft: 'Weitermachen',
  begin: 'Beginnen',
  beginNew: 'Neu beginnen',
  show: 'Antworten anzeigen',
  showMore: 'Mehr anzeigen',
  lastChanged: (when, step) => `Zuletzt geändert: ${when}${step ? `, bei „${step}“` : ''}`,
  hasDraft: (when) => `Sie haben einen Entwurf dieses Formulars, zuletzt geändert: ${when}.`,
  deleteDraft: 'Löschen',
  confirmDeletion: (form) => `Ihre Antworten zu „${form}“ löschen? Das kann nicht rückgängig gemacht werden.`,

  loading: 'Das Formular wird geladen …',
  preparing: 'Das erste Speichern dauert einige Sekunden. Das hält automatische Programme fern.',
  failed: 'Das Formular konnte nicht geöffnet werden',
  gone: 'Diese Antworten wurden gelöscht oder gehören jemand anderem.',
  signIn: 'Melden Sie sich an, um dieses Formular auszufüllen.',

  problems: 'Bitte prüfen Sie Ihre Angaben',
  error: 'Fehler:',

  reviewIntroduction: 'Nach dem Absenden können Sie Ihre Antworten nicht mehr ändern.',
  noAnswer: 'Nicht beantwortet',
  missing: 'Hier fehlt noch eine Antwort',
  noEntries: 'Keine Einträge',
  yes: 'Ja',
  no: 'Nein',
  separator: ', ',

  completed: 'Vielen Dank',
  completedText: 'Ihre Antworten wurden abgesendet.',
  reference: 'Ihr Aktenzeichen',

  saving: 'Wird gespeichert …',
  saved: 'Gespeichert',
  savedExcept: 'Gespeichert, bis auf die markierten Antworten',
  waiting: (seconds) => `Zu viele Anfragen. In ${waitText(seconds, 'de')} geht es weiter`,
  offline: 'Sie sind offline; Ihre Antworten bleiben auf diesem Gerät erhalten',
  notSaved: 'Noch nicht gespeichert; Ihre Antworten bleiben auf diesem Gerät erhalten',

  add: (entity) => `${entity} hinzufügen`,
  atLeast: (count) => `Mindestens ${count}`,
  remove: 'Entfernen',
  removeEntry: (entry) => `${entry} entfernen`,
  added: (entry) => `${entry} hinzugefügt`,
  removed: (entry) => `${entry} entfernt`,
  confirmRemoval: (entry) => `${entry} mit allen Antworten darin entfernen?`,
  moreQuestions: questions,
  charactersLeft: (count) =>
    count < 0 ? `${characters(-count)} zu viel` : `Noch ${characters(count)} übrig`,

  cancel: 'Abbrechen',
  chooseFile: 'Datei auswählen oder hier ablegen',
  chooseAnother: 'Andere Datei auswählen',
  uploadingFile: (name) => `${name} wird hochgeladen`,
  uploaded: (name) => `${name} ist hochgeladen`,
  isChecked: 'Wird auf Viren geprüft',
  isInfected: 'Mit einem Virus infiziert',
  isWaiting: 'Dieser Upload beginnt, wenn die anderen fertig sind',
  isInterrupted: 'Unterbrochen. Der Upload wird automatisch fortgesetzt.',
  isRefused: 'Nicht hochgeladen',
  fileWithoutName: 'Eine Datei',
  leftOut: (names) => `Nicht hochgeladen: ${names}. Für weitere Dateien ist hier kein Platz.`,
  fileTypes: typesText,
  upTo: (size) => `bis ${size}`,

  conflicts: 'Anderswo anders beantwortet',
  conflictsText:
    'In einem anderen Fenster oder auf einem anderen Gerät wurden andere Antworten gespeichert. Wählen Sie aus, welche Sie behalten möchten:',
  here: 'Hier',
  elsewhere: 'Anderswo',
  keep: 'Diese Antwort behalten',
  changedElsewhere:
    'Diese Antworten wurden in einem anderen Fenster oder auf einem anderen Gerät geändert. Prüfen Sie sie, und machen Sie dann weiter.',
  formChanged:
    'Dieses Formular hat sich geändert, während Sie es ausgefüllt haben. Ihre übrigen Antworten bleiben erhalten.',
  addedQuestions: 'Diese Fragen sind neu:',
  removedQuestions:
    'Diese Fragen werden nicht mehr gestellt. Gespeicherte Antworten bleiben bei den Empfängern des Formulars:',
  retyped: 'Diese Frage hat sich geändert. Prüfen Sie Ihre Antwort.',

  otherDevice: 'Auf einem anderen Gerät weitermachen',
  otherDeviceText: (date) =>
    `Öffnen Sie dieses Formular auf dem anderen Gerät, und geben Sie den Code ein. Er gilt einmal, bis zum ${date}. Halten Sie ihn geheim: Er öffnet Ihre Antworten.`,
  orLink: 'Oder öffnen Sie dort diesen Link:',
  code: 'Code zum Weitermachen',
  codeText:
    'Geben Sie nur einen eigenen Code ein. Wer Ihnen einen Code gegeben hat, kann Ihre Antworten lesen.',
  haveCode: 'Mit einem Code weitermachen',
  useCode: 'Mit dem Code weitermachen',
  withoutCode: 'Ohne den Code weitermachen',
  enterCode: 'Geben Sie den Code ein.',
  codeRefused:
    'Dieser Code funktioniert nicht. Er ist falsch geschrieben, wurde schon verwendet oder ist abgelaufen. Erzeugen Sie auf dem anderen Gerät einen neuen.',
  expired: 'Entwurf weiter ausfüllen',
  expiredText:
    'Dieser Browser darf den Entwurf nicht mehr öffnen. Ihre Antworten auf dieser Seite bleiben erhalten. Geben Sie einen Code von einem Gerät ein, auf dem der Entwurf geöffnet ist, oder beginnen Sie neu: Ein neuer Entwurf erhält diese Antworten, außer den Dateien.',
  beginAgain: 'Neu beginnen',
};
