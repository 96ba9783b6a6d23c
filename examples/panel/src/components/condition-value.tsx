import { Select } from '@adminjs/design-system';
import { BasePropertyComponent, type EditPropertyProps } from 'adminjs';
import React from 'react';
import { itemsOf, valueOf, valuesIn } from './condition-sentences.js';
import { DateBoundInput } from './date-bound.tsx';
import { Labelled } from './labelled.tsx';
import { dateBoundOf } from './relative-dates.js';
import { rowOf, useNeeded } from './row-cells.js';
import { fieldsById, type TestedOption } from './tested-fields.js';
import { useTestedSteps } from './tested-steps.js';

/** Edits the value of a condition: a date, a choice of the tested field's options, a text, or nothing if the condition needs no value. */
export default function ConditionValue(props: EditPropertyProps) {
  const condition = rowOf(props);
  const { dependsOnFieldId, operator, value, valueFieldId } = condition;
  const field = fieldsById(useTestedSteps()).get(String(dependsOnFieldId));
  const kind = valueOf(operator);
  const isList = kind === 'list';
  if (!useNeeded(kind !== 'none' && !valueFieldId, props)) return null;

  const bound = dateBoundOf(value ?? '');
  if (bound && kind === 'date') return <DateBoundInput {...props} bound={bound} hasToday />;
  // Only the operators of dates know today.
  if (bound?.from === 'date' && field?.held === 'date' && kind === 'text')
    return <DateBoundInput {...props} bound={bound} hasToday={false} />;
  if (field !== undefined && field.options.length > 0 && kind !== 'number')
    return <ChosenValue {...props} options={field.options} chosen={valuesIn(condition)} isList={isList} />;
  const description = isList ? 'Several values, separated by commas' : undefined;
  const text = { ...props.property, ...(description && { description }), components: {} };
  return <BasePropertyComponent {...props} property={text} />;
}

interface ChosenValueProps extends EditPropertyProps {
  readonly options: readonly TestedOption[];
  readonly chosen: readonly string[];
  readonly isList: boolean;
}

function ChosenValue({ options, chosen, isList, ...props }: ChosenValueProps) {
  const { path } = props.property;
  const choices = [
    // A list cannot contain an option with a comma, or with white space at an end.
    ...options.filter(({ value }) => !isList || (itemsOf(value)[0] === value && itemsOf(value).length === 1)),
    ...chosen
      .filter((one) => options.every((option) => option.value !== one))
      .map((one) => ({ value: one, label: `${one} (no option)` })),
  ];
  const selected = choices.filter((choice) => chosen.includes(choice.value));
  return (
    <Labelled {...props}>
      <Select
        inputId={path}
        isMulti={isList}
        closeMenuOnSelect={!isList}
        hideSelectedOptions={false}
        isClearable={false}
        value={isList ? selected : (selected[0] ?? null)}
        options={choices}
        onChange={(choice: TestedOption | readonly TestedOption[]) =>
          props.onChange(
            path,
            [choice]
              .flat()
              .map((one) => one.value)
              .join(','),
          )
        }
      />
    </Labelled>
  );
}
