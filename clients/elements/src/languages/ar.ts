import { counted, Arabic, typesText, waitAfter } from 'formtrail-session/sentences/ar';
import type { Translation } from '../words.js';

/** Keeps names of files and entries from reordering the text. */
const isolated = (name: string) => `\u2068${name}\u2069`;

const places = counted({
  ...{ one: 'بقي مكان واحد', two: 'بقي مكانان', few: 'بقيت # أماكن', many: 'بقي # مكانًا' },
  other: 'بقي # مكان',
});
const steps = counted({
  ...{ one: 'اكتملت الخطوة', two: 'اكتملت الخطوتان', few: 'اكتملت # خطوات', many: 'اكتملت # خطوة' },
  other: 'اكتملت # خطوة',
});
const questions = counted({
  ...{ one: 'سؤال إضافي واحد', two: 'سؤالان إضافيان', few: '# أسئلة إضافية', many: '# سؤالًا إضافيًا' },
  other: '# سؤال إضافي',
});
const characters = counted({
  ...{ zero: 'صفر', one: 'حرف واحد', two: 'حرفان', few: '# أحرف', many: '# حرفًا', other: '# حرف' },
});

export const texts: Translation = {
  errors: Arabic,

  optional: '(اختياري)',
  required: '',
  newTab: '(يُفتح في علامة تبويب جديدة)',
  chooseOne: 'يُرجى الاختيار',
  clearChoice: 'إلغاء الاختيار',
  unticked: (options) => `لم يعد مختارًا: ${isolated(options)}`,
  placesLeft: (count) => `(${count ? places(count) : 'لا توجد أماكن متبقية'})`,
  next: 'التالي',
  back: 'السابق',
  review: 'مراجعة الإجابات',
  submit: 'إرسال',
  submitting: 'جارٍ الإرسال…',
  checking: 'جارٍ التحقق…',
  uploading: 'جارٍ الرفع…',
  change: 'تغيير',
  tryAgain: 'إعادة المحاولة',
  stepOf: (number, count) => `الخطوة ${number} من ${count}`,
  allSteps: steps,
  progress: 'التقدم',
  steps: 'الخطوات',
  passed: '(مكتملة)',

  allForms: 'كل النماذج',
  forms: 'النماذج',
  drafts: 'المتابعة من حيث توقفت',
  beginForm: 'بدء نموذج',
  submitted: 'النماذج المرسلة',
  noForms: 'لا توجد نماذج هنا.',
  continueDraft: 'متابعة',
  begin: 'بدء',
  beginNew: 'بدء نموذج جديد',
  show: 'عرض الإجابات',
  showMore: 'عرض المزيد',
  lastChanged: (when, step) => `آخر تغيير: ${when}${step ? `، عند «${isolated(step)}»` : ''}`,
  hasDraft: (when) => `لديك مسودة لهذا النموذج، آخر تغيير: ${when}.`,
  deleteDraft: 'حذف',
  confirmDeletion: (form) => `هل تريد حذف إجاباتك عن «${isolated(form)}»؟ لا يمكن التراجع عن ذلك.`,

  loading: 'جارٍ تحميل النموذج…',
  preparing: 'يستغرق الحفظ لأول مرة بضع ثوانٍ. هذا يمنع البرامج الآلية.',
  failed: 'تعذّر فتح النموذج',
  gone: 'تم حذف هذه الإجابات، أو أنها تخص شخصًا آخر.',
  signIn: 'يُرجى تسجيل الدخول لملء هذا النموذج.',

  problems: 'يُرجى مراجعة إجاباتك',
  error: 'خطأ:',

  reviewIntroduction: 'لا يمكنك تغيير إجاباتك بعد إرسالها.',
  noAnswer: 'بدون إجابة',
  missing: 'ما زالت الإجابة مطلوبة',
  noEntries: 'لم تتم إضافة شيء',
  yes: 'نعم',
  no: 'لا',
  separator: '، ',

  completed: 'شكرًا',
  completedText: 'تم إرسال إجاباتك.',
  reference: 'رقمك المرجعي',

  saving: 'جارٍ الحفظ…',
  saved: 'تم الحفظ',
  savedExcept: 'تم الحفظ، باستثناء الإجابات المحددة',
  waiting: (seconds) => `طلبات كثيرة جدًا. ستتم المتابعة ${waitAfter(seconds)}`,
  offline: 'لا يوجد اتصال؛ إجاباتك محفوظة على هذا الجهاز',
  notSaved: 'لم يتم الحفظ بعد؛ إجاباتك محفوظة على هذا الجهاز',

  add: (entity) => `إضافة: ${isolated(entity)}`,
  atLeast: (count) => `${count} على الأقل`,
  remove: 'إزالة',
  removeEntry: (entry) => `إزالة ${isolated(entry)}`,
  added: (entry) => `تمت إضافة ${isolated(entry)}`,
  removed: (entry) => `تمت إزالة ${isolated(entry)}`,
  confirmRemoval: (entry) => `هل تريد إزالة ${isolated(entry)} مع ما فيه من إجابات؟`,
  moreQuestions: questions,
  charactersLeft: (count) =>
    count < 0 ? `عدد الأحرف الزائدة: ${characters(-count)}` : `عدد الأحرف المتبقية: ${characters(count)}`,

  cancel: 'إلغاء',
  chooseFile: 'اختيار ملف أو إفلاته هنا',
  chooseAnother: 'اختيار ملف آخر',
  uploadingFile: (name) => `جارٍ رفع ${isolated(name)}`,
  uploaded: (name) => `تم رفع ${isolated(name)}`,
  isChecked: 'جارٍ الفحص بحثًا عن الفيروسات',
  isInfected: 'مصاب بفيروس',
  isWaiting: 'سيبدأ هذا الرفع عند اكتمال الملفات الأخرى',
  isInterrupted: 'انقطع الرفع. سيُستأنف تلقائيًا.',
  isRefused: 'لم يُرفع',
  fileWithoutName: 'ملف',
  leftOut: (names) => `لم تُرفع: ${isolated(names)}. لا يتسع المجال هنا لمزيد من الملفات.`,
  fileTypes: typesText,
  upTo: (size) => `حتى ${isolated(size)}`,

  conflicts: 'إجابات مختلفة في مكان آخر',
  conflictsText: 'حفظت نافذة أخرى أو جهاز آخر إجابات مختلفة. يُرجى اختيار ما تريد الاحتفاظ به:',
  here: 'هنا',
  elsewhere: 'في مكان آخر',
  keep: 'الاحتفاظ بهذه الإجابة',
  changedElsewhere: 'تم تغيير هذه الإجابات في نافذة أخرى أو على جهاز آخر. يُرجى مراجعتها ثم المتابعة.',
  formChanged: 'تغيّر هذا النموذج أثناء ملئه. إجاباتك الأخرى محفوظة.',
  addedQuestions: 'هذه الأسئلة جديدة:',
  removedQuestions: 'لم تعد هذه الأسئلة مطروحة. تبقى الإجابات المحفوظة لدى الجهة التي تتلقى هذا النموذج:',
  retyped: 'تغيّر هذا السؤال. يُرجى مراجعة إجابتك.',

  otherDevice: 'المتابعة على جهاز آخر',
  otherDeviceText: (date) =>
    `يُرجى فتح هذا النموذج على الجهاز الآخر وإدخال الرمز. يعمل الرمز مرة واحدة، حتى ${isolated(date)}. يُرجى إبقاؤه سريًا: فهو يفتح إجاباتك.`,
  orLink: 'أو يُرجى فتح هذا الرابط هناك:',
  code: 'رمز المتابعة',
  codeText: 'يُرجى إدخال رمزك أنت فقط. إذا أعطاك شخص آخر هذا الرمز، فيمكنه قراءة إجاباتك.',
  haveCode: 'المتابعة باستخدام رمز',
  useCode: 'المتابعة بالرمز',
  withoutCode: 'المتابعة بدون الرمز',
  enterCode: 'يُرجى إدخال الرمز.',
  codeRefused:
    'هذا الرمز لا يعمل. قد يكون مكتوبًا بشكل خاطئ أو مستخدمًا من قبل أو منتهي الصلاحية. يُرجى إنشاء رمز جديد على الجهاز الآخر.',
  expired: 'متابعة المسودة',
  expiredText:
    'لم يعد بإمكان هذا المتصفح فتح المسودة. إجاباتك في هذه الصفحة محفوظة. يُرجى إدخال رمز من جهاز تكون المسودة مفتوحة عليه، أو البدء من جديد: ستحصل مسودة جديدة على هذه الإجابات، باستثناء الملفات.',
  beginAgain: 'البدء من جديد',
};
