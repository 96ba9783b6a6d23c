import type { FileHandle } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import { isoToTheSecondSql } from '../../../database/iso-timestamp.js';
import { closeAfter } from '../../../process/close-all.js';
import type { Person, ReadContent } from '../../../server/hooks.js';
import { loadHooks } from '../../../server/load-hooks.js';
import type { Item } from './exported-data.js';
import { ExportWriter } from './export-writer.js';
import type { Folder } from './folder.js';
import { readPeople } from './read-people.js';

/** Holds what was read, until the contents of files are copied. */
const WORK_FILE = 'export.unfinished';

/**
 * Writes all that is stored of some people to a folder that exists, without the index's final name. Reads one snapshot, and copies the
 * contents of files only after its transaction, because this may take long. Needs little memory, however much is stored.
 */
export async function exportPeople(
  dataSource: DataSource,
  folder: Folder,
  {
    people,
    stays,
    show,
  }: {
    readonly people: readonly Person[];
    /** Sentences about what the export does not contain. */
    readonly stays: readonly string[];
    readonly show: (submissions: number) => void;
  },
): Promise<ExportWriter> {
  const parts = (await loadHooks()).flatMap(({ personalData }) => personalData ?? []);
  let readContent: ReadContent | undefined;
  for (const { openFiles } of parts) readContent ??= await openFiles?.();
  const work = await folder.open(WORK_FILE);
  const closing = [() => work.close()];
  return closeAfter(async () => {
    let submissions = 0;
    const madeAt = await dataSource.transaction('REPEATABLE READ', async (manager) => {
      await manager.query('set transaction read only');
      const [{ now }] = await manager.query<[{ now: string }]>(`select ${isoToTheSecondSql('now()')} as now`);
      for await (const item of readPeople(manager, people, parts)) {
        await work.appendFile(`${JSON.stringify(item)}\n`);
        if (item.submission !== undefined) show((submissions += 1));
      }
      return now;
    });
    const writer = await ExportWriter.begin(dataSource, folder, { people, madeAt, readContent });
    closing.push(() => writer.close());
    for await (const line of linesOf(work)) await writer.add(JSON.parse(line) as Item);
    await writer.end(stays);
    await folder.remove(WORK_FILE);
    return writer;
  }, closing);
}

/** Replaces `readLines`, which reads a thousand lines ahead. A line may have megabytes. */
async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  let parts: string[] = [];
  const chunks = file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' });
  for await (const chunk of chunks as AsyncIterable<string>) {
    const [end = '', ...lines] = chunk.split('\n');
    parts.push(end);
    for (const line of lines) {
      yield parts.join('');
      parts = [line];
    }
  }
}
