import { FormGroup, FormMessage, Input } from '@adminjs/design-system';
import { type EditPropertyProps, flat, PropertyLabel, type RecordJSON } from 'adminjs';
import React, { type ChangeEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CODES, type Naming, OPTION_VALUES, proposedName } from './names.ts';
import { loadOutline, namesIn } from './outline/load-outline.ts';

type Params = RecordJSON['params'];

/** By the name of the property. */
const NAMINGS: Readonly<Record<string, Naming>> = {
  code: CODES,
  value: OPTION_VALUES,
};

/** Edits a name for programs, also in a row. Proposes one for a new record or row, until the person types another one. */
export default function ProposedName({ property, record, onChange }: EditPropertyProps) {
  const { name, path } = property;
  // A path in a row is options.0.value, for example.
  const [list = '', index] = path.split('.');
  const rows = index === undefined ? [record.params] : (flat.get(record.params, list) as Params[]);
  const row = rows[Number(index ?? 0)] ?? {};
  const label = String(row['label'] ?? '');
  const value = String(row[name] ?? '');
  const form: unknown = name === 'code' ? record.params['formId'] : undefined;
  const error = record.errors[path];
  const input = useRef<HTMLInputElement>(null);
  const proposal = useRef('');
  const [hasTyped, setTyped] = useState(false);
  // Another value than the proposal is that of a row which was moved here.
  const isOwn = hasTyped || Boolean(row['id']) || value !== proposal.current;

  useEffect(() => {
    const naming = NAMINGS[name];
    if (isOwn || label === '' || naming === undefined) return undefined;
    let isCurrent = true;
    const inOtherRows = rows.filter((other) => other !== row).map((other) => String(other[name] ?? ''));
    const propose = (taken: Iterable<string>) => {
      if (!isCurrent) return;
      proposal.current = proposedName(label, naming, new Set([...inOtherRows, ...taken]));
      onChange(path, proposal.current);
    };
    // At once, so that the form can be saved. The database rejects a name that is taken, too.
    propose([]);
    void namesInForm(form).then(propose, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [isOwn, label, form]);

  // AdminJS reports the label when the person leaves its input, often to this one: what is typed replaces the proposal.
  useLayoutEffect(() => {
    if (!isOwn && document.activeElement === input.current) input.current?.select();
  }, [isOwn, value]);

  return (
    <FormGroup error={Boolean(error)}>
      <PropertyLabel property={property} />
      <Input
        id={path}
        ref={input}
        name={path}
        required={property.isRequired}
        value={value}
        onChange={(event: ChangeEvent<HTMLInputElement>) => {
          setTyped(true);
          onChange(path, event.target.value);
        }}
      />
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}

/** The names that new fields and entities of the form cannot have. */
async function namesInForm(formId: unknown): Promise<Iterable<string>> {
  return formId ? namesIn(await loadOutline(Number(formId))) : [];
}
