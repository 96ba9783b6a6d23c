import { useEffect, useState } from 'preact/hooks';
import { client } from '../service';

/** Number of steps by form, loaded once from the schema, because the list of forms does not contain it. */
const counts = new Map<string, Promise<number>>();

/** "4 steps", or with `current` "Step 2 of 4". Empty until the schema is loaded. */
export function StepCount({ formUuid, current }: { formUuid: string; current?: number }) {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    // On a failure, show no number, and load again next time.
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
