import React from 'react';
import type { FormOutlineJson } from './form-outline-json.ts';
import { Opener } from './opener.tsx';
import { TitleForm } from './title-form.tsx';

interface AddStepProps {
  readonly outline: FormOutlineJson;
  readonly onAdded: (outline: FormOutlineJson) => void;
}

/** A button that opens a form for new steps. It is open in a form without steps. */
export function AddStep({ outline, onAdded }: AddStepProps) {
  return (
    <Opener label="Add a step" isOpenAtFirst={outline.steps.length === 0}>
      <TitleForm name="New step" label="Title" formId={outline.id} action="addStep" onAdded={onAdded} />
    </Opener>
  );
}
