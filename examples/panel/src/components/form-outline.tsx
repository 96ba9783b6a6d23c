import { Badge, Box, Text } from '@adminjs/design-system';
import { type RecordJSON, type ShowPropertyProps, useNotice } from 'adminjs';
import React, { useEffect, useState } from 'react';
import { CopiedText } from './copied-text.tsx';
import { FormBar } from './form-bar.tsx';
import { HiddenText } from './hidden-text.tsx';
import { keepingSentences } from './keeping-sentences.ts';
import { isFull, limitSentences } from './limit-sentences.ts';
import { AddStep } from './outline/add-step.tsx';
import type { Begun } from './outline/blocks.ts';
import type { KeepingJson, LimitsJson } from './outline/form-outline-json.ts';
import { loadOutline, outlineIn } from './outline/load-outline.ts';
import { Preview, usePreview } from './outline/preview.tsx';
import { StepOutline } from './outline/step-outline.tsx';
import { useArranging } from './outline/use-arranging.ts';
import { Publishing } from './publishing/publishing.tsx';
import { languageName } from './languages.ts';
import { languagesIn } from './shown-languages.tsx';
import { timeOf } from './times.ts';

/** Shows the steps, fields and groups of a form, to add and move them, beside a preview. */
export default function FormOutline({ record }: ShowPropertyProps) {
  // After saving, AdminJS renders the page once with the record of the edit page, which has no outline.
  return record.params['outline'] === undefined ? null : <Outline record={record} />;
}

function Outline({ record }: { record: RecordJSON }) {
  const [outline, setOutline] = useState(() => outlineIn(record));
  useEffect(() => setOutline(outlineIn(record)), [record.params['outline']]);
  const arranging = useArranging(outline, setOutline);
  const [begun, setBegun] = useState<Begun>(new Map());
  const { id, slug, version, updatedBy, updatedAt, limits, keeping, steps } = outline;
  const { isActive, access } = record.params as { isActive: boolean; access: string };
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
    // Positioned, because the announcement would otherwise be placed below the page, and make it scroll.
    <Box mb="xl" position="relative">
      <FormBar record={record} slug={slug} onPreview={issuePreview} />
      <Text mb="default" style={{ overflowWrap: 'anywhere' }}>
        <Badge size="sm">{isActive ? 'Live' : 'Not live'}</Badge> <Closed limits={limits} />
        {access === 'public' ? 'Anyone can fill it in' : 'Only people with a token can fill it in'}. Version{' '}
        {version}, changed{updatedBy && ` by ${updatedBy}`} on {timeOf(updatedAt)}
      </Text>
      <LimitWords limits={limits} />
      <KeepingWords keeping={keeping} />
      <LanguageWords languages={languagesIn(record.params)} />
      <Publishing record={record} />
      <style>{COLUMNS}</style>
      <div className="outline-columns">
        {/* First, so that it is above the outline on a narrow screen. */}
        {preview && <Preview preview={preview} version={version} />}
        <div>
          {steps.length === 0 && <Text>The form has no steps yet.</Text>}
          {steps.map((step, index) => (
            <StepOutline
              key={step.id}
              {...{ outline, index, step, begun, arranging }}
              onAdded={reload}
              onBegun={(changed, entityId) => {
                setBegun(new Map(begun).set(entityId, step.id));
                setOutline(changed);
              }}
            />
          ))}
          <div className="outline-adders">
            <AddStep outline={outline} onAdded={setOutline} />
          </div>
          <Names slug={slug} uuid={String(record.params['uuid'])} />
          <HiddenText role="status">{arranging.announcement}</HiddenText>
        </div>
      </div>
    </Box>
  );
}

/** The first column is on the right. */
const COLUMNS = `
  .outline-columns { display: flex; flex-flow: row-reverse wrap; align-items: flex-start; gap: 32px; }
  .outline-columns > * { flex: 1 1 380px; min-width: 0; }
  .outline-adders { display: flex; flex-wrap: wrap; gap: 8px; }
  /* An open form is below all buttons of its row. */
  .outline-adders > .opened { flex: 1 0 100%; order: 1; }
`;

interface LimitsProps {
  readonly limits: LimitsJson;
}

/** Says why nobody can begin to fill the form in, even if it is live. */
function Closed({ limits }: LimitsProps) {
  const reasons = { 'Not open yet': !limits.hasOpened, Closed: limits.hasClosed, Full: isFull(limits) };
  return Object.entries(reasons)
    .filter(([, isTrue]) => isTrue)
    .map(([reason]) => (
      <React.Fragment key={reason}>
        <Badge size="sm">{reason}</Badge>{' '}
      </React.Fragment>
    ));
}

function LimitWords({ limits }: LimitsProps) {
  const sentences = limitSentences(limits);
  return sentences.length === 0 ? null : (
    <Text mb="default" data-testid="limits">
      {sentences.join('. ')}.
    </Text>
  );
}

function KeepingWords({ keeping }: { readonly keeping: KeepingJson }) {
  const sentences = keepingSentences(keeping);
  return sentences.length === 0 ? null : (
    <Text mb="default" data-testid="keeping">
      {sentences.join('. ')}.
    </Text>
  );
}

function LanguageWords({ languages }: { readonly languages: readonly string[] }) {
  return languages.length === 0 ? null : (
    <Text mb="default" data-testid="languages">
      In {languages.map(languageName).join(', ')}.
    </Text>
  );
}

/** The names by which programs find the form. */
function Names({ slug, uuid }: { readonly slug: string; readonly uuid: string }) {
  return (
    <Box mt="xxl" style={{ maxWidth: 640 }}>
      <CopiedText id="form-slug" label="Slug" text={slug} />
      <CopiedText id="form-uuid" label="UUID" text={uuid} />
    </Box>
  );
}
