import { useEffect, useState } from 'preact/hooks';
import { client } from '../service';

/** By form: the list does not tell, so its schema is asked for, once. */
const counts = new Map<string, Promise<number>>();

/** "4 steps", or with the `current` one "Step 2 of 4"; nothing until it is known. */
export function StepCount({ formUuid, current }: { formUuid: string; current?: number }) {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    // Where it cannot be told, the page is as good without.
    stepCount(formUuid).then(setCount, () => counts.delete(formUuid));
  }, [formUuid]);
  if (count === undefined) return <>&nbsp;</>;
  if (current !== undefined) return <>{`Step ${Math.min(current, count)} of ${count}`}</>;
  return <>{count === 1 ? '1 step' : `${count} steps`}</>;
}

function stepCount(formUuid: string): Promise<number> {
  const count =
    counts.get(formUuid) ??
    client
      .getFormSchema(formUuid)
      .then(({ data }) => data.steps.filter((step) => step.is_visible && step.fields.length > 0).length);
  counts.set(formUuid, count);
  return count;
}
