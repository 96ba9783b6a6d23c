import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { fitsField } from './condition-sentences.js';
import { FittingChoices } from './fitting-choices.tsx';
import { rowOf } from './row-cells.js';
import { fieldsById } from './tested-fields.js';
import { useTestedSteps } from './tested-steps.js';

/** Selects an operator that fits the tested field. */
export default function ConditionOperator(props: EditPropertyProps) {
  const field = fieldsById(useTestedSteps()).get(String(rowOf(props).dependsOnFieldId));
  return <FittingChoices {...props} fits={(operator) => field === undefined || fitsField(operator, field)} />;
}
