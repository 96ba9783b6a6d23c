import type { FileHandle } from 'node:fs/promises';
import type { DataSource } from 'typeorm';
import type { Person, ReadContent } from '../../../server/hooks.js';
import type { ExportedPerson, FoundFile, Item, WrittenFile } from './exported-data.js';
import { type Folder, UNFINISHED_INDEX } from './folder.js';
import { fileNameOf, footOf, headOf, sectionOf, submissionOf } from './index-page.js';

/** A person in the export, with the number of files that were copied. */
export interface WrittenPerson {
  readonly person: ExportedPerson;
  files: number;
}

const SWITCHED_OFF =
  'The content of files is not included, because FILES_URL is not set where the export was made.';

/** Writes an export to its folder: JSON for each person, the contents of files, and the index. */
export class ExportWriter {
  readonly written: WrittenPerson[] = [];
  /** Sentences about files without content. */
  readonly leftOut: string[] = [];
  /** The number of files whose content should be in the storage. */
  missing = 0;
  private isFirst = true;
  private json: FileHandle | undefined;

  private constructor(
    private readonly dataSource: DataSource,
    private readonly folder: Folder,
    private readonly index: FileHandle,
    private readonly readContent: ReadContent | undefined,
  ) {}

  static async begin(
    dataSource: DataSource,
    folder: Folder,
    {
      people,
      madeAt,
      readContent,
    }: {
      readonly people: readonly Person[];
      readonly madeAt: string;
      readonly readContent: ReadContent | undefined;
    },
  ): Promise<ExportWriter> {
    const index = await folder.open(UNFINISHED_INDEX);
    await index.appendFile(headOf(people, madeAt));
    return new ExportWriter(dataSource, folder, index, readContent);
  }

  async add({ person, submission }: Item): Promise<void> {
    if (person !== undefined) return this.beginPerson(person);
    const files: WrittenFile[] = [];
    for (const { extension, ...file } of submission.files)
      files.push({
        ...file,
        ...(await this.copy(file, `files/${submission.uuid}/${file.uuid}${extension}`)),
      });
    const written = { ...submission, files };
    await this.json?.appendFile(`${this.isFirst ? '' : ',\n'}${JSON.stringify(written)}`);
    await this.index.appendFile(submissionOf(written));
    this.isFirst = false;
  }

  private async beginPerson(person: ExportedPerson): Promise<void> {
    await this.endPerson();
    this.json = await this.folder.open(fileNameOf(person.user));
    const { submissions: _, ...others } = person;
    await this.json.appendFile(`${JSON.stringify(others).slice(0, -1)},"submissions":[\n`);
    await this.index.appendFile(sectionOf(person));
    this.written.push({ person, files: 0 });
    this.isFirst = true;
  }

  private async endPerson(): Promise<void> {
    await this.json?.appendFile('\n]}\n');
    await this.json?.close();
    this.json = undefined;
  }

  private async copy(
    file: Pick<FoundFile, 'uuid' | 'state'>,
    path: string,
  ): Promise<Pick<WrittenFile, 'path' | 'left_out'>> {
    const person = this.written.at(-1);
    if (this.readContent === undefined) {
      if (!this.leftOut.includes(SWITCHED_OFF)) this.leftOut.push(SWITCHED_OFF);
      return { path: null, left_out: SWITCHED_OFF };
    }
    const read = await this.readContent(this.dataSource, file);
    if ('content' in read) {
      await this.folder.write(path, read.content);
      if (person !== undefined) person.files += 1;
      return { path };
    }
    this.leftOut.push(read.leftOut);
    if (read.isMissing) this.missing += 1;
    return { path: null, left_out: read.leftOut };
  }

  async end(stays: readonly string[]): Promise<void> {
    await this.endPerson();
    await this.index.appendFile(footOf(this.leftOut, stays));
  }

  async close(): Promise<void> {
    await this.json?.close();
    await this.index.close();
  }
}
