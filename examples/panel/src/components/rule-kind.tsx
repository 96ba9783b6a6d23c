import type { EditPropertyProps } from 'adminjs';
import React from 'react';
import { FittingChoices } from './fitting-choices.tsx';
import { fitsHeld } from './rule-sentences.js';
import type { Held } from './tested-fields.js';

/** Selects a kind of rule that fits the type of the field. `custom.held` has the kind of value of each component. */
export default function RuleKind(props: EditPropertyProps) {
  const { populated, params } = props.record;
  const { held } = props.property.custom as { readonly held: Readonly<Record<string, Held>> };
  const own = held[String(populated['fieldTypeId']?.params['component'])] ?? 'text';
  const isRepeatable = String(params['isRepeatable']) === 'true';
  return <FittingChoices {...props} fits={(kind) => fitsHeld(kind, own, isRepeatable)} />;
}
