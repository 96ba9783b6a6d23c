import { Box, Button, formatDateProperty, H3, Text } from '@adminjs/design-system';
import { type RecordJSON, type ShowPropertyProps, useNotice } from 'adminjs';
import React, { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { ConditionWords } from './condition-words.tsx';
import { AddStep } from './outline/add-step.tsx';
import { ConditionsLink } from './outline/conditions.tsx';
import type { EntityJson, FormOutlineJson } from './outline/form-outline-json.ts';
import { loadOutline, outlineIn } from './outline/load-outline.ts';
import { Preview, usePreview } from './outline/preview.tsx';
import { StepOutline } from './outline/step-outline.tsx';
import { useArranging } from './outline/use-arranging.ts';

/** Shows the steps, fields and entities of a form, to add and move them, beside a preview. */
export default function FormOutline({ record }: ShowPropertyProps) {
  // After saving, AdminJS renders the page once with the record of the edit page, which has no outline.
  return record.params['outline'] === undefined ? null : <Outline record={record} />;
}

function Outline({ record }: { record: RecordJSON }) {
  const [outline, setOutline] = useState(() => outlineIn(record));
  useEffect(() => setOutline(outlineIn(record)), [record.params['outline']]);
  const arranging = useArranging(outline, setOutline);
  const { id, version, updatedBy, updatedAt, steps, entities } = outline;
  const [preview, issuePreview] = usePreview(id);
  const notify = useNotice();
  const reload = async () => {
    try {
      setOutline(await loadOutline(id));
    } catch {
      notify({ message: 'The page does not show the new field yet. Reload the page.', type: 'error' });
    }
  };
  return (
    <Box mb="xl">
      <Text mb="lg">
        Version {version}, changed{updatedBy && ` by ${updatedBy}`} on{' '}
        {formatDateProperty(new Date(updatedAt))}
      </Text>
      <Buttons {...outline} onPreview={issuePreview} />
      <style>{COLUMNS}</style>
      <div className="outline-columns">
        {/* First, so that it is above the outline on a narrow screen. */}
        {preview && <Preview preview={preview} version={version} />}
        <div>
          {steps.length === 0 && <Text>The form has no steps yet.</Text>}
          {steps.map((step, index) => (
            <StepOutline key={step.id} {...{ outline, index, step, arranging }} onAdded={reload} />
          ))}
          <Box mb="xl">
            <AddStep outline={outline} onAdded={setOutline} />
          </Box>
          {entities.map((entity) => (
            <EntityOutline key={entity.id} {...entity} />
          ))}
          <Text role="status" style={HIDDEN}>
            {arranging.announcement}
          </Text>
        </div>
      </div>
    </Box>
  );
}

/** The first column is on the right. */
const COLUMNS = `
  .outline-columns { display: flex; flex-flow: row-reverse wrap; align-items: flex-start; gap: 32px; }
  .outline-columns > * { flex: 1 1 380px; min-width: 0; }
`;

/** Hidden, except from screen readers. */
const HIDDEN = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;

function Buttons({ id, slug, onPreview }: FormOutlineJson & { onPreview: () => void }) {
  return (
    <Box flex flexDirection="row" flexWrap="wrap" mb="xl" style={{ gap: 8 }}>
      <Button variant="contained" onClick={onPreview}>
        Preview
      </Button>
      <Button as={Link} variant="outlined" to={`/admin/resources/submissions?filters.formId=${id}`}>
        Submissions
      </Button>
      <Button as="a" variant="outlined" href={`/admin/export/${slug}.csv`}>
        Export as CSV
      </Button>
      <Button as="a" variant="outlined" href={`/admin/export/${slug}.ndjson`}>
        Export as JSON lines
      </Button>
    </Box>
  );
}

function EntityOutline({ id, label, conditions }: EntityJson) {
  return (
    <Box mb="xl" data-testid={`entity-${id}`}>
      <H3 as="h3" fontSize="h4" marginTop={0} marginBottom={0}>
        {label} <Text as="span">entity</Text>
      </H3>
      <ConditionWords sentences={conditions} />
      <ConditionsLink resource="entities" id={id} title={label} />
    </Box>
  );
}
