import type { FormSchema, Step } from 'formtrail-client';
import { useEffect, useState } from 'preact/hooks';
import { client } from '../service';

/** The steps of a form for the list, including the check of the answers at the end. */
interface Steps {
  readonly count: number;
  /** False if conditions may hide steps, or all fields of a step, from some users. */
  readonly isExact: boolean;
  /** Position and title of each step with questions. */
  readonly titles: ReadonlyMap<number, string>;
}

/** Steps by form, loaded once from the schema, because the list of forms does not contain them. */
const loaded = new Map<string, Promise<Steps>>();

/** Shows "4 steps" or "Up to 4 steps". Empty until the schema is loaded. */
export function StepCount({ formUuid }: { formUuid: string }) {
  const steps = useSteps(formUuid);
  if (steps === undefined) return <>&nbsp;</>;
  return <>{`${steps.isExact ? '' : 'Up to '}${steps.count} steps`}</>;
}

/** The progress of a draft, whose current step is at `position`. */
export function DraftProgress({ formUuid, position }: { formUuid: string; position: number }) {
  const steps = useSteps(formUuid);
  const number = [...(steps?.titles.keys() ?? [])].filter((other) => other <= position).length;
  const title = steps?.titles.get(position) ?? '';
  return (
    <>
      {/* Only an open draft knows which steps it shows, so a form with conditions has no exact number. */}
      <p>
        {steps === undefined
          ? '\u00a0'
          : steps.isExact
            ? `Step ${number} of ${steps.count}: ${title}`
            : title}
      </p>
      <progress aria-label="Progress" max={steps?.count ?? 1} value={number} />
    </>
  );
}

function useSteps(formUuid: string): Steps | undefined {
  const [steps, setSteps] = useState<Steps>();
  useEffect(() => {
    const loading = loaded.get(formUuid) ?? client.getFormSchema(formUuid).then(({ data }) => stepsOf(data));
    loaded.set(formUuid, loading);
    // On a failure, show no number, and load again next time.
    loading.then(setSteps, () => loaded.delete(formUuid));
  }, [formUuid]);
  return steps;
}

function stepsOf({ steps, entities }: FormSchema): Steps {
  const conditional = new Set(entities.filter(hasConditions).map(({ name }) => name));
  const withQuestions = steps
    .map((step, index) => ({ ...step, position: index + 1 }))
    .filter((step) => step.is_visible && step.fields.length > 0);
  return {
    count: withQuestions.length + 1,
    isExact: withQuestions.every(
      (step) =>
        !hasConditions(step) &&
        step.fields.some((field) => !hasConditions(field) && !conditional.has(field.entity ?? '')),
    ),
    titles: new Map(withQuestions.map(({ position, title }) => [position, title])),
  };
}

const hasConditions = ({ conditions }: Pick<Step, 'conditions'>) => conditions.length > 0;
