import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../src/docs/openapi.js';
import type { Answer } from './client.js';

const document = openApiDocument({ version: '0.0.0' });
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

const routes = Object.entries(document.paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  path,
  methods: new Map(Object.entries(methods)),
}));

const compiled = new Map<string, ValidateFunction>();

/** Throws where the service answers a documented route otherwise than the OpenAPI document says. */
export function expectDocumented(method: string, target: string, { status, headers, body }: Answer): void {
  const path = target.split('?')[0]!;
  const route = routes.find(({ pattern }) => pattern.test(path));
  const operation = route?.methods.get(method.toLowerCase());
  if (route === undefined || operation === undefined) return;
  const what = `${method} ${route.path} answered ${status}`;

  const documented = operation.responses[status];
  if (documented === undefined) throw new Error(`${what}, which the OpenAPI document does not have`);
  const { pointer, response } = resolve(
    documented,
    `/paths/${escape(route.path)}/${method.toLowerCase()}/responses/${status}`,
  );
  for (const [name, header] of Object.entries(response.headers ?? {})) {
    const isOptional = (header as { required?: boolean }).required !== true;
    if (!isOptional && !headers.has(name)) throw new Error(`${what} without the header ${name}`);
  }
  if (response.content === undefined) {
    if (body !== undefined) throw new Error(`${what} with a body that the OpenAPI document does not have`);
    return;
  }
  const validate = validatorAt(`${pointer}/content/application~1json/schema`);
  if (!validate(body)) {
    throw new Error(`${what} with another body than documented: ${ajv.errorsText(validate.errors)}`);
  }
}

interface Response {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: object;
}

function resolve(given: object, at: string): { pointer: string; response: Response } {
  if (!('$ref' in given)) return { pointer: at, response: given };
  const name = String(given.$ref).replace('#/components/responses/', '');
  return {
    pointer: `/components/responses/${name}`,
    response: (document.components.responses as Readonly<Record<string, Response>>)[name]!,
  };
}

function validatorAt(pointer: string): ValidateFunction {
  let validate = compiled.get(pointer);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, validate);
  }
  return validate;
}

function escape(path: string): string {
  return encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
}
