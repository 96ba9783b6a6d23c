import { waitText } from 'formtrail-session/sentences';
import { counted, Spanish, typesText } from 'formtrail-session/sentences/es';
import type { Translation } from '../words.js';

const places = counted({ one: 'queda # plaza', other: 'quedan # plazas' });
const steps = counted({ one: 'El paso está completado', other: 'Los # pasos están completados' });
const questions = counted({ one: '# pregunta más', other: '# preguntas más' });
const tooMany = counted({ one: 'Sobra # carácter', other: 'Sobran # caracteres' });
const left = counted({ one: 'Queda # carácter', other: 'Quedan # caracteres' });

export const texts: Translation = {
  errors: Spanish,

  optional: '(opcional)',
  required: '',
  newTab: '(se abre en una pestaña nueva)',
  chooseOne: 'Elija una opción',
  clearChoice: 'Borrar la selección',
  unticked: (options) => `Ya no se ha elegido: ${options}`,
  placesLeft: (count) => `(${count ? places(count) : 'no quedan plazas'})`,
  next: 'Siguiente',
  back: 'Atrás',
  review: 'Revisar sus respuestas',
  submit: 'Enviar',
  submitting: 'Enviando…',
  checking: 'Comprobando…',
  uploading: 'Subiendo…',
  change: 'Cambiar',
  tryAgain: 'Volver a intentarlo',
  stepOf: (number, count) => `Paso ${number} de ${count}`,
  allSteps: steps,
  progress: 'Progreso',
  steps: 'Pasos',
  passed: '(completado)',

  allForms: 'Todos los formularios',
  forms: 'Formularios',
  drafts: 'Continuar donde lo dejó',
  beginForm: 'Empezar un formulario',
  submitted: 'Enviados',
  noForms: 'Aquí no hay formularios.',
  continueDraft: 'Continuar',
  begin: 'Empezar',
  beginNew: 'Empezar uno nuevo',
  show: 'Mostrar las respuestas',
  showMore: 'Mostrar más',
  lastChanged: (when, step) => `Último cambio: ${when}${step ? `, en «${step}»` : ''}`,
  hasDraft: (when) => `Tiene un borrador de este formulario. Último cambio: ${when}.`,
  deleteDraft: 'Eliminar',
  confirmDeletion: (form) => `¿Eliminar sus respuestas a «${form}»? Esta acción no se puede deshacer.`,

  loading: 'Cargando el formulario…',
  preparing: 'Guardar por primera vez tarda unos segundos. Así se evitan los programas automáticos.',
  failed: 'No se ha podido abrir el formulario',
  gone: 'Estas respuestas se han eliminado o son de otra persona.',
  signIn: 'Inicie sesión para rellenar este formulario.',

  problems: 'Revise sus respuestas',
  error: 'Hay un error:',

  reviewIntroduction: 'No podrá cambiar sus respuestas después de enviarlas.',
  noAnswer: 'Sin respuesta',
  missing: 'Falta una respuesta',
  noEntries: 'Ninguna entrada',
  yes: 'Sí',
  no: 'No',
  separator: ', ',

  completed: 'Gracias',
  completedText: 'Sus respuestas se han enviado.',
  reference: 'Su referencia',

  saving: 'Guardando…',
  saved: 'Guardado',
  savedExcept: 'Guardado, excepto las respuestas marcadas',
  waiting: (seconds) => `Demasiadas solicitudes. Se continuará dentro de ${waitText(seconds, 'es')}`,
  offline: 'No tiene conexión; sus respuestas se conservan en este dispositivo',
  notSaved: 'Aún no se ha guardado; sus respuestas se conservan en este dispositivo',

  add: (entity) => `Añadir: ${entity}`,
  atLeast: (count) => `Al menos ${count}`,
  remove: 'Eliminar',
  removeEntry: (entry) => `Eliminar ${entry}`,
  added: (entry) => `Se ha añadido: ${entry}`,
  removed: (entry) => `Se ha eliminado: ${entry}`,
  confirmRemoval: (entry) => `¿Eliminar «${entry}» con todas sus respuestas?`,
  moreQuestions: questions,
  charactersLeft: (count) => (count < 0 ? tooMany(-count) : left(count)),

  cancel: 'Cancelar',
  chooseFile: 'Seleccione un archivo o suéltelo aquí',
  chooseAnother: 'Seleccionar otro archivo',
  uploadingFile: (name) => `Subiendo ${name}`,
  uploaded: (name) => `${name} está subido`,
  isChecked: 'Buscando virus',
  isInfected: 'Infectado por un virus',
  isWaiting: 'Esta subida empezará cuando terminen las demás',
  isInterrupted: 'Interrumpida. La subida se reanudará automáticamente.',
  isRefused: 'No se ha subido',
  fileWithoutName: 'Un archivo',
  leftOut: (names) => `No se ha subido: ${names}. Aquí no caben más archivos.`,
  fileTypes: typesText,
  upTo: (size) => `hasta ${size}`,

  conflicts: 'Respuestas distintas en otro lugar',
  conflictsText:
    'Otra ventana u otro dispositivo ha guardado respuestas distintas. Elija cuáles quiere conservar:',
  here: 'Aquí',
  elsewhere: 'En otro lugar',
  keep: 'Conservar esta respuesta',
  changedElsewhere:
    'Estas respuestas se han cambiado en otra ventana o en otro dispositivo. Revíselas y, después, continúe.',
  formChanged: 'Este formulario ha cambiado mientras lo rellenaba. Sus demás respuestas se conservan.',
  addedQuestions: 'Estas preguntas son nuevas:',
  removedQuestions:
    'Estas preguntas ya no se hacen. Las respuestas guardadas siguen en poder de quienes reciben este formulario:',
  retyped: 'Esta pregunta ha cambiado. Revise su respuesta.',

  otherDevice: 'Continuar en otro dispositivo',
  otherDeviceText: (date) =>
    `Abra este formulario en el otro dispositivo y escriba el código. Sirve una sola vez, hasta el ${date}. No lo comparta: da acceso a sus respuestas.`,
  orLink: 'O abra allí este enlace:',
  code: 'Código para continuar',
  codeText: 'Escriba solo un código suyo. Si otra persona le ha dado este código, podrá leer sus respuestas.',
  haveCode: 'Continuar con un código',
  useCode: 'Continuar con el código',
  withoutCode: 'Continuar sin el código',
  enterCode: 'Escriba el código.',
  codeRefused:
    'Este código no funciona. Está mal escrito, ya se ha utilizado o ha caducado. Cree uno nuevo en el otro dispositivo.',
  expired: 'Continuar su borrador',
  expiredText:
    'Este navegador ya no puede abrir el borrador. Sus respuestas en esta página se conservan. Escriba un código de un dispositivo en el que el borrador esté abierto o empiece de nuevo: un borrador nuevo tendrá estas respuestas, excepto los archivos.',
  beginAgain: 'Empezar de nuevo',
};
