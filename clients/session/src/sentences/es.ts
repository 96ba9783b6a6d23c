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

const TYPE_AGAIN = 'Esta respuesta contiene un carácter que no se puede guardar. Escríbala de nuevo.';
const TOO_MUCH_TO_SEND = 'Sus respuestas son demasiado largas para enviarlas. Acorte la más larga.';
const TOO_MUCH_STORED = 'No queda espacio para más respuestas. Elimine o acorte algunas.';
const NO_LONGER_OPEN = 'Este formulario no se puede rellenar en este momento.';
const NO_SUCH_FORM = 'Este formulario no existe. Puede que se haya eliminado.';
const NO_SUCH_ENTRY = 'Esta entrada ya no existe. Vuelva a cargar la página.';

const number = numbersIn('es');
/** Writes a count with its noun, such as `counted({ one: '# x', other: '# xs' })(2)`. */
export const counted = countsIn('es');
const characters = counted({ one: '# carácter', other: '# caracteres' });
const entries = counted({ one: '# entrada', other: '# entradas' });
const files = counted({ one: '# archivo', other: '# archivos' });
const day = (date: unknown) => dateText(String(date), 'es');

/** The question that a rule compares with. */
const question = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? 'en la otra pregunta' : `en «${label}»`;
};
const dependsOn = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? '' : ` Depende de «${label}».`;
};
const sumText = (params: Params, expected: string) => {
  const label = givenLabel(params);
  const place = label === undefined ? 'de aquí' : `de «${label}»`;
  return `Los números ${place} deben sumar ${expected}, pero suman ${number(params['sum'])}.`;
};

const fileOf = (subject: Subject, article = 'El', demonstrative = 'Este') => {
  const name = fileName(subject);
  return name === undefined ? `${demonstrative} archivo` : `${article} archivo ${name}`;
};
const chosenAgain = (what: string) => (_params: unknown, subject: Subject) =>
  `${fileOf(subject)} ${what}. Selecciónelo de nuevo.`;

/** The file types in `accept` of a field, such as "PDF, imágenes, DOCX". */
export const typesText = typesIn({
  ...{ image: 'imágenes', audio: 'archivos de audio', video: 'vídeos', text: 'archivos de texto' },
});

