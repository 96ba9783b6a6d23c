import { Box, Button, MessageBox, Text } from '@adminjs/design-system';
import type { RecordJSON } from 'adminjs';
import React, { useState } from 'react';
import { Link } from 'react-router-dom';
import { Failure } from './failure.tsx';
import type { EditJson, PublishingJson } from './publishing-json.ts';
import { timeOf } from '../times.ts';
import { useFormAction } from './use-form-action.ts';

/** Says on the page of a form what a change does, and who prepares changes. */
export function Publishing({ record }: { readonly record: RecordJSON }) {
  const { formId, isActive, edit } = JSON.parse(String(record.params['publishing'])) as PublishingJson;
  return (
    <Box as="section" aria-label="Publication" mb="xl" style={{ maxWidth: 720 }} data-testid="publishing">
      {edit?.isCopy && <Copy edit={edit} />}
      {edit !== null && !edit.isCopy && <Prepared edit={edit} isActive={isActive} />}
      {edit === null && isActive && <Live formId={formId} />}
      {edit === null && !isActive && (
        <Text>Nobody can begin to fill it in before it is live. “Make it live” checks it first.</Text>
      )}
    </Box>
  );
}

function Live({ formId }: { readonly formId: number }) {
  const { act, isBusy, failure } = useFormAction(formId);
  return (
    <>
      <Failure message={failure} />
      <Row
        text="Each change on this page is live at once, as a version of its own. To change several things together, prepare
        the changes in a copy, and publish them as one version."
      >
        <Button variant="outlined" disabled={isBusy} onClick={() => void act('prepare')}>
          Prepare changes
        </Button>
      </Row>
    </>
  );
}

/** On the page of the live form. */
function Prepared({ edit, isActive }: { readonly edit: EditJson; readonly isActive: boolean }) {
  const { act, isBusy, failure } = useFormAction(edit.formId);
  if (edit.isCopyDeleted)
    return (
      <>
        <Failure message={failure} />
        <Row text={`${whoBegan(edit)}, but the copy with these changes has been deleted.`}>
          {isActive && (
            <Button variant="outlined" disabled={isBusy} onClick={() => void act('prepare')}>
              Prepare changes
            </Button>
          )}
          <Discard {...{ act, isBusy }} />
        </Row>
      </>
    );
  return (
    <>
      <Failure message={failure} />
      <MessageBox
        variant="info"
        mb="default"
        message={`${whoBegan(edit)}.${lastChange(edit)} ${movedSentence(edit)}`}
      />
      <Row text="Everybody who changes this form sees the same copy. A change on this page is live at once, and then the prepared changes cannot be published.">
        <Button as={Link} variant="contained" to={`/admin/resources/forms/records/${edit.copyId}/show`}>
          Open the prepared changes
        </Button>
        <Discard {...{ act, isBusy }} />
      </Row>
    </>
  );
}

/** On the page of the copy. */
function Copy({ edit }: { readonly edit: EditJson }) {
  const { act, isBusy, failure } = useFormAction(edit.copyId);
  const live = edit.name === null ? '' : `“${edit.name}”`;
  return (
    <>
      <Failure message={failure} />
      <MessageBox
        variant={edit.name === null || isMoved(edit) ? 'danger' : 'info'}
        mb="default"
        message={
          edit.name === null
            ? 'This copy has prepared changes of a form that has been deleted. Keep it as a form of its own, or discard it.'
            : `This is a copy of ${live} with prepared changes. ${whoBegan(edit)}, from version ${edit.begunVersion}. ${movedSentence(edit)}`
        }
      />
      <Row text="Edit it like any form: visitors do not see it. “Preview” shows the form as it will be.">
        {edit.name === null ? (
          <Button variant="contained" disabled={isBusy} onClick={() => void act('keep')}>
            Keep as a form of its own
          </Button>
        ) : (
          <>
            <Button
              as={Link}
              variant="contained"
              to={`/admin/resources/forms/records/${edit.copyId}/publish`}
            >
              See the differences and publish
            </Button>
            <Button as={Link} variant="outlined" to={`/admin/resources/forms/records/${edit.formId}/show`}>
              Open the live form
            </Button>
          </>
        )}
        <Discard {...{ act, isBusy }} />
      </Row>
    </>
  );
}

function Row({ text, children }: { readonly text: string; readonly children: React.ReactNode }) {
  return (
    <>
      <Text mb="default">{text}</Text>
      <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
        {children}
      </Box>
    </>
  );
}

interface DiscardProps {
  readonly act: (action: string) => Promise<boolean>;
  readonly isBusy: boolean;
}

/** Asks once more, because the changes cannot be brought back. */
export function Discard({ act, isBusy }: DiscardProps) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button variant="outlined" onClick={() => setAsking(true)}>
        Discard
      </Button>
    );
  return (
    <>
      <Button variant="danger" autoFocus disabled={isBusy} onClick={() => void act('discard')}>
        Discard the prepared changes for good
      </Button>
      <Button variant="outlined" onClick={() => setAsking(false)}>
        Keep them
      </Button>
    </>
  );
}

const whoBegan = ({ begunBy, begunAt }: EditJson) =>
  `${begunBy ?? 'Somebody'} has prepared changes since ${timeOf(begunAt)}`;

const lastChange = ({ changedBy, changedAt, begunBy }: EditJson) =>
  changedAt === null || changedBy === null || changedBy === begunBy
    ? ''
    : ` ${changedBy} changed them last, on ${timeOf(changedAt)}.`;

const isMoved = ({ version, begunVersion }: EditJson) => version !== null && version !== begunVersion;

export const movedSentence = (edit: EditJson) =>
  isMoved(edit)
    ? `They cannot be published, because the live form has version ${edit.version} now, and they were begun from version ${edit.begunVersion}.`
    : '';
