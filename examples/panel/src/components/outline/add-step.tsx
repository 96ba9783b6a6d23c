import { Box, Button, Input, Label, Text } from '@adminjs/design-system';
import { ApiClient, useNotice } from 'adminjs';
import React, { type ChangeEvent, type FormEvent, useRef, useState } from 'react';
import type { FormOutlineJson } from './form-outline-json.ts';
import { outlineIn } from './load-outline.ts';
import { Opener } from './opener.tsx';

interface AddStepProps {
  readonly outline: FormOutlineJson;
  readonly onAdded: (outline: FormOutlineJson) => void;
}

/** A button that opens a form for new steps. It is open in a form without steps. */
export function AddStep(props: AddStepProps) {
  return (
    <Opener label="Add a step" isOpenAtFirst={props.outline.steps.length === 0}>
      <NewStep {...props} />
    </Opener>
  );
}

function NewStep({ outline, onAdded }: AddStepProps) {
  const [title, setTitle] = useState('');
  const [added, setAdded] = useState('');
  const [isSaving, setSaving] = useState(false);
  const titleInput = useRef<HTMLInputElement>(null);
  const notify = useNotice();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving || title.trim() === '') return;
    setSaving(true);
    try {
      onAdded(await save(outline.id, title.trim()));
      setAdded(`Added “${title.trim()}”.`);
      setTitle('');
    } catch {
      notify({ message: 'The change failed. Reload the page, and try again.', type: 'error' });
    } finally {
      setSaving(false);
      titleInput.current?.focus();
    }
  };

  return (
    <Box
      as="form"
      aria-label="New step"
      border="default"
      mt="default"
      mb="xl"
      p="lg"
      onSubmit={(event: FormEvent) => void submit(event)}
    >
      <Label htmlFor="new-step-title">Title</Label>
      <Input
        id="new-step-title"
        ref={titleInput}
        width={1}
        required
        maxLength={255}
        autoFocus
        value={title}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => setTitle(target.value)}
      />
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" mt="lg" style={{ gap: 16 }}>
        <Button type="submit" variant="contained" aria-disabled={isSaving}>
          Add
        </Button>
        <Text role="status" color="grey60">
          {added}
        </Text>
      </Box>
    </Box>
  );
}

async function save(formId: number, title: string): Promise<FormOutlineJson> {
  const action = { resourceId: 'forms', recordId: String(formId), actionName: 'addStep' };
  const { data } = await new ApiClient().recordAction({ ...action, method: 'post', data: { title } });
  return outlineIn(data.record);
}
