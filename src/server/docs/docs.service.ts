import { readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment.js';
import { CacheableBody } from '../../http/headers/cacheable-body.js';

/** Injection token for the path of the OpenAPI document, which the build writes. */
export const OPENAPI_FILE = Symbol('openApiFile');

@Injectable()
export class DocsService {
  private body: Promise<CacheableBody> | undefined;

  constructor(
    private readonly environment: Environment,
    @Inject(OPENAPI_FILE) private readonly file: string,
  ) {}

  /** The OpenAPI document. It is read when it is first requested, so that the start does not wait for it. */
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
