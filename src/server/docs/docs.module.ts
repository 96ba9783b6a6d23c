import { type DynamicModule, Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { DocsService, OPENAPI_FILE } from './docs.service.js';

@Module({ controllers: [DocsController], providers: [DocsService] })
export class DocsModule {
  static of(openApiFile: string): DynamicModule {
    return { module: DocsModule, providers: [{ provide: OPENAPI_FILE, useValue: openApiFile }] };
  }
}
