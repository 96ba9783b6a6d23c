import type { ShowPropertyProps } from 'adminjs';
import React from 'react';
import { computedInWords, formulaIn } from './formulas.js';
import { SentencesValue } from './sentences.tsx';
import { useLoadedSteps } from './tested-steps.js';

/** Says how a field is computed. */
export default function ShownComputed({ property, record }: ShowPropertyProps) {
  const steps = useLoadedSteps(record.params['formId'] as number);
  const formula = formulaIn(record.params[property.path]);
  const sentence = steps.length > 0 ? computedInWords(formula, steps) : '';
  return <SentencesValue property={property}>{[formula ? sentence : 'No']}</SentencesValue>;
}
