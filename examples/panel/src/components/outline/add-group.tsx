import React, { useState } from 'react';
import type { FormOutlineJson, StepJson } from './form-outline-json.ts';
import { Opener } from './opener.tsx';
import { TitleForm } from './title-form.tsx';

interface AddGroupProps {
  readonly outline: FormOutlineJson;
  readonly step: StepJson;
  /** Called with the id of the new group. */
  readonly onAdded: (outline: FormOutlineJson, entityId: number) => void;
}

/** A button that opens a form for a new repeating group. It closes after that, because the group's fields come next. */
export function AddGroup({ outline, step, onAdded }: AddGroupProps) {
  const [count, setCount] = useState(0);
  return (
    <Opener key={count} label="Add a repeating group" place={`to ${step.title}`}>
      <TitleForm
        name={`New repeating group in ${step.title}`}
        label="An entry is called…"
        hint="In the singular, such as Participant. People add an entry for each one"
        formId={outline.id}
        action="addGroup"
        onAdded={(changed) => {
          const added = changed.entities.find(({ id }) => outline.entities.every((one) => one.id !== id));
          setCount(count + 1);
          if (added !== undefined) onAdded(changed, added.id);
        }}
      />
    </Opener>
  );
}
