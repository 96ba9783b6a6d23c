import {
  type ActionContext,
  type ActionRequest,
  type BaseRecord,
  type Before,
  type RecordActionResponse,
  ValidationError,
} from 'adminjs';
import { type DataSource, Like } from 'typeorm';
import { Form, issuePreviewToken } from 'formtrail-entities';
import { asSignedIn } from '../adapter/as-signed-in.js';
import type { EntitySource } from '../adapter/entity-resource.js';
import { COMPONENTS } from '../components.js';
import { localeOf, NOT_A_LANGUAGE } from '../components/languages.js';
import { proposedName, SLUGS } from '../components/names.js';
import { emptyIsNull, DISABLED, type PanelResource, sections, toForm } from '../panel-resource.js';
import type { IssuedPreview } from '../components/outline/form-outline-json.js';
import { formOutline } from './form-outline.js';
import { KEEPING_LABELS, KEEPING_MESSAGES, KEEPING_PROPERTIES } from './keeping.js';
import { LIMIT_LABELS, LIMIT_MESSAGES, LIMIT_PROPERTIES } from './limits.js';
import { testedStepsOf } from './tested-fields.js';
import { translationActions } from './translations.js';

const SETTINGS = {
  Form: ['name', 'description', 'locale', 'isActive'],
  Access: ['access', 'proofOfWork'],
  'When and how many': ['opensAt', 'closesAt', 'closesDrafts', 'maxSubmissions', 'maxPerUser'],
  'How long to keep': Object.keys(KEEPING_LABELS),
  Advanced: ['slug', 'completion', 'timeZone'],
};

