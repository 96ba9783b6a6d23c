import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A list in a private temporary file, so that any number of items takes little memory. */
export class Spool<Item> {
  private constructor(private readonly file: FileHandle) {}

  static async open<Item>(): Promise<Spool<Item>> {
    const name = path.join(os.tmpdir(), `formtrail-${randomBytes(16).toString('hex')}`);
    const file = await open(name, 'wx+', 0o600);
    // An open file needs no name. A file without a name disappears when the process ends, even if the process is killed.
    await rm(name);
    return new Spool(file);
  }

  async add(items: readonly Item[]): Promise<void> {
    await this.file.appendFile(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  }

  async *items(): AsyncGenerator<Item> {
    for await (const line of this.file.readLines({ start: 0, autoClose: false }))
      yield JSON.parse(line) as Item;
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
