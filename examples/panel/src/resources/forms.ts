import {
  type ActionContext,
  type ActionRequest,
  type BaseRecord,
  type RecordActionResponse,
  ValidationError,
} from 'adminjs';
import { type DataSource, type EntityManager, In, Not } from 'typeorm';
import { Field, Form, issuePreviewToken } from 'formtrail-entities';
import { asSignedIn } from '../adapter/as-signed-in.js';
import type { Cells } from '../adapter/cells.js';
import { COMPONENTS } from '../components.js';
import { emptyIsNull, DISABLED, type PanelResource, toForm } from '../panel-resource.js';
import type { IssuedPreview } from '../components/outline/form-outline-json.js';
import { formOutline } from './form-outline.js';
import { testedStepsOf } from './tested-fields.js';

export function formsResource(dataSource: DataSource, rendererUrl: string | undefined): PanelResource {
  const { withOutline, arrange, addStep } = formOutline(dataSource);

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

  return {
    name: 'Forms',
    record: 'Form',
    resource: {
      dataSource,
      entity: Form,
      parts: {
        steps: { columns: ['title', 'description', 'isVisible', 'meta'], position: 'stepNumber' },
        entities: { columns: ['label', 'name', 'isRepeatable', 'minRecords', 'maxRecords'] },
      },
      formKey: 'id',
      check: rejectFieldLoss,
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
        steps_meta_check: ['steps.meta', 'Enter a JSON object, such as {"icon": "coins"}.'],
        entities_name_check: ['entities.name', 'Enter a name.'],
        entities_form_id_name_key: ['entities.name', 'Another entity of this form has this name.'],
        entities_name_field_code_key: [
          'entities',
          'The name of an entity is the code of a field of this form. Choose another name.',
        ],
        entities_name_record_check: ['entities', 'The name of an entity must not end in a dot and a number.'],
        entities_min_records_check: [
          'entities.minRecords',
          'Enter a number from 0 to 200, or leave this empty.',
        ],
        entities_max_records_check: [
          'entities.maxRecords',
          'Enter a number from 1 to 200, or leave this empty.',
        ],
        entities_records_check: [
          'entities.maxRecords',
          'The maximum must not be less than the minimum. It must be at most 1 unless the entity is repeatable.',
        ],
        fields_entity_id_form_id_fkey: [
          'entities',
          'Fields belong to an entity that you removed. Change them first.',
        ],
        entity_records_entity_id_form_id_fkey: [
          'entities',
          'Submissions have records of an entity that you removed.',
        ],
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
      access: 'Access',
      proofOfWork: 'Proof of work',
      timeZone: 'Time zone',
      steps: 'Steps',
      'steps.title': 'Title',
      'steps.description': 'Description',
      'steps.isVisible': 'Visible',
      'steps.meta': 'Further data',
      entities: 'Entities',
      'entities.name': 'Name',
      'entities.label': 'Label',
      'entities.isRepeatable': 'Repeatable',
      'entities.minRecords': 'Minimum records',
      'entities.maxRecords': 'Maximum records',
      uuid: 'UUID',
      createdAt: 'Created',
      updatedAt: 'Changed',
    },
    actions: { new: 'New form' },
    messages: { confirmDelete: 'Delete this form, with its steps and fields?' },
    options: {
      navigation: { name: 'Forms', icon: 'FileText' },
      titleProperty: 'name',
      sort: { sortBy: 'updatedAt', direction: 'desc' },
      listProperties: ['name', 'slug', 'isActive', 'version', 'updatedAt'],
      filterProperties: ['name', 'slug', 'isActive'],
      editProperties: [
        'name',
        'slug',
        'description',
        'isActive',
        'completion',
        'access',
        'proofOfWork',
        'timeZone',
        'steps',
        'entities',
      ],
      showProperties: [
        'outline',
        'description',
        'slug',
        'uuid',
        'isActive',
        'completion',
        'access',
        'proofOfWork',
        'timeZone',
      ],
      properties: {
        outline: { components: { show: COMPONENTS.FormOutline } },
        slug: {
          components: { edit: COMPONENTS.ProposedName },
          description: 'Used in URLs: lower-case letters, digits and single hyphens',
        },
        description: { type: 'textarea' },
        isActive: { description: 'Listed, and open for new submissions' },
        completion: {
          description:
            'Strict: requires all required values, and checks them. Lenient: checks nothing. Service default: COMPLETION_POLICY decides',
          props: { inputId: 'completion' },
          availableValues: [
            { value: 'strict', label: 'Strict' },
            { value: 'lenient', label: 'Lenient' },
            { value: '', label: 'Service default' },
          ],
        },
        access: {
          description: 'Public: visitors can begin without an account. Token: only users with a token',
          props: { inputId: 'access' },
          availableValues: [
            { value: 'token', label: 'Token' },
            { value: 'public', label: 'Public' },
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
        steps: {
          components: { edit: COMPONENTS.Rows },
          custom: { row: 'Step', fresh: { isVisible: true } },
          isDraggable: true,
          description: 'Further data is a JSON object for the renderer, or nothing',
        },
        'steps.description': { type: 'textarea' },
        'steps.meta': { type: 'textarea' },
        entities: {
          components: { edit: COMPONENTS.Rows },
          custom: { row: 'Entity' },
          description:
            'Groups of fields that users fill in once or several times, such as each expense of a claim. The name is for programs',
        },
        'entities.name': { components: { edit: COMPONENTS.ProposedName } },
      },
      actions: {
        new: {
          before: emptyIsNull,
          after: toForm('id'),
          custom: { initial: { completion: 'strict', access: 'token' } },
        },
        edit: { before: emptyIsNull, after: toForm('id') },
        show: { after: withOutline },
        arrange: { actionType: 'record', isVisible: false, component: false, handler: arrange },
        addStep: { actionType: 'record', isVisible: false, component: false, handler: addStep },
        testedFields: { actionType: 'record', isVisible: false, component: false, handler: testedFields },
        preview: { actionType: 'record', isVisible: false, component: false, handler: preview },
        delete: { guard: 'confirmDelete' },
        bulkDelete: DISABLED,
      },
    },
  };
}

/** Rejects removing a step that has fields, because the database would delete them too. */
async function rejectFieldLoss(manager: EntityManager, formId: number, given: Cells): Promise<void> {
  const steps = given['steps'] as { id?: string }[] | undefined;
  if (steps === undefined) return;
  const kept = steps.flatMap(({ id }) => (id ? [Number(id)] : []));
  const where = { formId, stepId: Not(In(kept)) };
  const field = await manager.findOne(Field, { where, relations: { step: true } });
  if (field === null) return;
  const message = `The step “${field.step.title}” has fields. Delete them or move them to another step first.`;
  throw new ValidationError({ steps: { message } }, { message });
}
