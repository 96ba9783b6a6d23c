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

const TYPE_AGAIN = 'تحتوي الإجابة على رمز لا يمكن حفظه. يُرجى كتابتها من جديد.';
const TOO_MUCH_TO_SEND = 'إجاباتك أطول من أن تُرسَل. يُرجى اختصار أطولها.';
const TOO_MUCH_STORED = 'لا يتسع المجال لمزيد من الإجابات. يُرجى حذف بعضها أو اختصاره.';
const NO_LONGER_OPEN = 'لا يمكن ملء هذا النموذج في الوقت الحالي.';
const NO_SUCH_FORM = 'هذا النموذج غير موجود. ربما تم حذفه.';
const NO_SUCH_ENTRY = 'لم يعد هذا البند موجودًا. يُرجى إعادة تحميل الصفحة.';
const RETRY_IN_A_MINUTE = 'يُرجى إعادة المحاولة بعد دقيقة.';

/** Keeps file names, labels and numbers from reordering the sentence. */
const isolated = (text: string) => `\u2068${text}\u2069`;

const numberText = numbersIn('ar');
const number = (value: unknown) => isolated(numberText(value));
/** Writes a count with its noun, such as `counted({ one: '# x', other: '# xs' })(2)`. */
export const counted = countsIn('ar');
// Genitive forms, which each sentence needs.
const characters = counted({
  ...{ one: 'حرف واحد', two: 'حرفين', few: '# أحرف', many: '# حرفًا', other: '# حرف' },
});
const entries = counted({
  ...{ one: 'بند واحد', two: 'بندين', few: '# بنود', many: '# بندًا', other: '# بند' },
});
const files = counted({
  ...{ one: 'ملف واحد', two: 'ملفين', few: '# ملفات', many: '# ملفًا', other: '# ملف' },
});
const day = (date: unknown) => isolated(dateText(String(date), 'ar'));
const moment = (at: unknown) => isolated(momentText(String(at), 'ar'));

const quoted = (label: string) => `«${isolated(label)}»`;
/** The question that a rule compares with. */
const question = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? 'السؤال الآخر' : `السؤال ${quoted(label)}`;
};
const dependsOn = (params: Params) => {
  const label = givenLabel(params);
  return label === undefined ? '' : ` يعتمد ذلك على ${quoted(label)}.`;
};
const sumText = (params: Params, verb: string, bound: string) => {
  const label = givenLabel(params);
  const place = label === undefined ? 'هنا' : `في ${quoted(label)}`;
  return `يجب ألا ${verb} مجموع الأرقام ${place} ${bound}، وهو الآن ${number(params['sum'])}.`;
};

const fileOf = (subject: Subject) => {
  const name = fileName(subject);
  return name === undefined ? 'هذا الملف' : `الملف ${isolated(name)}`;
};
const chosenAgain = (what: string) => (_params: unknown, subject: Subject) =>
  `${fileOf(subject)} ${what}. يُرجى اختياره من جديد.`;

/** The file types in `accept` of a field, such as "PDF، صور، DOCX". */
export const typesText = typesIn(
  { image: 'صور', audio: 'ملفات صوتية', video: 'مقاطع فيديو', text: 'ملفات نصية' },
  '، ',
);

const AFTER = new Intl.RelativeTimeFormat('ar');

/** The time until the next attempt, with its preposition: "بعد 33 دقيقة", instead of "within". */
export const waitAfter = (seconds: number): string =>
  waitText(seconds, 'ar', (length, unit) => AFTER.format(length, unit).replace('خلال', 'بعد'));

