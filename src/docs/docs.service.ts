import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { CacheableBody } from '../http/headers/cacheable-body.js';

/** The injection token of where the document is that the build made. */
export const OPENAPI_FILE = Symbol('openApiFile');

@Injectable()
export class DocsService {
  private body: Promise<CacheableBody> | undefined;

  constructor(
    private readonly environment: Environment,
    @Inject(OPENAPI_FILE) private readonly file: string,
  ) {}

  /** The OpenAPI document, which is read when it is first asked for: the start carries none of it. */
  document(): Promise<CacheableBody> {
    return (this.body ??= this.read());
  }

  private async read(): Promise<CacheableBody> {
    const document = JSON.parse(await readFile(this.file, 'utf8')) as object;
    const { publicUrl } = this.environment;
    return new CacheableBody(
      publicUrl === undefined ? document : { ...document, servers: [{ url: publicUrl }] },
      true,
    );
  }
}
