import { Text } from '@adminjs/design-system';
import type { EditPropertyProps } from 'adminjs';
import type { Formula } from 'formtrail-entities';
import React from 'react';
import { FormulaInputs } from './formula/formula-inputs.tsx';
import { computedInWords, formulaIn } from './formulas.js';
import { Labelled } from './labelled.tsx';
import { TestedSteps, useLoadedSteps } from './tested-steps.js';

/** Edits how a field is computed, and says it in words. */
export default function Computed(props: EditPropertyProps) {
  const { property, record, onChange } = props;
  const steps = useLoadedSteps(record.params['formId'] as number | undefined);
  const formula = formulaIn(record.params[property.path]);
  const change = (formula: Formula | undefined) =>
    onChange(property.path, formula === undefined ? '' : JSON.stringify(formula));
  return (
    <TestedSteps.Provider value={steps}>
      <Labelled {...props}>
        <FormulaInputs
          {...{ id: property.path, formula, depth: 1, fieldId: Number(record.id) }}
          onChange={change}
        />
        <Text mt="default" data-testid={`${property.path}-in-words`}>
          {steps.length > 0 && computedInWords(formula, steps)}
        </Text>
      </Labelled>
    </TestedSteps.Provider>
  );
}