/** Arabic sentences. They address nobody's gender. */
export const Arabic: Language = {
  label: ({ label, colon }) => isolated(label) + colon,

  // Answers
  above_maximum: (params) => `يُرجى إدخال رقم لا يزيد على ${number(params['max'])}.${dependsOn(params)}`,
  below_minimum: (params) => `يُرجى إدخال رقم لا يقل عن ${number(params['min'])}.${dependsOn(params)}`,
  computed: 'تُحسب هذه الإجابة من إجابات أخرى.',
  contains_lone_surrogate: TYPE_AGAIN,
  contains_null_character: TYPE_AGAIN,
  equal_to: (params) => `يُرجى إدخال إجابة تختلف عن إجابة ${question(params)}.`,
  exclusive_choice: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `لا يمكن اختيار ${label === undefined ? 'هذا الخيار' : quoted(label)} مع خيارات أخرى.`;
  },
  not_a_boolean: 'يُرجى وضع علامة هنا أو ترك المربع فارغًا.',
  not_a_date: 'يُرجى إدخال تاريخ كامل وصحيح، مع سنة من أربعة أرقام.',
  not_a_number: ({ example }) =>
    typeof example === 'string'
      ? `يُرجى إدخال الرقم بدون فاصل الآلاف: ${isolated(example)}.`
      : `يُرجى إدخال رقم بالأرقام، مثل ${isolated('12.5')}.`,
  not_an_email: `يُرجى إدخال عنوان بريد إلكتروني، مثل ${isolated('name@example.org')}.`,
  not_an_option: 'يُرجى اختيار أحد الخيارات.',
  option_full: ({ value }, subject) => {
    const label = optionLabel(value, subject);
    return `لم تعد هناك أماكن متاحة${label === undefined ? '' : ` في «${isolated(label)}»`}. يُرجى اختيار خيار آخر.`;
  },
  not_equal_to: (params) => `يُرجى إدخال إجابة مطابقة لإجابة ${question(params)}.`,
  number_out_of_range: 'هذا الرقم كبير جدًا أو صغير جدًا. يُرجى إدخال رقم آخر.',
  number_too_long: ({ max }) => `يُرجى إدخال رقم لا يزيد على ${number(max)} خانة.`,
  pattern_mismatch: (_params, subject) => description(subject) || 'يُرجى التحقق من صيغة هذه الإجابة.',
  required: requiredIn({
    file: 'يُرجى اختيار ملف.',
    choice: 'يُرجى اختيار أحد الخيارات.',
    choices: 'يُرجى اختيار خيار واحد على الأقل.',
    tick: 'يُرجى وضع علامة هنا للمتابعة.',
    date: 'يُرجى إدخال تاريخ.',
    number: 'يُرجى إدخال رقم.',
    email: 'يُرجى إدخال عنوان بريد إلكتروني.',
    text: 'يُرجى الإجابة عن هذا السؤال.',
    unknown: 'هناك إجابة ناقصة هنا.',
  }),
  sum_above_maximum: (params) => sumText(params, 'يزيد', `على ${number(params['max'])}`),
  sum_below_minimum: (params) => sumText(params, 'يقل', `عن ${number(params['min'])}`),
  too_early: (params) => `يُرجى إدخال تاريخ لا يسبق ${day(params['min'])}.${dependsOn(params)}`,
  too_late: (params) => `يُرجى إدخال تاريخ لا يتجاوز ${day(params['max'])}.${dependsOn(params)}`,
  too_long: ({ max }) => `يُرجى اختصار الإجابة إلى ${characters(max)} على الأكثر.`,
  too_long_for_pattern: ({ max }) => `يُرجى اختصار الإجابة إلى ${characters(max)} على الأكثر.`,
  too_much_stored: TOO_MUCH_STORED,
  too_much_text: TOO_MUCH_STORED,
  too_many_values: TOO_MUCH_STORED,
  too_short: ({ min }) => `يُرجى إدخال ${characters(min)} على الأقل.`,
  unknown_field: 'لم يعد هذا السؤال جزءًا من النموذج.',

  // Entries of repeating groups
  too_few_records: ({ min, count }) =>
    `يُرجى إضافة ${entries(min)} على الأقل. العدد الحالي: ${number(count)}.`,
  too_many_computed: 'لا يمكن إضافة المزيد من البنود.',
  too_many_records: ({ max }) => `لا يمكن إضافة أكثر من ${entries(max)} هنا.`,
  too_many_records_in_all: ({ max }) => `لا يمكن أن يحتوي هذا النموذج على أكثر من ${entries(max)}.`,
  unknown_entity: 'لم يعد هذا الجزء من النموذج موجودًا. يُرجى إعادة تحميل الصفحة.',
  unknown_record: NO_SUCH_ENTRY,
  record_not_found: NO_SUCH_ENTRY,

  // Files
  already_stored: (_params, subject) => `${fileOf(subject)} مرفوع بالفعل.`,
  file_infected: (_params, subject) => `تم العثور على فيروس في ${fileOf(subject)}. يُرجى اختيار ملف آخر.`,
  file_not_found: chosenAgain('لم يعد موجودًا'),
  file_not_stored: chosenAgain('لم يُرفع بالكامل'),
  file_too_large: chosenAgain('تغيّر في هذه الأثناء'),
  file_unavailable: (_params, subject) =>
    `${fileOf(subject)} لا يمكن فتحه في الوقت الحالي. ${RETRY_IN_A_MINUTE}`,
  file_unchecked: (_params, subject) =>
    `${fileOf(subject)} ما زال قيد الفحص بحثًا عن الفيروسات. يُرجى إعادة المحاولة بعد قليل.`,
  hash_mismatch: chosenAgain('تعرّض للتلف أثناء الرفع'),
  malformed_name: (_params, subject) => `يُرجى تغيير اسم ${fileOf(subject)} ثم اختياره من جديد.`,
  not_a_file_field: 'لم يعد هذا السؤال يقبل الملفات.',
  not_an_integer: ({ min, max }, subject) =>
    subject.upload
      ? `${fileOf(subject)} فارغ. يُرجى اختيار ملف آخر.`
      : `يُرجى إدخال عدد صحيح من ${number(min)} إلى ${number(max)}.`,
  not_uploaded: chosenAgain('تعذّر رفعه'),
  size_mismatch: chosenAgain('تغيّر في هذه الأثناء'),
  too_large: ({ max }, subject) =>
    `${fileOf(subject)} كبير جدًا. الحجم الأقصى هو ${isolated(sizeText(Number(max), 'ar'))}.`,
  too_many_bytes: 'حجم الملفات معًا كبير جدًا. يُرجى حذف أحدها أو اختيار ملف أصغر.',
  too_many_files: ({ max }) => `لا يمكن رفع أكثر من ${files(max)} هنا.`,
  too_many_pending: 'يجري رفع عدد كبير جدًا من الملفات. يُرجى إعادة المحاولة بعد اكتمال بعضها.',
  type_mismatch: ({ accept }, subject) =>
    `${fileOf(subject)} ليس من النوع المطلوب. الأنواع المقبولة: ${isolated(typesText(String(accept)))}.`,
  unknown_file: chosenAgain('لم يعد موجودًا'),

  // Forms and drafts
  already_answered: 'لقد أجبت عن هذا النموذج من قبل.',
  already_completed: 'تم إرسال هذا النموذج من قبل.',
  already_on_first_step: 'هذه هي الخطوة الأولى.',
  already_on_last_step: 'هذه هي الخطوة الأخيرة.',
  closed: ({ closes_at }) => `أُغلق هذا النموذج في ${moment(closes_at)}.`,
  form_closed: 'هذا النموذج مغلق. لم يعد بالإمكان تغيير إجاباتك.',
  form_not_found: NO_SUCH_FORM,
  held: 'إجاباتك مجمّدة ولا يمكن تغييرها.',
  inactive_form: NO_LONGER_OPEN,
  invalid_data: 'إحدى الإجابات غير صحيحة. يُرجى مراجعة إجاباتك.',
  not_open_yet: ({ opens_at }) => `يُفتح هذا النموذج في ${moment(opens_at)}.`,
  quota_reached: 'اكتمل العدد في هذا النموذج. لم يعد يقبل إجابات.',
  submission_changed: 'تم تغيير هذه الإجابات في نافذة أخرى أو على جهاز آخر.',
  submission_not_found: 'هذه المسودة غير موجودة. ربما تم حذفها.',
  too_many_drafts: ({ max }) =>
    `عدد النماذج غير المكتملة لديك: ${number(max)}. يُرجى إكمال أحدها أو حذفه أولًا.`,
  unknown_form: NO_SUCH_FORM,
  unknown_step: 'لم تعد هذه الخطوة موجودة. يُرجى إعادة تحميل الصفحة.',
  version_not_found: 'لم تعد هذه النسخة من النموذج موجودة. يُرجى إعادة تحميل الصفحة.',

  // People
  challenge_not_found: NO_LONGER_OPEN,
  form_not_public: 'يُرجى تسجيل الدخول لملء هذا النموذج.',
  identity_provider_unavailable: `لا يمكن التحقق من تسجيل دخولك في الوقت الحالي. ${RETRY_IN_A_MINUTE}`,
  invalid_code: 'هذا الرمز لا يعمل. قد يكون مكتوبًا بشكل خاطئ أو مستخدمًا من قبل أو منتهي الصلاحية.',
  invalid_proof: 'تعذّر التحقق من متصفحك. يُرجى إعادة المحاولة.',
  not_a_respondent: 'تم تسجيل دخولك، لكن هذا متاح بدون حساب فقط.',
  other_form: 'يمكنك فقط ملء النموذج الذي بدأت به.',
  proof_of_work_unavailable: NO_LONGER_OPEN,
  too_many_resume_codes:
    'هناك عدد كبير جدًا من الرموز غير المستخدمة. يُرجى استخدام أحدها أو الانتظار حتى تنتهي صلاحية أحدها.',
  unauthenticated: 'تسجيل دخولك غير صالح أو انتهت صلاحيته. يُرجى تسجيل الدخول من جديد.',

  // Connection and service
  body_too_large: TOO_MUCH_TO_SEND,
  body_too_many_values: TOO_MUCH_TO_SEND,
  connection_lost: 'انقطع الاتصال. يُرجى إعادة المحاولة.',
  database_unavailable: `الخدمة متوقفة في الوقت الحالي. ${RETRY_IN_A_MINUTE}`,
  idempotent_request_running: 'لم تنتهِ المحاولة الأولى بعد. يُرجى إعادة المحاولة بعد قليل.',
  overloaded: `الخدمة مزدحمة في الوقت الحالي. ${RETRY_IN_A_MINUTE}`,
  request_timeout: 'الاتصال بطيء جدًا. يُرجى إعادة المحاولة.',
  server_error: `حدث خطأ في الخدمة. ${RETRY_IN_A_MINUTE}`,
  storage_unavailable: `لا يمكن حفظ الملفات في الوقت الحالي. ${RETRY_IN_A_MINUTE}`,
  too_many_requests: ({ seconds }) =>
    `كانت هناك طلبات كثيرة جدًا. يُرجى إعادة المحاولة ${waitAfter(Number(seconds) || 60)}.`,

  ...pageFaults('حدث خطأ في هذه الصفحة. يُرجى إعادة تحميلها ثم إعادة المحاولة.'),
};
