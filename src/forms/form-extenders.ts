import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Executor } from '../database/statement.js';
import type { CacheableBody, HeadersOfBody } from '../http/headers/cacheable-body.js';
import type { FormExtension } from './entities/form.js';
import type { FormRow } from './form.statements.js';
import type { PublishedForm } from './published-form.js';

/** Marks a provider that is a {@link FormExtender}. */
export const ExtendsForm = DiscoveryService.createDecorator();

/** Adds to what clients may ask of forms, and to what is kept of them. */
export interface FormExtender {
  /** Headers of responses that show the form or its schema. */
  headersOf?(extension: Partial<FormExtension>): HeadersOfBody;
  /**
   * Returns how the query of a request asks to see forms. Undefined: as they are.
   *
   * @throws Problem 422 if the query is malformed
   */
  viewOf?(query: object): FormView | undefined;
  /**
   * Keeps more of a version than its schema, in the same transaction (N3). The version may have been kept before.
   *
   * @throws RowLockedError if the form has another version by now
   */
  keep?(executor: Executor, form: PublishedForm): Promise<void>;
}

/** Forms as a request asks to see them. */
export interface FormView {
  /** The parameters of the query that asks for it, for links. */
  readonly parameters: Readonly<Record<string, string>>;
  list(forms: readonly FormRow[]): Promise<readonly FormRow[]>;
  form(form: PublishedForm): Promise<CacheableBody>;
  schema(form: PublishedForm): Promise<CacheableBody>;
  /** Undefined: the version was not kept. */
  keptSchema(form: PublishedForm, version: number): Promise<CacheableBody | undefined>;
}

/** Asks the extenders. */
@Injectable()
export class FormExtenders implements OnModuleInit {
  private extenders: readonly FormExtender[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const providers = this.discovery.getProviders({ metadataKey: ExtendsForm.KEY });
    this.extenders = providers.map(({ instance }) => instance as FormExtender);
  }

  headersOf(extension: Partial<FormExtension>): HeadersOfBody {
    const all = this.extenders.map((extender) => extender.headersOf?.(extension));
    return Object.assign({}, ...all) as HeadersOfBody;
  }

  /** Returns the first view that an extender finds in the query. */
  viewOf(query: object): FormView | undefined {
    for (const extender of this.extenders) {
      const view = extender.viewOf?.(query);
      if (view !== undefined) return view;
    }
    return undefined;
  }

  async keep(executor: Executor, form: PublishedForm): Promise<void> {
    for (const extender of this.extenders) await extender.keep?.(executor, form);
  }
}
