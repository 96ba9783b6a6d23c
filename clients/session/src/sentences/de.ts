import {
  dateText,
  description,
  fileName,
  givenLabel,
  momentText,
  optionLabel,
  pageFaults,
  sizeText,
  waitText,
} from '../formats.js';
import { countsIn, numbersIn, requiredIn, typesIn } from '../grammar.js';
import type { Language, Params, Subject } from '../sentences.js';

const TYPE_AGAIN =
  'Die Antwort enthält ein Zeichen, das nicht gespeichert werden kann. Geben Sie sie neu ein.';
const TOO_MUCH_TO_SEND = 'Ihre Antworten sind zu lang zum Senden. Kürzen Sie die längste.';
const TOO_MUCH_STORED = 'Für weitere Antworten ist kein Platz mehr. Entfernen oder kürzen Sie einige.';
const NO_LONGER_OPEN = 'Dieses Formular kann im Moment nicht ausgefüllt werden.';
const NO_SUCH_FORM = 'Dieses Formular gibt es nicht. Vielleicht wurde es gelöscht.';
const NO_SUCH_ENTRY = 'Diesen Eintrag gibt es nicht mehr. Laden Sie die Seite neu.';

const number = numbersIn('de');
/** Writes a count with its noun, such as `counted({ one: '# x', other: '# xs' })(2)`. */
export const counted = countsIn('de');
const characters = counted({ one: '# Zeichen', other: '# Zeichen' });
const entries = counted({ one: '# Eintrag', other: '# Einträge' });
const files = counted({ one: '# Datei', other: '# Dateien' });
const day = (date: unknown) => dateText(String(date), 'de');

/** The question that a rule compares with. */
const question = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? 'bei der anderen Frage' : `bei „${label}“`;
};
const dependsOn = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? '' : ` Das hängt von „${label}“ ab.`;
};
const sumText = (params: Params, expected: string) => {
  const label = givenLabel(params);
  const place = label === undefined ? 'hier' : `bei „${label}“`;
  return `Die Zahlen ${place} müssen zusammen ${expected} ergeben, ergeben aber ${number(params['sum'])}.`;
};

/** The nominative and the accusative are equal. */
const fileOf = (subject: Subject, article = 'Die', demonstrative = 'Diese') => {
  const name = fileName(subject);
  return name === undefined ? `${demonstrative} Datei` : `${article} Datei ${name}`;
};
const chosenAgain = (what: string) => (_params: unknown, subject: Subject) =>
  `${fileOf(subject)} ${what}. Wählen Sie sie noch einmal aus.`;

/** The file types in `accept` of a field, such as "PDF, Bilder, DOCX". */
export const typesText = typesIn({
  ...{ image: 'Bilder', audio: 'Audiodateien', video: 'Videos', text: 'Textdateien' },
});

