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
  'Cette réponse contient un caractère qui ne peut pas être enregistré. Saisissez-la de nouveau.';
const TOO_MUCH_TO_SEND = 'Vos réponses sont trop longues pour être envoyées. Raccourcissez la plus longue.';
const TOO_MUCH_STORED =
  'Il n’y a plus de place pour d’autres réponses. Supprimez ou raccourcissez certaines réponses.';
const NO_LONGER_OPEN = 'Ce formulaire ne peut pas être rempli pour le moment.';
const NO_SUCH_FORM = 'Ce formulaire n’existe pas. Il a peut-être été supprimé.';
const NO_SUCH_ENTRY = 'Cette entrée n’existe plus. Rechargez la page.';

const number = numbersIn('fr');
/** Writes a count with its noun, such as `counted({ one: '# x', other: '# xs' })(2)`. */
export const counted = countsIn('fr');
const characters = counted({ one: '# caractère', other: '# caractères' });
const entries = counted({ one: '# entrée', other: '# entrées' });
const files = counted({ one: '# fichier', other: '# fichiers' });
const day = (date: unknown) => dateText(String(date), 'fr');

const quoted = (label: string) => `«\u202f${label}\u202f»`;
/** The question that a rule compares with. */
const question = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? 'pour l’autre question' : `pour ${quoted(label)}`;
};
const dependsOn = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? '' : ` Cela dépend de ${quoted(label)}.`;
};
const sumText = (params: Params, expected: string) => {
  const label = givenLabel(params);
  const place = label === undefined ? 'ici' : `pour ${quoted(label)}`;
  return `Le total des nombres saisis ${place} doit être ${expected}, mais il est de ${number(params['sum'])}.`;
};

const fileOf = (subject: Subject, article = 'Le', demonstrative = 'Ce') => {
  const name = fileName(subject);
  return name === undefined ? `${demonstrative} fichier` : `${article} fichier ${name}`;
};
const chosenAgain = (what: string) => (_params: unknown, subject: Subject) =>
  `${fileOf(subject)} ${what}. Choisissez-le de nouveau.`;

/** The file types in `accept` of a field, such as "PDF, images, DOCX". */
export const typesText = typesIn({
  ...{ image: 'images', audio: 'fichiers audio', video: 'vidéos', text: 'fichiers texte' },
});

