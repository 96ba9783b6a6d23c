import { type DynamicModule, Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { DocsService, VERSION } from './docs.service.js';

@Module({ controllers: [DocsController], providers: [DocsService] })
export class DocsModule {
  static of(version: string): DynamicModule {
    return { module: DocsModule, providers: [{ provide: VERSION, useValue: version }] };
  }
}
