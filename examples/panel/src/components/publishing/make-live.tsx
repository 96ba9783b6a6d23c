import { Box, Button, Icon, Loader, Text } from '@adminjs/design-system';
import type { ActionProps } from 'adminjs';
import React from 'react';
import { Link } from 'react-router-dom';
import { HiddenText } from '../hidden-text.tsx';
import { languageName } from '../languages.ts';
import { isFull, limitSentences } from '../limit-sentences.ts';
import type { LimitsJson } from '../outline/form-outline-json.ts';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';
import type { CheckListJson, FindingJson } from './publishing-json.ts';
import { timeOf } from '../times.ts';
import { useActionData, useFormAction } from './use-form-action.ts';

/** A list to check before a form goes live. Only a form without a question is held back. */
export default function MakeLive({ record }: ActionProps) {
  const id = record?.id ?? '';
  const { data, failure, reload } = useActionData<CheckListJson>(id, 'makeLive', 'checkList');
  const { act, isBusy, failure: refusal } = useFormAction(id);
  if (data === undefined) return failure === '' ? <Loader /> : <Failure message={failure} />;
  const { version, questions, emptySteps, findings, previewedAt, isPreviewCurrent, access, limits } = data;
  const untranslated = data.languages.filter(({ missing }) => missing > 0);
  const makeLive = async () => {
    if (!(await act('makeLive', { version }))) await reload();
  };
  return (
    <Page>
      <Failure message={refusal} />
      <Box as="ul" m="0" p="0" style={{ listStyle: 'none' }}>
        <Item state={questions === 0 ? 'missing' : emptySteps.length > 0 ? 'look' : 'done'} title="Questions">
          {questions === 0
            ? 'The form has no question yet. Add one first.'
            : `The form has ${questions} question${questions === 1 ? '' : 's'}.`}
          {questions > 0 &&
            emptySteps.length > 0 &&
            ` Without a question: ${emptySteps.map((title) => `“${title}”`).join(', ')}.`}
        </Item>
        <Item state={findings.length === 0 ? 'done' : 'look'} title="Rules and conditions">
          {findings.length === 0 ? 'No probable mistakes.' : 'Probable mistakes:'}
          <Findings findings={findings} />
        </Item>
        {data.languages.length > 0 && (
          <Item state={untranslated.length === 0 ? 'done' : 'look'} title="Languages">
            {untranslated.length === 0
              ? 'All texts are translated.'
              : 'Texts without a translation are shown in the language of the form:'}
            <Untranslated formId={id} languages={untranslated} />
          </Item>
        )}
        <Item state={isPreviewCurrent ? 'done' : 'look'} title="Preview">
          {previewSentence(previewedAt, isPreviewCurrent)}{' '}
          {!isPreviewCurrent && (
            <Link style={{ color: 'inherit' }} to={`/admin/resources/forms/records/${id}/show`}>
              Open the form to preview it
            </Link>
          )}
        </Item>
        <Item state={limits.hasClosed || isFull(limits) ? 'look' : 'done'} title="When and how many">
          {limitSentence(limits)}
        </Item>
        <Item state="done" title="Who can fill it in">
          {access === 'public'
            ? 'Everybody: the form is public.'
            : 'People with a token. To open it for everybody, choose “Anyone, without an account” in Settings.'}
        </Item>
      </Box>
      <Box mt="xl" flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
        <Button variant="contained" disabled={isBusy || questions === 0} onClick={() => void makeLive()}>
          Make it live
        </Button>
        <Button as={Link} variant="outlined" to={`/admin/resources/forms/records/${id}/show`}>
          Not yet
        </Button>
      </Box>
    </Page>
  );
}

const STATES = {
  done: { icon: 'Check', label: 'Done:' },
  look: { icon: 'AlertTriangle', label: 'Have a look:' },
  missing: { icon: 'X', label: 'Missing:' },
} as const;

interface ItemProps {
  readonly state: keyof typeof STATES;
  readonly title: string;
  readonly children: React.ReactNode;
}

function Item({ state, title, children }: ItemProps) {
  const { icon, label } = STATES[state];
  return (
    <Box
      as="li"
      flex
      flexDirection="row"
      py="lg"
      style={{ gap: 16 }}
      borderBottom="default"
      data-state={state}
    >
      <Icon icon={icon} size={20} aria-hidden />
      <Box flexGrow={1} style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Text as="span" fontWeight="bold">
          <HiddenText>{label} </HiddenText>
          {title}
        </Text>
        <Text as="div" mt="sm">
          {children}
        </Text>
      </Box>
    </Box>
  );
}

function Findings({ findings }: { readonly findings: readonly FindingJson[] }) {
  return (
    <ul style={{ paddingLeft: 20, margin: '8px 0 0', listStyle: 'disc' }}>
      {findings.map(({ place, href, message }, index) => (
        <li key={index} style={{ padding: '4px 0' }}>
          {href !== null ? (
            <Link style={{ color: 'inherit' }} to={href}>
              {place}
            </Link>
          ) : (
            place
          )}{' '}
          {message}.
        </li>
      ))}
    </ul>
  );
}

interface UntranslatedProps extends Pick<CheckListJson, 'languages'> {
  readonly formId: string;
}

function Untranslated({ formId, languages }: UntranslatedProps) {
  return (
    <ul style={{ paddingLeft: 20, margin: '8px 0 0', listStyle: 'disc' }}>
      {languages.map(({ locale, missing }) => (
        <li key={locale} style={{ padding: '4px 0' }}>
          <Link
            style={{ color: 'inherit' }}
            to={`/admin/resources/forms/records/${formId}/translations?locale=${locale}`}
          >
            {languageName(locale)}
          </Link>{' '}
          lacks {missing} text{missing === 1 ? '' : 's'}.
        </li>
      ))}
    </ul>
  );
}

function limitSentence(limits: LimitsJson): string {
  const sentences = limitSentences(limits).map((sentence) => `${sentence}. `);
  if (limits.hasClosed || isFull(limits))
    sentences.push('Nobody can begin to fill it in. Change this in Settings.');
  return sentences.join('') || 'Always open, for any number of submissions.';
}

function previewSentence(previewedAt: string | null, isCurrent: boolean): string {
  if (previewedAt === null) return 'Nobody has previewed the form in the last day.';
  return isCurrent
    ? `Somebody has previewed the form since its last change, on ${timeOf(previewedAt)}.`
    : `The form has changed since its last preview, on ${timeOf(previewedAt)}.`;
}
