import { Box, Input, Label, Text } from '@adminjs/design-system';
import React, { type ChangeEvent, useEffect, useState } from 'react';
import type { TableColumn, TableForm } from './answers-table-json.ts';

/** A page reads the answers of all its columns. */
const MOST_COLUMNS = 20;

interface ColumnChoiceProps {
  readonly form: TableForm;
  readonly columns: readonly TableColumn[];
  readonly onChoose: (ids: readonly number[]) => void;
}

/** Chooses the questions that are columns. They stay in the order of the form. */
export function ColumnChoice({ form, columns, onChoose }: ColumnChoiceProps) {
  const [wanted, setWanted] = useState('');
  // The boxes change at once, and the table when its answers have arrived.
  const [ids, setIds] = useState<readonly number[]>([]);
  const shown = columns.map(({ id }) => id);
  useEffect(() => setIds(shown), [shown.join()]);
  const chosen = new Set(ids);
  const found = form.fields.filter(({ label }) => label.toLowerCase().includes(wanted.trim().toLowerCase()));
  const toggle = (id: number) => {
    if (!chosen.delete(id)) chosen.add(id);
    const next = form.fields.map((field) => field.id).filter((one) => chosen.has(one));
    setIds(next);
    onChoose(next);
  };
  return (
    <details>
      <summary>
        Columns ({columns.length} of {form.fields.length})
      </summary>
      <Box border="default" p="lg" mb="lg" style={{ maxWidth: 640 }}>
        {form.fields.length > 12 && (
          <>
            <Label htmlFor="find-column">Find a question</Label>
            <Input
              id="find-column"
              width={1}
              mb="lg"
              value={wanted}
              onChange={({ target }: ChangeEvent<HTMLInputElement>) => setWanted(target.value)}
            />
          </>
        )}
        <fieldset style={FIELDSET}>
          <legend>
            Questions whose answers are columns, at most {MOST_COLUMNS}. This browser remembers them.
          </legend>
          {found.map(({ id, label, isRetired }) => (
            <label key={id} style={LABEL}>
              <input
                type="checkbox"
                checked={chosen.has(id)}
                disabled={chosen.has(id) ? chosen.size === 1 : chosen.size >= MOST_COLUMNS}
                onChange={() => toggle(id)}
              />
              <span>
                {label} {isRetired && '(retired)'}
              </span>
            </label>
          ))}
        </fieldset>
        {found.length === 0 && <Text>No question contains this text.</Text>}
      </Box>
    </details>
  );
}

const FIELDSET = { border: 0, padding: 0, margin: 0, maxHeight: 320, overflowY: 'auto' } as const;
const LABEL = {
  display: 'flex',
  gap: 8,
  alignItems: 'baseline',
  padding: '6px 0',
  overflowWrap: 'anywhere',
} as const;
