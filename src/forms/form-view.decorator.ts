import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FormExtenders, type FormView } from './form-extenders.js';

@Injectable()
class FormViewPipe implements PipeTransform<object, FormView | undefined> {
  constructor(private readonly extenders: FormExtenders) {}

  transform(query: object): FormView | undefined {
    return this.extenders.viewOf(query);
  }
}

const ThisQuery = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<FastifyRequest>().query as object,
);

/** Injects how the query asks to see forms. Undefined: as they are. */
export const View = () => ThisQuery(FormViewPipe);