/** Spanish sentences, with the formal "usted". */
export const Spanish: Language = {
  // Answers
  above_maximum: (params) =>
    `Escriba un número menor o igual que ${number(params['max'])}.${dependsOn(params)}`,
  below_minimum: (params) =>
    `Escriba un número mayor o igual que ${number(params['min'])}.${dependsOn(params)}`,
  computed: 'Esta respuesta se calcula a partir de otras.',
  contains_lone_surrogate: TYPE_AGAIN,
  contains_null_character: TYPE_AGAIN,
  equal_to: (params) => `Dé una respuesta distinta que ${question(params)}.`,
  exclusive_choice: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `${label === undefined ? 'Esta opción' : `«${label}»`} no se puede elegir junto con otras.`;
  },
  not_a_boolean: 'Marque esta casilla o déjela sin marcar.',
  not_a_date: 'Escriba una fecha completa que exista, con un año de cuatro cifras.',
  not_a_number: ({ example }) =>
    typeof example === 'string'
      ? `Escriba el número sin separador de miles: ${example}.`
      : 'Escriba un número en cifras, por ejemplo 12,5.',
  not_an_email: 'Escriba una dirección de correo electrónico, por ejemplo nombre@example.org.',
  not_an_option: 'Elija una de las opciones.',
  option_full: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `No quedan plazas${label === undefined ? '' : ` para «${label}»`}. Elija otra opción.`;
  },
  not_equal_to: (params) => `Dé la misma respuesta que ${question(params)}.`,
  number_out_of_range: 'Este número es demasiado grande o demasiado pequeño. Escriba otro.',
  number_too_long: ({ max }) => `Escriba un número de ${number(max)} cifras como máximo.`,
  pattern_mismatch: (_params, subject) => description(subject) || 'Compruebe el formato de esta respuesta.',
  required: requiredIn({
    file: 'Seleccione un archivo.',
    choice: 'Elija una opción.',
    choices: 'Elija al menos una opción.',
    tick: 'Marque esta casilla para continuar.',
    date: 'Escriba una fecha.',
    number: 'Escriba un número.',
    email: 'Escriba una dirección de correo electrónico.',
    text: 'Responda a esta pregunta.',
    unknown: 'Aquí falta algo.',
  }),
  sum_above_maximum: (params) => sumText(params, `como máximo ${number(params['max'])}`),
  sum_below_minimum: (params) => sumText(params, `al menos ${number(params['min'])}`),
  too_early: (params) => `Escriba el ${day(params['min'])} o una fecha posterior.${dependsOn(params)}`,
  too_late: (params) => `Escriba el ${day(params['max'])} o una fecha anterior.${dependsOn(params)}`,
  too_long: ({ max }) => `Acorte esta respuesta a ${characters(max)} como máximo.`,
  too_long_for_pattern: ({ max }) => `Acorte esta respuesta a ${characters(max)} como máximo.`,
  too_much_stored: TOO_MUCH_STORED,
  too_much_text: TOO_MUCH_STORED,
  too_many_values: TOO_MUCH_STORED,
  too_short: ({ min }) => `Escriba al menos ${characters(min)}.`,
  unknown_field: 'Esta pregunta ya no forma parte del formulario.',

  // Entries of repeating groups
  too_few_records: ({ min, count }) => `Añada al menos ${entries(min)}. Número actual: ${number(count)}.`,
  too_many_computed: 'No se pueden añadir más entradas.',
  too_many_records: ({ max }) => `Aquí puede haber como máximo ${entries(max)}.`,
  too_many_records_in_all: ({ max }) => `Este formulario puede tener como máximo ${entries(max)}.`,
  unknown_entity: 'Esta parte del formulario ya no existe. Vuelva a cargar la página.',
  unknown_record: NO_SUCH_ENTRY,
  record_not_found: NO_SUCH_ENTRY,

  // Files
  already_stored: (_params, subject) => `${fileOf(subject)} ya está subido.`,
  file_infected: (_params, subject) =>
    `Se ha encontrado un virus en ${fileOf(subject, 'el', 'este')}. Seleccione otro archivo.`,
  file_not_found: chosenAgain('ya no existe'),
  file_not_stored: chosenAgain('no se ha subido por completo'),
  file_too_large: chosenAgain('ha cambiado mientras tanto'),
  file_unavailable: (_params, subject) =>
    `${fileOf(subject)} no se puede abrir en este momento. Vuelva a intentarlo dentro de un minuto.`,
  file_unchecked: (_params, subject) =>
    `Todavía se están buscando virus en ${fileOf(subject, 'el', 'este')}. Vuelva a intentarlo en un momento.`,
  hash_mismatch: chosenAgain('se ha dañado durante la subida'),
  malformed_name: (_params, subject) =>
    `Cambie el nombre de ${fileOf(subject, 'el', 'este')}. Después, selecciónelo de nuevo.`.replace(
      'de el ',
      'del ',
    ),
  not_a_file_field: 'Esta pregunta ya no admite archivos.',
  not_an_integer: ({ min, max }, subject) =>
    subject.upload
      ? `${fileOf(subject)} está vacío. Seleccione otro archivo.`
      : `Escriba un número entero del ${number(min)} al ${number(max)}.`,
  not_uploaded: chosenAgain('no se ha podido subir'),
  size_mismatch: chosenAgain('ha cambiado mientras tanto'),
  too_large: ({ max }, subject) =>
    `${fileOf(subject)} es demasiado grande. El tamaño máximo es de ${sizeText(Number(max), 'es')}.`,
  too_many_bytes:
    'El conjunto de los archivos es demasiado grande. Elimine uno o seleccione uno más pequeño.',
  too_many_files: ({ max }) => `Aquí puede haber como máximo ${files(max)}.`,
  too_many_pending: 'Se están subiendo demasiados archivos. Vuelva a intentarlo cuando terminen algunos.',
  type_mismatch: ({ accept }, subject) =>
    `${fileOf(subject)} no es del tipo correcto. Tipos admitidos: ${typesText(String(accept))}.`,
  unknown_file: chosenAgain('ya no existe'),

  // Forms and drafts
  already_answered: 'Usted ya ha respondido a este formulario.',
  already_completed: 'Este formulario ya se ha enviado.',
  already_on_first_step: 'Este es el primer paso.',
  already_on_last_step: 'Este es el último paso.',
  closed: ({ closes_at }) => `Este formulario se cerró el ${momentText(String(closes_at), 'es')}.`,
  form_closed: 'Este formulario está cerrado. Sus respuestas ya no se pueden cambiar.',
  form_not_found: NO_SUCH_FORM,
  held: 'Sus respuestas están bloqueadas y no se pueden cambiar.',
  inactive_form: NO_LONGER_OPEN,
  invalid_data: 'Alguna de las respuestas no es correcta. Compruebe sus respuestas.',
  not_open_yet: ({ opens_at }) => `Este formulario se abre el ${momentText(String(opens_at), 'es')}.`,
  quota_reached: 'Este formulario está completo. Ya no admite respuestas.',
  submission_changed: 'Estas respuestas se han cambiado en otra ventana o en otro dispositivo.',
  submission_not_found: 'Este borrador no existe. Puede que se haya eliminado.',
  too_many_drafts: ({ max }) =>
    `Formularios sin terminar que ya tiene: ${number(max)}. Termine o elimine uno primero.`,
  unknown_form: NO_SUCH_FORM,
  unknown_step: 'Este paso ya no existe. Vuelva a cargar la página.',
  version_not_found: 'Esta versión del formulario ya no existe. Vuelva a cargar la página.',

  // People
  challenge_not_found: NO_LONGER_OPEN,
  form_not_public: 'Inicie sesión para rellenar este formulario.',
  identity_provider_unavailable:
    'Su inicio de sesión no se puede comprobar en este momento. Vuelva a intentarlo dentro de un minuto.',
  invalid_code: 'Este código no funciona. Está mal escrito, ya se ha utilizado o ha caducado.',
  invalid_proof: 'No se ha podido comprobar su navegador. Vuelva a intentarlo.',
  not_a_respondent: 'Ha iniciado sesión, pero esto solo funciona sin una cuenta.',
  other_form: 'Solo puede rellenar el formulario con el que empezó.',
  proof_of_work_unavailable: NO_LONGER_OPEN,
  too_many_resume_codes: 'Hay demasiados códigos sin usar. Use uno de ellos o espere a que caduque alguno.',
  unauthenticated: 'Su sesión no es válida o ha caducado. Inicie sesión de nuevo.',

  // Connection and service
  body_too_large: TOO_MUCH_TO_SEND,
  body_too_many_values: TOO_MUCH_TO_SEND,
  connection_lost: 'Se ha perdido la conexión. Vuelva a intentarlo.',
  database_unavailable:
    'El servicio no está disponible en este momento. Vuelva a intentarlo dentro de un minuto.',
  idempotent_request_running: 'El primer intento no ha terminado todavía. Vuelva a intentarlo en un momento.',
  overloaded: 'El servicio está sobrecargado en este momento. Vuelva a intentarlo dentro de un minuto.',
  request_timeout: 'La conexión es demasiado lenta. Vuelva a intentarlo.',
  server_error: 'Se ha producido un error en el servicio. Vuelva a intentarlo dentro de un minuto.',
  storage_unavailable:
    'Los archivos no se pueden guardar en este momento. Vuelva a intentarlo dentro de un minuto.',
  too_many_requests: ({ seconds }) =>
    `Ha habido demasiadas solicitudes. Vuelva a intentarlo dentro de ${waitText(Number(seconds) || 60, 'es')}.`,

  ...pageFaults('Algo no funciona en esta página. Vuelva a cargarla e inténtelo de nuevo.'),
};
