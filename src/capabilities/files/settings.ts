import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Contradictions, Environment, type Texts } from '../../config/environment.js';
import { MustBe, Variable } from '../../config/variable.decorators.js';
import { isClamdUrl, isFilesUrl } from './formats.js';

const FILES_URL = 'a URL such as file:///var/lib/formtrail/files or s3://bucket/prefix, or none';
const CLAMD_URL = 'a URL such as tcp://clamd:3310 or unix:///run/clamav/clamd.ctl';

export class FileSettings {
  /**
   * Where the contents of files are stored. If unset, they are stored in `DATA_DIR`, next to the embedded database. Without an embedded
   * database, no files are stored, and the values of file fields may be any text (U1).
   */
  @Variable('FILES_URL', (text) => (text === 'none' ? undefined : text))
  @MustBe(FILES_URL, (text) => text === 'none' || isFilesUrl(text))
  readonly filesUrl: string | undefined;

  /** The address of the virus scanner clamd. Unset: files are not scanned (U6). */
  @Variable('CLAMD_URL')
  @MustBe(CLAMD_URL, isClamdUrl)
  readonly clamdUrl: string | undefined;

  static complete(texts: Texts): void {
    if (texts['DATABASE_URL'] !== undefined) return;
    const folder = path.resolve(texts['DATA_DIR'] ?? new Environment().dataDir, 'files');
    texts['FILES_URL'] ??= pathToFileURL(folder).href;
  }

  static contradictions: Contradictions = (environment, isSet) =>
    environment.of<FileSettings>().filesUrl === undefined && isSet('CLAMD_URL')
      ? ['CLAMD_URL has no effect without FILES_URL: set both, or neither.']
      : [];
}
