import type { PlacedStep } from '../draft/questions';

interface ProgressProps {
  readonly walked: readonly PlacedStep[];
  readonly position: number;
  /** Percent, as the service counts: of all steps, those too that are passed over. */
  readonly percentage: number;
}

export function Progress({ walked, position, percentage }: ProgressProps) {
  const number = Math.max(1, walked.filter((step) => step.position <= position).length);
  return (
    <aside class="progress" aria-label="Steps">
      <p>
        Step {number} of {walked.length}
      </p>
      <progress max={100} value={percentage} aria-label="Progress">
        {percentage} %
      </progress>
      <ol>
        {walked.map(({ position: other, step }) => (
          <li
            key={step.id}
            class={other < position ? 'done' : undefined}
            aria-current={other === position ? 'step' : undefined}
          >
            {step.title}
            {other < position && <span class="visually-hidden"> (done)</span>}
          </li>
        ))}
      </ol>
    </aside>
  );
}
