import { Button } from '@adminjs/design-system';
import React from 'react';
import { Link } from 'react-router-dom';

interface ConditionsLinkProps {
  readonly resource: 'steps' | 'entities';
  readonly id: number;
  readonly title: string;
}

export function ConditionsLink({ resource, id, title }: ConditionsLinkProps) {
  return (
    <Button as={Link} size="sm" mt="default" to={`/admin/resources/${resource}/records/${id}/edit`}>
      Conditions of {title}
    </Button>
  );
}