export function formsResource(dataSource: DataSource, rendererUrl: string | undefined): PanelResource {
  const { translations, removeLanguage } = translationActions(dataSource);
  const { withOutline, arrange, addStep, addGroup } = formOutline(dataSource);

  const testedFields = async (_request: ActionRequest, _: unknown, context: ActionContext) => {
    const record = context.record as BaseRecord;
    const testedSteps = await testedStepsOf(dataSource.manager, Number(record.id()));
    return { record: record.toJSON(context.currentAdmin), testedSteps };
  };

  /** Returns the plain token beside the record, because it is not stored anywhere. */
  const preview = async (
    request: ActionRequest,
    _: unknown,
    context: ActionContext,
  ): Promise<RecordActionResponse & { preview?: IssuedPreview }> => {
    const record = context.record as BaseRecord;
    const shown = record.toJSON(context.currentAdmin);
    if (request.method !== 'post') return { record: shown };
    const { plainToken, token } = await asSignedIn(dataSource, context, (manager) =>
      issuePreviewToken(manager, { formId: Number(record.id()) }),
    );
    const url =
      rendererUrl === undefined ? null : `${rendererUrl}#token=${plainToken}/forms/${record.get('uuid')}`;
    return { record: shown, preview: { plainToken, url, expiresAt: token.expiresAt?.toISOString() ?? '' } };
  };

  /** Only for a new form, whose page asks for no slug. */
  const proposeSlug: Before = async (request) => {
    const { name, slug } = request.payload ?? {};
    if (request.method !== 'post' || slug || typeof name !== 'string') return request;
    const base = proposedName(name, SLUGS, new Set()).replace(/-1$/, '');
    const forms = await dataSource.manager.findBy(Form, { slug: Like(`${base}%`) });
    const free = proposedName(name, SLUGS, new Set(forms.map((form) => form.slug)));
    return { ...request, payload: { ...request.payload, slug: free } };
  };

  return {
    name: 'Forms',
    record: 'Form',
    resource: {
      dataSource,
      entity: Form,
      formKey: 'id',
      check: checkLocale,
      constraintMessages: {
        forms_slug_key: ['slug', 'Another form has this slug. Choose another one.'],
        forms_slug_check: [
          'slug',
          'Use lower-case letters and digits, with single hyphens between them: travel-expenses.',
        ],
        forms_name_check: ['name', 'Enter a name.'],
        forms_access_check: ['access', 'Choose who may begin submissions.'],
        forms_proof_of_work_check: [
          'proofOfWork',
          'Enter a number from 1000 to 5000000, or leave this empty.',
        ],
        forms_time_zone_check: [
          'timeZone',
          'There is no such time zone. Enter a name such as Europe/Berlin, or leave this empty.',
        ],
        forms_locale_check: ['locale', NOT_A_LANGUAGE],
        forms_locale_not_translated_check: [
          'locale',
          'The form has translations into this language. Remove them on the page “Translations” first, or choose another language.',
        ],
        ...LIMIT_MESSAGES,
        ...KEEPING_MESSAGES,
        submissions_form_id_fkey: [
          '',
          'The form has submissions, so it cannot be deleted. Clear “Active” to accept no new submissions.',
        ],
      },
    },
    labels: {
      outline: 'Steps and fields',
      isActive: 'Active',
      completion: 'On completion',
      access: 'Who can fill it in',
      proofOfWork: 'Proof of work',
      timeZone: 'Time zone',
      locale: 'Language of the texts',
      locales: 'Languages',
      ...LIMIT_LABELS,
      ...KEEPING_LABELS,
      uuid: 'UUID',
      createdAt: 'Created',
      updatedAt: 'Changed',
    },
    actions: { new: 'New form', edit: 'Settings', translations: 'Translations' },
    messages: { confirmDelete: 'Delete this form, with its steps and fields?' },
    options: {
      navigation: { name: 'Forms', icon: 'FileText' },
      titleProperty: 'name',
      sort: { sortBy: 'updatedAt', direction: 'desc' },
      listProperties: ['name', 'slug', 'isActive', 'locales', 'version', 'updatedAt'],
      filterProperties: ['name', 'slug', 'isActive'],
      editProperties: Object.values(SETTINGS).flat(),
      showProperties: ['outline'],
      properties: {
        outline: { components: { show: COMPONENTS.FormOutline } },
        name: { props: { autoFocus: true } },
        slug: { description: 'Used in URLs: lower-case letters, digits and single hyphens' },
        description: { type: 'textarea' },
        locale: {
          description: 'Such as en, de or pt-BR. Empty: not said',
          components: { edit: COMPONENTS.Language },
        },
        locales: { isSortable: false, components: { list: COMPONENTS.ShownLanguages } },
        isActive: { description: 'Listed, and open for new submissions' },
        completion: {
          description:
            'Strict: requires all required values, and checks them. Lenient: checks nothing. Service default: COMPLETION_POLICY decides',
          components: { edit: COMPONENTS.RadioChoice },
          availableValues: [
            { value: 'strict', label: 'Strict' },
            { value: 'lenient', label: 'Lenient' },
            { value: '', label: 'Service default' },
          ],
        },
        access: {
          components: { edit: COMPONENTS.RadioChoice },
          availableValues: [
            { value: 'token', label: 'Only people with a token' },
            { value: 'public', label: 'Anyone, without an account' },
          ],
        },
        proofOfWork: {
          description:
            'For public forms that programs flood: the highest number that a browser must try, such as 50000. Empty: none. The service needs CHALLENGE_KEY',
        },
        timeZone: {
          description:
            'Such as Europe/Berlin; determines “today” in date rules. Empty: accepts “today” of any place on Earth',
        },
        ...LIMIT_PROPERTIES,
        ...KEEPING_PROPERTIES,
      },
      actions: {
        new: {
          before: [emptyIsNull, canonicalLocale, proposeSlug],
          after: toForm('id'),
          layout: ['name', 'access'],
          custom: { initial: { completion: 'strict', access: 'token' } },
        },
        edit: {
          before: [emptyIsNull, canonicalLocale],
          after: toForm('id'),
          layout: sections(SETTINGS),
          icon: 'Settings',
        },
        show: { after: withOutline },
        arrange: { actionType: 'record', isVisible: false, component: false, handler: arrange },
        addStep: { actionType: 'record', isVisible: false, component: false, handler: addStep },
        addGroup: { actionType: 'record', isVisible: false, component: false, handler: addGroup },
        testedFields: { actionType: 'record', isVisible: false, component: false, handler: testedFields },
        translations: {
          ...{ actionType: 'record', icon: 'Globe', component: COMPONENTS.Translations, showInDrawer: false },
          ...{ custom: { inBar: true }, handler: translations },
        },
        removeLanguage: { actionType: 'record', isVisible: false, component: false, handler: removeLanguage },
        preview: { actionType: 'record', isVisible: false, component: false, handler: preview },
        delete: { guard: 'confirmDelete' },
        bulkDelete: DISABLED,
      },
    },
  };
}

/** The database stores language tags in canonical letter case only. */
const canonicalLocale: Before = (request) => {
  const given: unknown = request.payload?.['locale'];
  const locale = typeof given === 'string' ? localeOf(given) : undefined;
  return locale === undefined ? request : { ...request, payload: { ...request.payload, locale } };
};

/** The database accepts a few tags that are none, such as de-1996-1996. */
const checkLocale: EntitySource['check'] = async (_, __, { locale }) => {
  if (typeof locale !== 'string' || locale === '' || localeOf(locale) !== undefined) return;
  throw new ValidationError({ locale: { message: NOT_A_LANGUAGE } }, { message: NOT_A_LANGUAGE });
};