/** German sentences, with the formal "Sie". */
export const German: Language = {
  // Answers
  above_maximum: (params) =>
    `Geben Sie eine Zahl ein, die höchstens ${number(params['max'])} ist.${dependsOn(params)}`,
  below_minimum: (params) =>
    `Geben Sie eine Zahl ein, die mindestens ${number(params['min'])} ist.${dependsOn(params)}`,
  computed: 'Diese Antwort wird aus anderen Antworten berechnet.',
  contains_lone_surrogate: TYPE_AGAIN,
  contains_null_character: TYPE_AGAIN,
  equal_to: (params) => `Geben Sie eine andere Antwort als ${question(params)}.`,
  exclusive_choice: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `${label === undefined ? 'Diese Möglichkeit' : `„${label}“`} kann nur allein ausgewählt werden.`;
  },
  not_a_boolean: 'Setzen Sie hier ein Häkchen, oder lassen Sie es weg.',
  not_a_date: 'Geben Sie ein vollständiges und gültiges Datum mit vierstelliger Jahreszahl ein.',
  not_a_number: ({ example }) =>
    typeof example === 'string'
      ? `Geben Sie die Zahl ohne Tausendertrennzeichen ein: ${example}.`
      : 'Geben Sie eine Zahl in Ziffern ein, zum Beispiel 12,5.',
  not_an_email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.org.',
  not_an_option: 'Wählen Sie eine der Möglichkeiten aus.',
  option_full: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `${label === undefined ? 'Hier' : `Für „${label}“`} ist kein Platz mehr frei. Wählen Sie eine andere Möglichkeit aus.`;
  },
  not_equal_to: (params) => `Geben Sie dieselbe Antwort wie ${question(params)}.`,
  number_out_of_range: 'Diese Zahl ist zu groß oder zu klein. Geben Sie eine andere ein.',
  number_too_long: ({ max }) => `Geben Sie eine Zahl mit höchstens ${number(max)} Ziffern ein.`,
  pattern_mismatch: (_params, subject) => description(subject) || 'Prüfen Sie das Format dieser Antwort.',
  required: requiredIn({
    file: 'Bitte wählen Sie eine Datei aus.',
    choice: 'Bitte wählen Sie eine Möglichkeit aus.',
    choices: 'Bitte wählen Sie mindestens eine Möglichkeit aus.',
    tick: 'Bitte setzen Sie hier ein Häkchen, um fortzufahren.',
    date: 'Bitte geben Sie ein Datum ein.',
    number: 'Bitte geben Sie eine Zahl ein.',
    email: 'Bitte geben Sie eine E-Mail-Adresse ein.',
    text: 'Bitte beantworten Sie diese Frage.',
    unknown: 'Hier fehlt noch etwas.',
  }),
  sum_above_maximum: (params) => sumText(params, `höchstens ${number(params['max'])}`),
  sum_below_minimum: (params) => sumText(params, `mindestens ${number(params['min'])}`),
  too_early: (params) =>
    `Geben Sie den ${day(params['min'])} oder ein späteres Datum ein.${dependsOn(params)}`,
  too_late: (params) =>
    `Geben Sie den ${day(params['max'])} oder ein früheres Datum ein.${dependsOn(params)}`,
  too_long: ({ max }) => `Kürzen Sie die Antwort auf höchstens ${characters(max)}.`,
  too_long_for_pattern: ({ max }) => `Kürzen Sie die Antwort auf höchstens ${characters(max)}.`,
  too_much_stored: TOO_MUCH_STORED,
  too_much_text: TOO_MUCH_STORED,
  too_many_values: TOO_MUCH_STORED,
  too_short: ({ min }) => `Geben Sie mindestens ${characters(min)} ein.`,
  unknown_field: 'Diese Frage gehört nicht mehr zum Formular.',

  // Entries of repeating groups
  too_few_records: ({ min, count }) =>
    `Fügen Sie mindestens ${entries(min)} hinzu. Bisher vorhanden: ${number(count)}.`,
  too_many_computed: 'Es können keine weiteren Einträge hinzugefügt werden.',
  too_many_records: ({ max }) => `Hier ${max === 1 ? 'ist' : 'sind'} höchstens ${entries(max)} möglich.`,
  too_many_records_in_all: ({ max }) => `Dieses Formular kann höchstens ${entries(max)} enthalten.`,
  unknown_entity: 'Diesen Teil des Formulars gibt es nicht mehr. Laden Sie die Seite neu.',
  unknown_record: NO_SUCH_ENTRY,
  record_not_found: NO_SUCH_ENTRY,

  // Files
  already_stored: (_params, subject) => `${fileOf(subject)} ist schon hochgeladen.`,
  file_infected: (_params, subject) =>
    `In ${fileOf(subject, 'der', 'dieser')} wurde ein Virus gefunden. Wählen Sie eine andere Datei aus.`,
  file_not_found: chosenAgain('gibt es nicht mehr'),
  file_not_stored: chosenAgain('wurde nicht vollständig hochgeladen'),
  file_too_large: chosenAgain('hat sich inzwischen geändert'),
  file_unavailable: (_params, subject) =>
    `${fileOf(subject)} kann im Moment nicht geöffnet werden. Versuchen Sie es in einer Minute noch einmal.`,
  file_unchecked: (_params, subject) =>
    `${fileOf(subject)} wird noch auf Viren geprüft. Versuchen Sie es gleich noch einmal.`,
  hash_mismatch: chosenAgain('wurde beim Hochladen beschädigt'),
  malformed_name: (_params, subject) =>
    `Geben Sie ${fileOf(subject, 'der', 'dieser')} einen anderen Namen, und wählen Sie sie dann noch einmal aus.`,
  not_a_file_field: 'Zu dieser Frage kann keine Datei mehr hochgeladen werden.',
  not_an_integer: ({ min, max }, subject) =>
    subject.upload
      ? `${fileOf(subject)} ist leer. Wählen Sie eine andere Datei aus.`
      : `Geben Sie eine ganze Zahl von ${number(min)} bis ${number(max)} ein.`,
  not_uploaded: chosenAgain('konnte nicht hochgeladen werden'),
  size_mismatch: chosenAgain('hat sich inzwischen geändert'),
  too_large: ({ max }, subject) =>
    `${fileOf(subject)} ist zu groß. Erlaubt sind höchstens ${sizeText(Number(max), 'de')}.`,
  too_many_bytes:
    'Alle Dateien zusammen sind zu groß. Entfernen Sie eine, oder wählen Sie eine kleinere aus.',
  too_many_files: ({ max }) => `Hier ${max === 1 ? 'ist' : 'sind'} höchstens ${files(max)} möglich.`,
  too_many_pending:
    'Es werden gerade zu viele Dateien hochgeladen. Versuchen Sie es noch einmal, wenn einige fertig sind.',
  type_mismatch: ({ accept }, subject) =>
    `${fileOf(subject)} hat einen falschen Typ. Erlaubt: ${typesText(String(accept))}.`,
  unknown_file: chosenAgain('gibt es nicht mehr'),

  // Forms and drafts
  already_answered: 'Sie haben dieses Formular schon ausgefüllt.',
  already_completed: 'Dieses Formular wurde schon abgesendet.',
  already_on_first_step: 'Dies ist der erste Schritt.',
  already_on_last_step: 'Dies ist der letzte Schritt.',
  closed: ({ closes_at }) =>
    `Dieses Formular konnte bis ${momentText(String(closes_at), 'de')} ausgefüllt werden.`,
  form_closed: 'Dieses Formular ist geschlossen. Ihre Antworten können nicht mehr geändert werden.',
  form_not_found: NO_SUCH_FORM,
  held: 'Ihre Antworten sind gesperrt und können nicht geändert werden.',
  inactive_form: NO_LONGER_OPEN,
  invalid_data: 'Eine der Eingaben ist nicht richtig. Prüfen Sie Ihre Antworten.',
  not_open_yet: ({ opens_at }) =>
    `Dieses Formular kann ab ${momentText(String(opens_at), 'de')} ausgefüllt werden.`,
  quota_reached: 'Dieses Formular ist voll. Es nimmt keine Antworten mehr an.',
  submission_changed:
    'Diese Antworten wurden in einem anderen Fenster oder auf einem anderen Gerät geändert.',
  submission_not_found: 'Diesen Entwurf gibt es nicht. Vielleicht wurde er gelöscht.',
  too_many_drafts: ({ max }) =>
    `Offene Formulare, die Sie schon haben: ${number(max)}. Schließen Sie zuerst eines ab, oder löschen Sie eines.`,
  unknown_form: NO_SUCH_FORM,
  unknown_step: 'Diesen Schritt gibt es nicht mehr. Laden Sie die Seite neu.',
  version_not_found: 'Diese Version des Formulars gibt es nicht mehr. Laden Sie die Seite neu.',

  // People
  challenge_not_found: NO_LONGER_OPEN,
  form_not_public: 'Melden Sie sich an, um dieses Formular auszufüllen.',
  identity_provider_unavailable:
    'Ihre Anmeldung kann im Moment nicht geprüft werden. Versuchen Sie es in einer Minute noch einmal.',
  invalid_code:
    'Dieser Code funktioniert nicht. Er ist falsch geschrieben, wurde schon verwendet oder ist abgelaufen.',
  invalid_proof: 'Ihr Browser konnte nicht geprüft werden. Versuchen Sie es noch einmal.',
  not_a_respondent: 'Sie sind angemeldet, aber dies geht nur ohne Konto.',
  other_form: 'Sie können nur das Formular ausfüllen, mit dem Sie begonnen haben.',
  proof_of_work_unavailable: NO_LONGER_OPEN,
  too_many_resume_codes:
    'Es gibt zu viele unbenutzte Codes. Verwenden Sie einen davon, oder warten Sie, bis einer abläuft.',
  unauthenticated: 'Ihre Anmeldung ist ungültig oder abgelaufen. Melden Sie sich neu an.',

  // Connection and service
  body_too_large: TOO_MUCH_TO_SEND,
  body_too_many_values: TOO_MUCH_TO_SEND,
  connection_lost: 'Die Verbindung ist unterbrochen. Versuchen Sie es noch einmal.',
  database_unavailable:
    'Der Dienst ist im Moment außer Betrieb. Versuchen Sie es in einer Minute noch einmal.',
  idempotent_request_running: 'Der erste Versuch läuft noch. Versuchen Sie es gleich noch einmal.',
  overloaded: 'Der Dienst ist im Moment überlastet. Versuchen Sie es in einer Minute noch einmal.',
  request_timeout: 'Die Verbindung ist zu langsam. Versuchen Sie es noch einmal.',
  server_error: 'Im Dienst ist ein Fehler aufgetreten. Versuchen Sie es in einer Minute noch einmal.',
  storage_unavailable:
    'Im Moment können keine Dateien gespeichert werden. Versuchen Sie es in einer Minute noch einmal.',
  too_many_requests: ({ seconds }) =>
    `Es gab zu viele Anfragen. Versuchen Sie es in ${waitText(Number(seconds) || 60, 'de')} noch einmal.`,

  ...pageFaults('Mit dieser Seite stimmt etwas nicht. Laden Sie sie neu, und versuchen Sie es noch einmal.'),
};
