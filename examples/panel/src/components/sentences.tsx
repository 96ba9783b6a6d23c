import { Box, Text, ValueGroup } from '@adminjs/design-system';
import { type EditPropertyProps, flat, type ShowPropertyProps, useTranslation } from 'adminjs';
import React from 'react';
import Rows from './rows.tsx';
import type { TestedStep } from './tested-fields.js';
import { TestedSteps, useLoadedSteps } from './tested-steps.js';

/** Says what the rows of a property do. */
type SentencesOf<Row> = (rows: readonly Row[], steps: readonly TestedStep[]) => string[];

/** Makes a component that edits rows which refer to fields of the form, and says below them what they do. */
export const editsInWords =
  <Row,>(sentencesOf: SentencesOf<Row>) =>
  (props: EditPropertyProps) => {
    const { params } = props.record;
    const steps = useLoadedSteps(params['formId'] as number | undefined);
    const rows = (flat.get(params, props.property.path) ?? []) as Row[];
    return (
      <TestedSteps.Provider value={steps}>
        <Rows {...props} />
        <Box mb="xl" data-testid={`${props.property.path}-in-words`}>
          {steps.length > 0 &&
            sentencesOf(rows, steps).map((sentence) => <Text key={sentence}>{sentence}</Text>)}
        </Box>
      </TestedSteps.Provider>
    );
  };

/** Makes a component that shows the rows of a property as sentences. */
export const showsInWords =
  <Row,>(sentencesOf: SentencesOf<Row>) =>
  ({ property, record }: ShowPropertyProps) => {
    const steps = useLoadedSteps(record.params['formId'] as number);
    const rows = (flat.get(record.params, property.path) ?? []) as Row[];
    return (
      <SentencesValue property={property}>
        {rows.length === 0 ? ['None'] : steps.length > 0 ? sentencesOf(rows, steps) : []}
      </SentencesValue>
    );
  };

interface SentencesValueProps extends Pick<ShowPropertyProps, 'property'> {
  readonly children: readonly string[];
}

/** Sentences as the value of a property. */
export function SentencesValue({ property, children }: SentencesValueProps) {
  const { translateProperty } = useTranslation();
  return (
    <ValueGroup label={translateProperty(property.label, property.resourceId)}>
      {children.map((sentence) => (
        <Text key={sentence}>{sentence}</Text>
      ))}
    </ValueGroup>
  );
}
