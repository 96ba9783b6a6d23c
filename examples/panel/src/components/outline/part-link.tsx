import { Button, Icon } from '@adminjs/design-system';
import React from 'react';
import { Link } from 'react-router-dom';

interface PartLinkProps {
  readonly resource: 'steps' | 'entities';
  readonly id: number;
  readonly title: string;
}

/** Opens the page of a step or a group, with its conditions. */
export function PartLink({ resource, id, title }: PartLinkProps) {
  const label = resource === 'steps' ? 'Edit step' : 'Edit group';
  return (
    <Button
      as={Link}
      size="sm"
      aria-label={`${label} ${title}`}
      to={`/admin/resources/${resource}/records/${id}/edit`}
    >
      <Icon icon="Sliders" />
      {label}
    </Button>
  );
}
