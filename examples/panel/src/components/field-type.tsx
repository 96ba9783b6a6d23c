import { FormGroup, FormMessage } from '@adminjs/design-system';
import { ApiClient, type EditPropertyProps, type RecordJSON } from 'adminjs';
import React, { useEffect, useState } from 'react';
import { TypeTiles } from './type-tiles.tsx';

/** Chooses the type of a field. */
export default function FieldType({ property, record, onChange }: EditPropertyProps) {
  const [types, setTypes] = useState<readonly RecordJSON[]>([]);
  const error = record.errors[property.path];
  useEffect(() => {
    const params = { perPage: 500 };
    void new ApiClient()
      .resourceAction({ resourceId: 'field_types', actionName: 'search', params })
      .then(({ data }) => setTypes((data as { records: RecordJSON[] }).records));
  }, []);
  const choices = types.map((type) => ({
    id: Number(type.id),
    name: String(type.params['name']),
    component: String(type.params['component']),
    type,
  }));
  return (
    <FormGroup error={Boolean(error)} data-testid={`property-edit-${property.path}`}>
      <TypeTiles
        name={property.path}
        types={choices}
        chosen={Number(record.params[property.path])}
        // The record, because other inputs depend on the component.
        onChoose={({ id, type }) => onChange(property.path, String(id), type)}
      />
      <FormMessage>{error?.message}</FormMessage>
    </FormGroup>
  );
}
