import type { RecordActionResponse } from 'adminjs';
import type { DataSource } from 'typeorm';
import { COMPONENTS } from '../components.js';
import { STATUSES, Submission } from 'formtrail-entities';
import { answersOf } from './answers-of.js';
import { answersTable, referenceOf } from './answers-table.js';
import { deletions } from './delete-submissions.js';
import { holding } from './hold-submissions.js';
import { DISABLED, listedWithout, type PanelResource } from '../panel-resource.js';

/** Submissions can be read, held and deleted. Only the service may change them otherwise. */
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
      record.params['reference'] = referenceOf(uuid);
    });
    record.title = `${record.populated['formId']?.title} by ${record.populated['userId']?.title}`;
    return response;
  };

  const { deleteOne, deleteSelected } = deletions(dataSource);
  const { hold, release } = holding(dataSource);
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
      completedAt: 'Completed',
      reference: 'Reference',
      isTest: 'Test',
      held: 'Held',
      anonymizedAt: 'Personal answers deleted',
      answers: 'Answers',
    },
    messages: {
      confirmDelete: 'Delete this submission with all answers and files? Only a backup can bring it back.',
    },
    options: {
      navigation: { name: 'Submissions', icon: 'Inbox' },
      titleProperty: 'uuid',
      // UUIDs of version 7 sort by creation time.
      sort: { sortBy: 'uuid', direction: 'desc' },
      listProperties: ['uuid', 'formId', 'userId', 'status', 'updatedAt'],
      filterProperties: ['formId', 'userId', 'status', 'isTest', 'createdAt', 'uuid'],
      showProperties: [
        'reference',
        'held',
        'answers',
        'formId',
        'userId',
        'status',
        'currentStep',
        'isTest',
        'meta',
        'createdAt',
        'completedAt',
        'anonymizedAt',
        'updatedAt',
        'uuid',
      ],
      properties: {
        held: { components: { show: COMPONENTS.Held } },
        reference: { components: { show: COMPONENTS.Reference } },
        answers: { components: { show: COMPONENTS.Answers } },
        status: { availableValues: STATUSES.map((status) => ({ value: status, label: status })) },
      },
      actions: {
        // Otherwise submissions of previews would be counted.
        list: {
          before: listedWithout('isTest'),
          component: COMPONENTS.AnswersTable,
          showFilter: false,
        },
        answers: {
          actionType: 'resource',
          isVisible: false,
          component: false,
          handler: answersTable(dataSource),
        },
        show: { after: withAnswers },
        hold: { actionType: 'record', isVisible: false, component: false, handler: hold },
        release: { actionType: 'record', isVisible: false, component: false, handler: release },
        new: DISABLED,
        edit: DISABLED,
        delete: { handler: deleteOne, guard: 'confirmDelete' },
        bulkDelete: { handler: deleteSelected },
      },
    },
  };
}
