import { Command } from 'commander';
import { CommandError } from '../../../cli/command-error.js';
import { counted, print, withProgress } from '../../../cli/output.js';
import { withNames } from '../../../cli/users.command.js';
import { withDatabase } from '../../../cli/with-database.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import type { CommandOptions } from '../../../server/hooks.js';

export function exportPersonCommand(): Command {
  return withNames(
    new Command('export')
      .description(
        'write all data of users to a folder: JSON for programs, their files, and index.html for people.\n' +
          'Only you can read the folder. The exit status is 1 if the storage lacks the content of a file.',
      )
      .requiredOption('--out <dir>', 'a new or an empty folder'),
  ).action(async ({ out, ...options }: CommandOptions & { out: string }) => {
    const { describePeople, findOnlyPeople, nameOf, namesOf, sayUnfound, whatStays } =
      await import('../../../cli/people.js');
    const { exportPeople } = await import('./export-people.js');
    const { Folder } = await import('./folder.js');
    const { recordPeople } = await import('./record-people.js');
    const { describeNumbers } = await import('./submission-numbers.js');
    const { shellWord } = await import('./shell-word.js');
    const names = await namesOf(options);
    const folder = await Folder.at(out);
    const stays = [...COPIES, ...(await whatStays())];
    let isCreated = false;
    const work = (show: (submissions: number) => void) =>
      withDatabase(async (dataSource) => {
        const command = `users export --out ${shellWord(out)}`;
        const { people, doubts } = await findOnlyPeople(dataSource, names, command);
        const unfound = await sayUnfound(dataSource, names);
        sayToOperator([await describePeople(dataSource, people), ...doubts, ...unfound].join('\n'));
        await folder.create();
        isCreated = true;
        await recordPeople(dataSource, people);
        return exportPeople(dataSource, folder, { people, stays, show });
      });
    const { written, leftOut, missing } = await withProgress('submission', work).catch((error: unknown) => {
      if (isCreated)
        sayToOperator(`${folder.path} is incomplete. Delete it before you run the command again.`);
      throw error;
    });
    await folder.finish();
    leftOut.forEach(sayToOperator);
    for (const { person, files } of written) {
      const extent = [counted(files, 'file'), counted(person.tokens.length, 'token')];
      await print(
        `Exported ${nameOf(person.user)} to ${folder.path}: ${describeNumbers(person.submissions)}; ${extent.join(', ')}.`,
      );
    }
    await print(['The export does not contain:', ...stays].join('\n- '));
    if (missing > 0)
      throw new CommandError(
        `The content of ${counted(missing, 'file')} is missing in the storage: check FILES_URL. The index names these files.`,
      );
  });
}

const COPIES = ['Copies of submissions that wait: webhooks, and responses for repeated requests.'];