/** French sentences, with the formal "vous". A narrow no-break space is before a colon and within quotation marks. */
export const French: Language = {
  label: ({ label, colon }) => `${label}${colon && '\u202f:'}`,

  // Answers
  above_maximum: (params) =>
    `Saisissez un nombre inférieur ou égal à ${number(params['max'])}.${dependsOn(params)}`,
  below_minimum: (params) =>
    `Saisissez un nombre supérieur ou égal à ${number(params['min'])}.${dependsOn(params)}`,
  computed: 'Cette réponse est calculée à partir d’autres réponses.',
  contains_lone_surrogate: TYPE_AGAIN,
  contains_null_character: TYPE_AGAIN,
  equal_to: (params) => `Donnez une autre réponse que ${question(params)}.`,
  exclusive_choice: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `${label === undefined ? 'Cette option' : quoted(label)} ne peut pas être choisie avec d’autres options.`;
  },
  not_a_boolean: 'Cochez cette case ou laissez-la décochée.',
  not_a_date: 'Saisissez une date complète et valide, avec une année à quatre chiffres.',
  not_a_number: ({ example }) =>
    typeof example === 'string'
      ? `Saisissez le nombre sans séparateur de milliers\u202f: ${example}.`
      : 'Saisissez un nombre en chiffres, par exemple 12,5.',
  not_an_email: 'Saisissez une adresse e-mail, par exemple nom@example.org.',
  not_an_option: 'Choisissez l’une des options.',
  option_full: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `Il ne reste plus de place${label === undefined ? '' : ` pour «\u202f${label}\u202f»`}. Choisissez une autre option.`;
  },
  not_equal_to: (params) => `Donnez la même réponse que ${question(params)}.`,
  number_out_of_range: 'Ce nombre est trop grand ou trop petit. Saisissez-en un autre.',
  number_too_long: ({ max }) => `Saisissez un nombre de ${number(max)} chiffres au maximum.`,
  pattern_mismatch: (_params, subject) => description(subject) || 'Vérifiez le format de cette réponse.',
  required: requiredIn({
    file: 'Veuillez choisir un fichier.',
    choice: 'Veuillez choisir une option.',
    choices: 'Veuillez choisir au moins une option.',
    tick: 'Veuillez cocher cette case pour continuer.',
    date: 'Veuillez saisir une date.',
    number: 'Veuillez saisir un nombre.',
    email: 'Veuillez saisir une adresse e-mail.',
    text: 'Veuillez répondre à cette question.',
    unknown: 'Il manque une réponse ici.',
  }),
  sum_above_maximum: (params) => sumText(params, `au maximum ${number(params['max'])}`),
  sum_below_minimum: (params) => sumText(params, `au moins ${number(params['min'])}`),
  too_early: (params) => `Saisissez le ${day(params['min'])} ou une date ultérieure.${dependsOn(params)}`,
  too_late: (params) => `Saisissez le ${day(params['max'])} ou une date antérieure.${dependsOn(params)}`,
  too_long: ({ max }) => `Raccourcissez cette réponse à ${characters(max)} au maximum.`,
  too_long_for_pattern: ({ max }) => `Raccourcissez cette réponse à ${characters(max)} au maximum.`,
  too_much_stored: TOO_MUCH_STORED,
  too_much_text: TOO_MUCH_STORED,
  too_many_values: TOO_MUCH_STORED,
  too_short: ({ min }) => `Saisissez au moins ${characters(min)}.`,
  unknown_field: 'Cette question ne fait plus partie du formulaire.',

  // Entries of repeating groups
  too_few_records: ({ min, count }) =>
    `Ajoutez au moins ${entries(min)}. Nombre actuel\u202f: ${number(count)}.`,
  too_many_computed: 'Aucune autre entrée ne peut être ajoutée.',
  too_many_records: ({ max }) => `Il peut y avoir au maximum ${entries(max)} ici.`,
  too_many_records_in_all: ({ max }) => `Ce formulaire peut contenir au maximum ${entries(max)}.`,
  unknown_entity: 'Cette partie du formulaire n’existe plus. Rechargez la page.',
  unknown_record: NO_SUCH_ENTRY,
  record_not_found: NO_SUCH_ENTRY,

  // Files
  already_stored: (_params, subject) => `${fileOf(subject)} a déjà été envoyé.`,
  file_infected: (_params, subject) =>
    `Un virus a été trouvé dans ${fileOf(subject, 'le', 'ce')}. Choisissez un autre fichier.`,
  file_not_found: chosenAgain('n’existe plus'),
  file_not_stored: chosenAgain('n’a pas été envoyé entièrement'),
  file_too_large: chosenAgain('a été modifié entre-temps'),
  file_unavailable: (_params, subject) =>
    `${fileOf(subject)} ne peut pas être ouvert pour le moment. Réessayez dans une minute.`,
  file_unchecked: (_params, subject) =>
    `La recherche de virus dans ${fileOf(subject, 'le', 'ce')} n’est pas terminée. Réessayez dans un instant.`,
  hash_mismatch: chosenAgain('a été endommagé pendant l’envoi'),
  malformed_name: (_params, subject) =>
    `Renommez ${fileOf(subject, 'le', 'ce')}, puis choisissez-le de nouveau.`,
  not_a_file_field: 'Cette question n’accepte plus de fichier.',
  not_an_integer: ({ min, max }, subject) =>
    subject.upload
      ? `${fileOf(subject)} est vide. Choisissez un autre fichier.`
      : `Saisissez un nombre entier compris entre ${number(min)} et ${number(max)}.`,
  not_uploaded: chosenAgain('n’a pas pu être envoyé'),
  size_mismatch: chosenAgain('a été modifié entre-temps'),
  too_large: ({ max }, subject) =>
    `${fileOf(subject)} est trop volumineux. La taille maximale est de ${sizeText(Number(max), 'fr')}.`,
  too_many_bytes:
    'L’ensemble des fichiers est trop volumineux. Supprimez-en un ou choisissez-en un plus petit.',
  too_many_files: ({ max }) => `Il peut y avoir au maximum ${files(max)} ici.`,
  too_many_pending:
    'Trop de fichiers sont en cours d’envoi. Réessayez lorsque certains envois seront terminés.',
  type_mismatch: ({ accept }, subject) =>
    `${fileOf(subject)} n’est pas du bon type. Types acceptés\u202f: ${typesText(String(accept))}.`,
  unknown_file: chosenAgain('n’existe plus'),

  // Forms and drafts
  already_answered: 'Vous avez déjà rempli ce formulaire.',
  already_completed: 'Ce formulaire a déjà été envoyé.',
  already_on_first_step: 'C’est la première étape.',
  already_on_last_step: 'C’est la dernière étape.',
  closed: ({ closes_at }) => `Ce formulaire a fermé le ${momentText(String(closes_at), 'fr')}.`,
  form_closed: 'Ce formulaire est fermé. Vos réponses ne peuvent plus être modifiées.',
  form_not_found: NO_SUCH_FORM,
  held: 'Vos réponses sont bloquées et ne peuvent pas être modifiées.',
  inactive_form: NO_LONGER_OPEN,
  invalid_data: 'L’une des réponses n’est pas correcte. Vérifiez vos réponses.',
  not_open_yet: ({ opens_at }) => `Ce formulaire ouvre le ${momentText(String(opens_at), 'fr')}.`,
  quota_reached: 'Ce formulaire est complet. Il n’accepte plus de réponses.',
  submission_changed: 'Ces réponses ont été modifiées dans une autre fenêtre ou sur un autre appareil.',
  submission_not_found: 'Ce brouillon n’existe pas. Il a peut-être été supprimé.',
  too_many_drafts: ({ max }) =>
    `Nombre de formulaires que vous avez déjà commencés\u202f: ${number(max)}. Terminez-en un ou supprimez-en un d’abord.`,
  unknown_form: NO_SUCH_FORM,
  unknown_step: 'Cette étape n’existe plus. Rechargez la page.',
  version_not_found: 'Cette version du formulaire n’existe plus. Rechargez la page.',

  // People
  challenge_not_found: NO_LONGER_OPEN,
  form_not_public: 'Connectez-vous pour remplir ce formulaire.',
  identity_provider_unavailable:
    'Votre connexion ne peut pas être vérifiée pour le moment. Réessayez dans une minute.',
  invalid_code: 'Ce code ne fonctionne pas. Il est mal saisi, déjà utilisé ou expiré.',
  invalid_proof: 'Votre navigateur n’a pas pu être vérifié. Réessayez.',
  not_a_respondent: 'Vous êtes connecté, mais ceci n’est possible que sans compte.',
  other_form: 'Vous pouvez seulement remplir le formulaire par lequel vous avez commencé.',
  proof_of_work_unavailable: NO_LONGER_OPEN,
  too_many_resume_codes:
    'Il y a trop de codes inutilisés. Utilisez l’un d’eux ou attendez que l’un d’eux expire.',
  unauthenticated: 'Votre connexion n’est pas valide ou a expiré. Connectez-vous de nouveau.',

  // Connection and service
  body_too_large: TOO_MUCH_TO_SEND,
  body_too_many_values: TOO_MUCH_TO_SEND,
  connection_lost: 'La connexion a été interrompue. Réessayez.',
  database_unavailable: 'Le service est indisponible pour le moment. Réessayez dans une minute.',
  idempotent_request_running: 'Le premier essai n’est pas encore terminé. Réessayez dans un instant.',
  overloaded: 'Le service est surchargé pour le moment. Réessayez dans une minute.',
  request_timeout: 'La connexion est trop lente. Réessayez.',
  server_error: 'Une erreur s’est produite dans le service. Réessayez dans une minute.',
  storage_unavailable:
    'Les fichiers ne peuvent pas être enregistrés pour le moment. Réessayez dans une minute.',
  too_many_requests: ({ seconds }) =>
    `Il y a eu trop de demandes. Réessayez dans ${waitText(Number(seconds) || 60, 'fr')}.`,

  ...pageFaults('Cette page a rencontré un problème. Rechargez-la, puis réessayez.'),
};
