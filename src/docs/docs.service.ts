import { Inject, Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { CacheableBody } from '../http/cacheable-body.js';

/** The injection token of the version that the document is of. */
export const VERSION = Symbol('version');

@Injectable()
export class DocsService {
  private body: Promise<CacheableBody> | undefined;

  constructor(
    private readonly environment: Environment,
    @Inject(VERSION) private readonly version: string,
  ) {}

  /** The OpenAPI document, which is loaded when it is first asked for: the start carries none of it. */
  document(): Promise<CacheableBody> {
    return (this.body ??= this.load());
  }

  private async load(): Promise<CacheableBody> {
    const { openApiDocument } = await import('./openapi.js');
    const { publicUrl } = this.environment;
    return new CacheableBody(openApiDocument({ publicUrl, version: this.version }), true);
  }
}
