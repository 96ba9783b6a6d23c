import { Field, Form, Respondent, Step } from 'formtrail-entities';
import { plainText } from 'formtrail-session/markup';
import type { EntityManager } from 'typeorm';
import type { CheckListJson, FindingJson } from '../components/publishing/publishing-json.js';
import { HttpError } from '../errors.js';
import { heldBy } from '../resources/components-of-fields.js';
import { KEEPING_LABELS } from '../resources/keeping.js';
import { limitsOf } from '../resources/limits.js';
import { progressOf } from '../resources/translated-texts.js';
import type { Definition, ServiceDefinitions } from './service-definitions.js';

/** Checks what a person should know before the form goes live. */
export async function checkForm(
  service: ServiceDefinitions,
  manager: EntityManager,
  id: number,
): Promise<CheckListJson> {
  const form = await manager.findOneByOrFail(Form, { id });
  const { slug, version, access, updatedAt } = form;
  const definition = await service.find(manager, slug);
  if (definition === undefined) throw new HttpError(404, 'The form has been deleted.');
  const preview = await manager.findOne(Respondent, {
    where: { formId: id, isPreview: true },
    order: { createdAt: 'desc' },
  });
  const { total, languages } = await progressOf(manager, id);
  const fields = await manager.findBy(Field, { formId: id });
  const steps = await manager.findBy(Step, { formId: id });
  const isQuestion = ({ field_type, retired, computed }: Definition['steps'][number]['fields'][number]) =>
    retired !== true && computed === undefined && heldBy(field_type.component) !== 'nothing';
  const placeOf = (path: string): Pick<FindingJson, 'place' | 'href'> => {
    const [, step = '', field = ''] = /^steps\[(\d+)\](?:\.fields\[(\d+)\])?/.exec(path) ?? [];
    const found = definition.steps[Number(step)];
    const asked = found?.fields[Number(field)];
    if (path === 'keep_personal_days')
      return {
        place: KEEPING_LABELS.keepPersonalDays,
        href: `/admin/resources/forms/records/${id}/edit`,
      };
    if (step === '' || found === undefined) return { place: placeOfEntity(definition, path), href: null };
    const resource = (name: string, id = 0) => `/admin/resources/${name}/records/${id}/edit`;
    if (field === '' || asked === undefined)
      return {
        place: found.title,
        href: resource('steps', steps.find(({ stepNumber }) => stepNumber === found.step_number)?.id),
      };
    return {
      place: plainText(asked.label) || asked.code,
      href: resource('fields', fields.find(({ code }) => code === asked.code)?.id),
    };
  };
  return {
    version,
    access,
    questions: definition.steps.flatMap((step) => step.fields).filter(isQuestion).length,
    emptySteps: definition.steps.filter((step) => !step.fields.some(isQuestion)).map(({ title }) => title),
    findings: service
      .lint(definition)
      // The list counts missing translations by itself.
      .filter(({ path }) => path !== 'translations')
      .map(({ path, message }) => ({ ...placeOf(path), message })),
    languages: languages.map(({ locale, translated }) => ({ locale, missing: total - translated })),
    previewedAt: preview?.createdAt.toISOString() ?? null,
    isPreviewCurrent: preview !== null && preview.createdAt >= updatedAt,
    limits: await limitsOf(manager, form),
  };
}

function placeOfEntity({ entities }: Definition, path: string): string {
  const [, index = ''] = /^entities\[(\d+)\]/.exec(path) ?? [];
  return index === '' ? '' : plainText(entities[Number(index)]?.label ?? '');
}
