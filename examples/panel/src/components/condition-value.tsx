import { FormGroup, FormMessage, Select } from '@adminjs/design-system';
import { BasePropertyComponent, type EditPropertyProps, flat, PropertyLabel } from 'adminjs';
import React, { useEffect } from 'react';
import {
  type ConditionCells,
  itemsOf,
  takesList,
  takesNoValue,
  takesNumber,
  type TestedOption,
  valuesIn,
} from './condition-sentences.js';
import { useTestedSteps } from './tested-steps.js';

/** Edits the value of a condition: a choice of the tested field's options, a text, or nothing if the operator needs no value. */
export default function ConditionValue(props: EditPropertyProps) {
  const { property, record, onChange } = props;
  const condition = flat.get(record.params, property.path.replace(/\.\w+$/, '')) as ConditionCells;
  const { dependsOnFieldId, operator, value } = condition;
  const fields = useTestedSteps().flatMap((step) => step.fields);
  const isNeeded = !takesNoValue(operator);
  useEffect(() => {
    if (!isNeeded && value) onChange(property.path, '');
  }, [isNeeded]);
  if (!isNeeded) return null;

  const options = fields.find(({ id }) => String(id) === String(dependsOnFieldId))?.options ?? [];
  if (options.length > 0 && !takesNumber(operator))
    return (
      <ChosenValue {...props} options={options} chosen={valuesIn(condition)} isList={takesList(operator)} />
    );
  const description = takesList(operator) ? 'Several values, separated by commas' : undefined;
  const text = { ...property, ...(description && { description }), components: {} };
  return <BasePropertyComponent {...props} property={text} />;
}

interface ChosenValueProps extends EditPropertyProps {
  readonly options: readonly TestedOption[];
  readonly chosen: readonly string[];
  readonly isList: boolean;
}

function ChosenValue({ property, record, onChange, options, chosen, isList }: ChosenValueProps) {
  const error = record.errors[property.path];
  const choices = [
    // A list cannot contain an option with a comma, or with white space at an end.
    ...options.filter(({ value }) => !isList || (itemsOf(value)[0] === value && itemsOf(value).length === 1)),
    ...chosen
      .filter((one) => options.every((option) => option.value !== one))
      .map((one) => ({ value: one, label: `${one} (no option)` })),
  ];
  const selected = choices.filter((choice) => chosen.includes(choice.value));
  return (
    <FormGroup error={Boolean(error)}>
      <PropertyLabel property={property} />
      <Select
        inputId={property.path}
        isMulti={isList}
        closeMenuOnSelect={!isList}
        hideSelectedOptions={false}
        isClearable={false}
        value={isList ? selected : (selected[0] ?? null)}
        options={choices}
        onChange={(choice: TestedOption | readonly TestedOption[]) =>
          onChange(
            property.path,
            [choice]
              .flat()
              .map((one) => one.value)
              .join(','),
          )
        }
      />
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
