import { Badge, Box, Button, H3, H5, Link as PlainLink, Text } from '@adminjs/design-system';
import type { ShowPropertyProps } from 'adminjs';
import React from 'react';
import { Link } from 'react-router-dom';

export interface OutlineOfForm {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** URL of the form in the renderer. */
  readonly preview: string;
  readonly steps: readonly {
    readonly id: number;
    readonly title: string;
    /** Actions of its conditions, such as `show`. */
    readonly actions: readonly string[];
    readonly fields: readonly OutlineOfField[];
  }[];
  readonly entities: readonly {
    readonly id: number;
    readonly label: string;
    readonly actions: readonly string[];
  }[];
}

interface OutlineOfField {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly type: string;
  readonly entity: string | undefined;
  readonly isRequired: boolean;
  /** Actions of its conditions, such as `show`. */
  readonly actions: readonly string[];
}

/** Shows the steps, fields and entities of a form, with links to edit them. */
export default function FormOutline({ record }: ShowPropertyProps) {
  const outline = JSON.parse(String(record.params['outline'])) as OutlineOfForm;
  const { id, name, slug, preview, steps, entities } = outline;
  return (
    <Box mb="xl">
      <H3>{name}</H3>
      <Box flex flexDirection="row" flexWrap="wrap" mb="xl" style={{ gap: 8 }}>
        <Button as="a" href={preview} target="_blank" rel="noreferrer" variant="contained">
          Preview
        </Button>
        <Button as={Link} to={`/admin/resources/submissions?filters.formId=${id}`}>
          Submissions
        </Button>
        <Button as="a" href={`/admin/export/${slug}.csv`}>
          Export as CSV
        </Button>
        <Button as="a" href={`/admin/export/${slug}.ndjson`}>
          Export as JSON lines
        </Button>
      </Box>
      {steps.length === 0 && <Text mb="lg">The form has no steps yet: edit it to add some.</Text>}
      {steps.map((step, index) => (
        <Box key={step.id} mb="xl" data-testid={`step-${index + 1}`}>
          <H5 as="h4">
            {index + 1}. {step.title} <Actions actions={step.actions} />
          </H5>
          {step.fields.map((field) => (
            <Box
              key={field.id}
              py="default"
              flex
              flexDirection="row"
              flexWrap="wrap"
              alignItems="center"
              style={{ gap: 8 }}
            >
              <PlainLink as={Link} to={`/admin/resources/fields/records/${field.id}/edit`}>
                {field.label || field.code}
              </PlainLink>
              <Text as="span" color="grey60">
                {field.type}
              </Text>
              {field.isRequired && <Badge size="sm">required</Badge>}
              <Actions actions={field.actions} />
              {field.entity && (
                <Badge size="sm" variant="secondary">
                  {field.entity}
                </Badge>
              )}
            </Box>
          ))}
          <Button
            as={Link}
            size="sm"
            mt="default"
            to={`/admin/resources/fields/actions/new?formId=${id}&stepId=${step.id}`}
          >
            Add a field to {step.title}
          </Button>
          <ConditionsLink resource="steps" id={step.id} title={step.title} />
        </Box>
      ))}
      {entities.map((entity) => (
        <Box key={entity.id} mb="xl" data-testid={`entity-${entity.id}`}>
          <H5 as="h4">
            {entity.label} <Actions actions={entity.actions} />
          </H5>
          <ConditionsLink resource="entities" id={entity.id} title={entity.label} />
        </Box>
      ))}
    </Box>
  );
}

/** The effects of conditions. */
function Actions({ actions }: { actions: readonly string[] }) {
  return (
    <>
      {actions.map((action) => (
        <Badge key={action} size="sm" variant="info">
          {action} if …
        </Badge>
      ))}
    </>
  );
}

interface ConditionsLinkProps {
  readonly resource: 'steps' | 'entities';
  readonly id: number;
  readonly title: string;
}

function ConditionsLink({ resource, id, title }: ConditionsLinkProps) {
  return (
    <Button as={Link} size="sm" mt="default" to={`/admin/resources/${resource}/records/${id}/edit`}>
      Conditions of {title}
    </Button>
  );
}
