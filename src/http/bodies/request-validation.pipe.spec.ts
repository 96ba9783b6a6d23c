import 'reflect-metadata';
import { IsString, Length } from 'class-validator';
import { Problem } from '../errors/problems.js';
import { withError } from './checks.js';
import { RequestValidationPipe } from './request-validation.pipe.js';

class Dto {
  @IsString(withError('not_a_string', 'The $value must be a string.'))
  readonly name!: string;

  // This decorator has no `withError()`.
  @Length(2)
  readonly code!: string;
}

const errorsOf = (body: unknown) => {
  try {
    new RequestValidationPipe().transform(body, { type: 'body', metatype: Dto });
  } catch (error) {
    return (error as Problem).errors;
  }
};

it('an invalid body is rejected with the error of each decorator, word for word', () => {
  expect(errorsOf({ name: 1, code: 'ab' })).toEqual({
    name: [{ code: 'not_a_string', message: 'The $value must be a string.', params: {} }],
  });
});

it('an invalid body is rejected even if the decorator has no error', () => {
  const message = 'code must be longer than or equal to 2 characters';
  expect(errorsOf({ name: '', code: 'a' })).toEqual({
    code: [{ code: 'not_allowed', message, params: { allowed: [] } }],
  });
});
