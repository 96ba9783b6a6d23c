import { Text } from '@adminjs/design-system';
import React from 'react';

/** The conditions of a part of a form, as sentences. */
export function ConditionWords({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <>
      {sentences.map((sentence) => (
        <Text key={sentence} color="grey60" fontSize="sm" style={{ flexBasis: '100%' }}>
          {sentence}
        </Text>
      ))}
    </>
  );
}
