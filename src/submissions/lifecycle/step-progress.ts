/** Where a submission stands among its form's steps (S8). */
export interface StepProgress {
  readonly isLastStep: boolean;
  /** 0 to 100, rounded to the nearest integer. */
  readonly percentage: number;
}

/** `currentStep` is a position from 1; beyond the last step it counts as the last one. */
export function stepProgress(currentStep: number, stepCount: number): StepProgress {
  if (currentStep >= stepCount) return { isLastStep: true, percentage: 100 };
  return { isLastStep: false, percentage: Math.round((currentStep * 100) / stepCount) };
}
