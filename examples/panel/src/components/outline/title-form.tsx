import { Box, Input, Label, Text } from '@adminjs/design-system';
import { ApiClient, useNotice } from 'adminjs';
import React, { type ChangeEvent, useId, useRef, useState } from 'react';
import type { FormOutlineJson } from './form-outline-json.ts';
import { outlineIn } from './load-outline.ts';
import { NewPart } from './new-part.tsx';

interface TitleFormProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly formId: number;
  /** The action of forms that adds a part with this title. */
  readonly action: 'addStep' | 'addGroup';
  readonly onAdded: (outline: FormOutlineJson) => void;
}

/** Adds a part of a form by its title. */
export function TitleForm({ name, label, hint, formId, action, onAdded }: TitleFormProps) {
  const [title, setTitle] = useState('');
  const [added, setAdded] = useState('');
  const [isSaving, setSaving] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const notify = useNotice();
  const id = useId();

  const submit = async () => {
    if (title.trim() === '') return;
    setSaving(true);
    try {
      onAdded(await save(formId, action, title.trim()));
      setAdded(`Added “${title.trim()}”.`);
      setTitle('');
    } catch {
      notify({ message: 'The change failed. Reload the page, and try again.', type: 'error' });
    } finally {
      setSaving(false);
      input.current?.focus();
    }
  };

  return (
    <NewPart {...{ name, isSaving, added }} onSubmit={submit}>
      <Box>
        <Label htmlFor={id}>{label}</Label>
        {hint !== undefined && (
          <Text id={`${id}-hint`} color="grey60" fontSize="sm" mb="sm">
            {hint}
          </Text>
        )}
        <Input
          id={id}
          ref={input}
          width={1}
          required
          maxLength={255}
          autoFocus
          {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
          value={title}
          onChange={({ target }: ChangeEvent<HTMLInputElement>) => setTitle(target.value)}
        />
      </Box>
    </NewPart>
  );
}

async function save(formId: number, actionName: string, title: string): Promise<FormOutlineJson> {
  const action = { resourceId: 'forms', recordId: String(formId), actionName };
  const { data } = await new ApiClient().recordAction({ ...action, method: 'post', data: { title } });
  return outlineIn(data.record);
}
