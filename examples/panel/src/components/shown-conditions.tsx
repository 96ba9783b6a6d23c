import { Text, ValueGroup } from '@adminjs/design-system';
import { flat, type ShowPropertyProps, useTranslation } from 'adminjs';
import React from 'react';
import { type ConditionCells, conditionSentences } from './condition-sentences.js';
import { useLoadedSteps } from './tested-steps.js';

/** Shows the conditions of a record as sentences. */
export default function ShownConditions({ property, record }: ShowPropertyProps) {
  const { translateProperty } = useTranslation();
  const steps = useLoadedSteps(record.params['formId'] as number);
  const conditions = (flat.get(record.params, property.path) ?? []) as ConditionCells[];
  return (
    <ValueGroup label={translateProperty(property.label, property.resourceId)}>
      {conditions.length === 0 && <Text>None</Text>}
      {steps.length > 0 &&
        conditionSentences(conditions, steps).map((sentence) => <Text key={sentence}>{sentence}</Text>)}
    </ValueGroup>
  );
}
