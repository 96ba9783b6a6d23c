import {
  Badge,
  Box,
  Button,
  H3,
  H5,
  Input,
  Label,
  Link as PlainLink,
  MessageBox,
  Text,
} from '@adminjs/design-system';
import { ApiClient, type ShowPropertyProps, useNotice } from 'adminjs';
import React, { type FocusEvent, useState } from 'react';
import { Link } from 'react-router-dom';

export interface OutlineOfForm {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly version: number;
  /** The person who made the version, or null. */
  readonly updatedBy: string | null;
  readonly updatedAt: string;
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

/** A token with which the operator can fill in the form for an hour. */
export interface IssuedPreview {
  readonly plainToken: string;
  /** URL of the form in the renderer, with the token. */
  readonly url: string;
  readonly expiresAt: string;
}

interface OutlineOfField {
  readonly id: number;
  readonly code: string;
  readonly label: string;
  readonly type: string;
  readonly entity: string | undefined;
  readonly isRequired: boolean;
  readonly isRetired: boolean;
  /** Actions of its conditions, such as `show`. */
  readonly actions: readonly string[];
}

/** Shows the steps, fields and entities of a form, with links to edit them. */
export default function FormOutline({ record }: ShowPropertyProps) {
  const outline = JSON.parse(String(record.params['outline'])) as OutlineOfForm;
  const { id, name, slug, version, updatedBy, updatedAt, steps, entities } = outline;
  const [preview, issuePreview] = usePreview(id);
  return (
    <Box mb="xl">
      <H3>{name}</H3>
      <Text mb="lg">
        Version {version}, changed{updatedBy && ` by ${updatedBy}`} on {new Date(updatedAt).toLocaleString()}
      </Text>
      <Box flex flexDirection="row" flexWrap="wrap" mb="xl" style={{ gap: 8 }}>
        <Button variant="contained" onClick={issuePreview}>
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
      {preview && <Preview {...preview} />}
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
              {field.isRetired && <Badge size="sm">retired</Badge>}
              {field.isRequired && !field.isRetired && <Badge size="sm">required</Badge>}
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

/** Issues a token only on a click, so that reloading the page issues none. */
function usePreview(formId: number) {
  const [preview, setPreview] = useState<IssuedPreview>();
  const notify = useNotice();
  const issue = () => {
    const action = { resourceId: 'forms', recordId: String(formId), actionName: 'preview' };
    void new ApiClient()
      .recordAction({ ...action, method: 'post' })
      .then(({ data }) => setPreview((data as { preview?: IssuedPreview }).preview))
      .catch(() => notify({ message: 'The preview failed. Reload the page, and try again.', type: 'error' }));
  };
  return [preview, issue] as const;
}

function Preview({ plainToken, url, expiresAt }: IssuedPreview) {
  const time = new Date(expiresAt).toLocaleTimeString(undefined, { timeStyle: 'short' });
  return (
    <MessageBox mb="xl" variant="info" message={`Preview until ${time}`} data-testid="preview">
      <Text mb="default">
        The token is for this form only, even while the form is inactive. Its submissions are tests: exports,
        webhooks and counts leave them out, and they are deleted after a day. The token is shown only once.
      </Text>
      <Label htmlFor="preview-token">Token</Label>
      <Input
        id="preview-token"
        readOnly
        width={1}
        mb="default"
        value={plainToken}
        onFocus={(event: FocusEvent<HTMLInputElement>) => event.target.select()}
      />
      <Button as="a" href={url} target="_blank" rel="noreferrer">
        Open the form
      </Button>
    </MessageBox>
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
