import { Command } from 'commander';
import type { FileSettings } from '../settings.js';
import { printable } from '../../../process/printable.js';
import { sayToOperator } from '../../../process/say-to-operator.js';
import { CommandError } from '../../../cli/command-error.js';
import { counted, print, printJson } from '../../../cli/output.js';

export function filesCommand(): Command {
  return new Command('files')
    .description('run the background work for files once, or clean up the storage')
    .addCommand(workCommand())
    .addCommand(sweepCommand());
}

function workCommand(): Command {
  return new Command('work')
    .description(
      'delete the content of deleted files, delete files to which no value refers 24 hours after the upload was created or ' +
        'the file was committed, and scan new files.\n' +
        'Does everything that is due, once. Servers do the same every two seconds, and can run meanwhile.',
    )
    .action(async () => {
      const { withFiles } = await import('./with-files.js');
      const { FileWorker } = await import('../file-worker.js');
      const { Clamd } = await import('../scanning/clamd.js');
      const { Database } = await import('../../../database/database.js');
      const counts = await withFiles(async (dataSource, storage, environment) => {
        const database = new Database(dataSource, environment);
        const { clamdUrl } = environment.of<FileSettings>();
        const clamd = clamdUrl === undefined ? undefined : new Clamd(clamdUrl);
        const worker = new FileWorker(
          database,
          storage,
          clamd,
          ({ msg, reason, file_uuid, submission_uuid }) => {
            sayToOperator(
              `Warning: ${msg} File ${file_uuid} of submission ${submission_uuid ?? '(unknown)'}: ${reason}`,
            );
          },
        );
        try {
          await worker.delete();
          await worker.scan();
        } finally {
          database.onModuleDestroy();
        }
        return worker.counts;
      });
      const { deleted, expired, clean, infected, failed } = counts;
      await print(
        `Deleted the content of ${counted(deleted, 'file')}, and ${counted(expired, 'file')} to which no value refers. ` +
          `Scanned ${clean + infected}, of which ${infected} ${infected === 1 ? 'is' : 'are'} infected.`,
      );
      if (failed > 0) throw new CommandError('A part of the work failed and will be retried.');
    });
}

function sweepCommand(): Command {
  return new Command('sweep')
    .description(
      'delete stored content that no file uses, and list files whose content is missing.\n' +
        'The server can run meanwhile. The exit status is 0 only if no content is missing.',
    )
    .option('--dry-run', 'delete nothing')
    .option('--json', 'print a JSON object')
    .action(async ({ dryRun = false, json = false }: { dryRun?: boolean; json?: boolean }) => {
      const { withFiles } = await import('./with-files.js');
      const { sweep } = await import('../sweep.js');
      const swept = await withFiles((dataSource, storage) => sweep(dataSource, storage, { dryRun }));
      const { orphans, strangers, missing, files, objects } = swept;
      if (json) await printJson(swept);
      else {
        for (const key of strangers)
          sayToOperator(`Not deleted, because Formtrail did not create it: ${printable(key)}`);
        for (const uuid of missing) sayToOperator(`The content of file ${uuid} is missing.`);
        const verb = dryRun ? 'Would delete' : 'Deleted';
        await print(
          `Compared ${counted(files, 'file')} with ${counted(objects, 'object')}. ${verb} ${counted(orphans.length, 'object')} without a file. ` +
            `Found ${counted(missing.length, 'file')} without content.`,
        );
      }
      if (missing.length > 0)
        throw new CommandError(
          `The content of ${counted(missing.length, 'file')} is missing: restore it from a backup.`,
        );
    });
}
