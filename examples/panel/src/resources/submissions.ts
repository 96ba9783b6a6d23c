import type { RecordActionResponse } from 'adminjs';
import type { DataSource } from 'typeorm';
import { COMPONENTS } from '../components.js';
import type { Answer } from '../components/answers.js';
import { EntityRecord, STATUSES, Submission, SubmissionValue } from 'formtrail-entities';
import { DISABLED, listedWithout, type PanelResource } from '../panel-resource.js';

/** Read-only, because only the service may change submissions. */
export function submissionsResource(dataSource: DataSource): PanelResource {
  const withAnswers = async (response: RecordActionResponse): Promise<RecordActionResponse> => {
    const submissionUuid = String(response.record.params['uuid']);
    const values = await dataSource.manager.find(SubmissionValue, {
      where: { submissionUuid },
      relations: { field: { step: true } },
      order: { recordKey: 'asc', field: { step: { stepNumber: 'asc' }, order: 'asc' } },
    });
    const records = await dataSource.manager.find(EntityRecord, {
      where: { submissionUuid },
      relations: { entity: true },
      order: { id: 'asc' },
    });
    const groupOf = new Map(
      records.map(({ id, entity, entityId }, index) => [
        id,
        `${entity.label} ${records.slice(0, index + 1).filter((other) => other.entityId === entityId).length}`,
      ]),
    );
    const answers: Answer[] = values.map(({ field, value, entityRecordId }) => ({
      label: field.label,
      code: field.code,
      group: entityRecordId === null ? field.step.title : (groupOf.get(entityRecordId) ?? ''),
      value,
    }));
    response.record.params['answers'] = JSON.stringify(answers);
    return response;
  };

  return {
    name: 'Submissions',
    resource: { dataSource, entity: Submission },
    labels: {
      uuid: 'UUID',
      formId: 'Form',
      userId: 'User',
      currentStep: 'Step',
      meta: 'Further data',
      createdAt: 'Begun',
      updatedAt: 'Changed',
      isTest: 'Test',
      answers: 'Answers',
    },
    options: {
      navigation: { name: 'Submissions', icon: 'Inbox' },
      titleProperty: 'uuid',
      // UUIDs of version 7 sort by creation time.
      sort: { sortBy: 'uuid', direction: 'desc' },
      listProperties: ['uuid', 'formId', 'userId', 'status', 'updatedAt'],
      filterProperties: ['formId', 'userId', 'status', 'isTest', 'createdAt', 'uuid'],
      showProperties: [
        'answers',
        'formId',
        'userId',
        'status',
        'currentStep',
        'isTest',
        'meta',
        'createdAt',
        'updatedAt',
        'uuid',
      ],
      properties: {
        answers: { components: { show: COMPONENTS.Answers } },
        status: { availableValues: STATUSES.map((status) => ({ value: status, label: status })) },
      },
      actions: {
        // Otherwise submissions of previews would be counted.
        list: { before: listedWithout('isTest') },
        show: { after: withAnswers },
        new: DISABLED,
        edit: DISABLED,
        delete: DISABLED,
        bulkDelete: DISABLED,
      },
    },
  };
}
