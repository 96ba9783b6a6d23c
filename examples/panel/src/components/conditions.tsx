import { Box, Text } from '@adminjs/design-system';
import { type EditPropertyProps, flat } from 'adminjs';
import React from 'react';
import { type ConditionCells, conditionSentences } from './condition-sentences.js';
import Rows from './rows.js';
import { TestedSteps, useLoadedSteps } from './tested-steps.js';

/** Edits conditions as rows, and says below them what they do. */
export default function Conditions(props: EditPropertyProps) {
  const { params } = props.record;
  const steps = useLoadedSteps(params['formId'] as number | undefined);
  const conditions = (flat.get(params, props.property.path) ?? []) as ConditionCells[];
  return (
    <TestedSteps.Provider value={steps}>
      <Rows {...props} />
      <Box mb="xl" data-testid="condition-sentences">
        {steps.length > 0 &&
          conditionSentences(conditions, steps).map((sentence) => <Text key={sentence}>{sentence}</Text>)}
      </Box>
    </TestedSteps.Provider>
  );
}
