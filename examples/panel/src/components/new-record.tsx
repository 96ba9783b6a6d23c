import type { ActionProps, RecordJSON } from 'adminjs';
import React, { type ComponentType, useMemo } from 'react';

type NewRecordProps = ActionProps & { readonly OriginalComponent: ComponentType<ActionProps> };

/** AdminJS's page for a new record, filled with the values in `custom.initial` of the action. */
export default function NewRecord({ OriginalComponent, ...props }: NewRecordProps) {
  const initial = props.action.custom['initial'] as RecordJSON['params'] | undefined;
  const record = useMemo(
    () => ({ params: initial ?? {}, errors: {}, populated: {} }) as unknown as RecordJSON,
    [initial],
  );
  return <OriginalComponent {...props} record={record} />;
}
