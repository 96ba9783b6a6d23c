import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MEGABYTE = Buffer.alloc(1024 * 1024);
const PAGE = Buffer.alloc(4096);

/** A file system in memory that a test can fill. Needs Linux and the privilege to mount. */
export class SmallDisk {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'ft-disk-'));
  private readonly ballast = path.join(this.directory, 'ballast');

  constructor(megabytes: number) {
    const options = `size=${megabytes}m,mode=0755`;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.directory], { stdio: 'pipe' });
    } catch (error) {
      rmdirSync(this.directory);
      throw error;
    }
  }

  static get isPossible(): boolean {
    try {
      new SmallDisk(1).remove();
      return true;
    } catch {
      return false;
    }
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    for (const piece of [MEGABYTE, PAGE]) {
      try {
        for (;;) appendFileSync(this.ballast, piece);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  }

  free(): void {
    rmSync(this.ballast);
  }

  remove(): void {
    execFileSync('umount', [this.directory], { stdio: 'pipe' });
    rmdirSync(this.directory);
  }
}
