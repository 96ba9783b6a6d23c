import { useEffect, useState } from 'preact/hooks';
import { client } from '../service';

interface Count {
  readonly count: number;
  /** False if conditions hide steps from some users. */
  readonly isExact: boolean;
}

/** Number of steps by form, loaded once from the schema, because the list of forms does not contain it. */
const counts = new Map<string, Promise<Count>>();

/** Shows "4 steps" or "Up to 4 steps". If `current` is given, shows "Step 2 of 4". Empty until the schema is loaded. */
export function StepCount({ formUuid, current }: { formUuid: string; current?: number }) {
  const [found, setCount] = useState<Count>();
  useEffect(() => {
    // On a failure, show no number, and load again next time.
    stepCount(formUuid).then(setCount, () => counts.delete(formUuid));
  }, [formUuid]);
  if (found === undefined) return <>&nbsp;</>;
  const { count, isExact } = found;
  // Only an open draft knows which steps it shows.
  if (current !== undefined && !isExact) return <>Begun</>;
  if (current !== undefined) return <>{`Step ${Math.min(current, count)} of ${count}`}</>;
  if (!isExact) return <>{`Up to ${count} steps`}</>;
  return <>{count === 1 ? '1 step' : `${count} steps`}</>;
}

function stepCount(formUuid: string): Promise<Count> {
  const count =
    counts.get(formUuid) ??
    client.getFormSchema(formUuid).then(({ data }) => {
      const steps = data.steps.filter((step) => step.is_visible && step.fields.length > 0);
      return { count: steps.length, isExact: steps.every(({ conditions }) => conditions.length === 0) };
    });
  counts.set(formUuid, count);
  return count;
}
