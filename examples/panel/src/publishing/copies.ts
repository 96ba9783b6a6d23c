import { randomBytes } from 'node:crypto';
import { Form } from 'formtrail-entities';
import type { EntityManager } from 'typeorm';
import { HttpError } from '../errors.js';
import { type Definition, mistakesOf, type ServiceDefinitions } from './service-definitions.js';

const MAX_LENGTH = 255;

interface Copy {
  readonly id: number;
  readonly slug: string;
}

/** Makes an inactive copy of a form, with everything that a definition has, and so with everything that `forms export` learns. */
export async function writeCopy(
  service: ServiceDefinitions,
  manager: EntityManager,
  original: Definition,
  names: Pick<Definition, 'slug' | 'name'>,
): Promise<Copy> {
  const { uuid: _, ...definition } = original;
  try {
    const { slug } = await service.write(manager, { ...definition, ...names, is_active: false });
    return { id: await idOf(manager, slug), slug };
  } catch (error) {
    throw asHttpError(error, 'The form cannot be copied');
  }
}

/** Proposes a name and a slug that no form has. */
export async function proposeCopy(
  manager: EntityManager,
  { name, slug }: Pick<Form, 'name' | 'slug'>,
): Promise<Pick<Form, 'name' | 'slug'>> {
  const begin = `${slug.slice(0, MAX_LENGTH - 15).replace(/-+$/, '')}-copy`;
  for (let number = 1; ; number += 1) {
    const proposal = number === 1 ? begin : `${begin}-${number}`;
    if (!(await manager.existsBy(Form, { slug: proposal })))
      return { name: `Copy of ${name}`.slice(0, MAX_LENGTH), slug: proposal };
  }
}

/** A slug for the copy in which changes are prepared. Nobody types it. */
export const slugOfEdit = (slug: string): string =>
  `${slug.slice(0, MAX_LENGTH - 20).replace(/-+$/, '')}-changes-${randomBytes(4).toString('hex')}`;

async function idOf(manager: Pick<EntityManager, 'query'>, slug: string): Promise<number> {
  const [{ id }] = await manager.query<[{ id: number }]>('select id from forms where slug = $1', [slug]);
  return id;
}

/** Says why the service rejects a definition. Returns other errors unchanged. */
export function asHttpError(error: unknown, outcome: string): unknown {
  const mistakes = mistakesOf(error);
  if (mistakes === undefined) return error;
  const reasons = mistakes.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  return new HttpError(409, `${outcome}: ${reasons.join('; ')}.`);
}
