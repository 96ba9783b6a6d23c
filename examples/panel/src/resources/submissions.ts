import type { RecordActionResponse } from 'adminjs';
import type { DataSource } from 'typeorm';
import { COMPONENTS } from '../components.js';
import { STATUSES, Submission } from 'formtrail-entities';
import { answersOf } from './answers-of.js';
import { DISABLED, listedWithout, ON_NARROW_SCREENS, type PanelResource } from '../panel-resource.js';

/** Read-only, because only the service may change submissions. */
export function submissionsResource(dataSource: DataSource, hasStorage: boolean): PanelResource {
  const withAnswers = async (response: RecordActionResponse): Promise<RecordActionResponse> => {
    const uuid = String(response.record.params['uuid']);
    const { record } = response;
    await dataSource.transaction('REPEATABLE READ', async (manager) => {
      record.params['answers'] = JSON.stringify(await answersOf(manager, uuid, hasStorage));
      // Not the column `current_step`, because the steps of the form may have been reordered since.
      const [{ step }] = await manager.query<[{ step: number }]>(
        'select formtrail_position(submissions) as step from submissions where uuid = $1',
        [uuid],
      );
      record.params['currentStep'] = step;
    });
    record.title = `${record.populated['formId']?.title} by ${record.populated['userId']?.title}`;
    return response;
  };

  return {
    name: 'Submissions',
    record: 'Submission',
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
        formId: ON_NARROW_SCREENS,
        userId: ON_NARROW_SCREENS,
        uuid: { description: 'Or the reference that users see, such as ABCD-1234' },
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
