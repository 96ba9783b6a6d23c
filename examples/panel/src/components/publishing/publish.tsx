import { Badge, Box, Button, H3, Loader, MessageBox, Text } from '@adminjs/design-system';
import type { ActionProps } from 'adminjs';
import React from 'react';
import { Link } from 'react-router-dom';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';
import { Discard, movedSentence } from './publishing.tsx';
import type { ChangeJson, PublicationJson } from './publishing-json.ts';
import { useActionData, useFormAction } from './use-form-action.ts';

/** Shows what prepared changes would change in the live form, and publishes them. */
export default function Publish({ record }: ActionProps) {
  const id = record?.id ?? '';
  const { data, failure, reload } = useActionData<PublicationJson>(id, 'publish', 'publication');
  const { act, isBusy, failure: refusal } = useFormAction(id);
  if (data === undefined) return failure === '' ? <Loader /> : <Failure message={failure} />;
  const { edit, changes, changesSince, problems, copyVersion } = data;
  const publish = async () => {
    // The differences may be other ones now.
    if (!(await act('publish', { version: copyVersion }))) await reload();
  };
  const isMoved = edit.version !== null && edit.version !== edit.begunVersion;
  const breaking = changes?.filter(({ kind }) => kind === 'breaking').length ?? 0;
  const isPossible = changes !== null && changes.length > 0 && !isMoved && problems.length === 0;
  return (
    <Page>
      <Failure message={refusal} />
      {problems.map((problem) => (
        <MessageBox key={problem} variant="danger" message={problem} mb="lg" />
      ))}
      {changes === null && <Text>The live form or this copy has been deleted. Open the copy again.</Text>}
      {isMoved && (
        <Box as="section" aria-label="Changes by others" mb="xxl">
          <MessageBox variant="danger" mb="lg" message={movedSentence(edit)} />
          <H3 as="h3" fontSize="h4">
            Changed in the live form since version {edit.begunVersion}
          </H3>
          <Changes
            changes={changesSince}
            empty="Nothing that a person sees: the form has the same content again."
          />
          <H3 as="h3" fontSize="h4" mt="xl">
            What to do
          </H3>
          <Text mb="lg">
            “Prepare again” makes a new copy of version {edit.version}. This copy stays as an inactive form of
            its own, so that you can repeat its changes. Delete it afterwards.
          </Text>
          <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
            <Button variant="contained" disabled={isBusy} onClick={() => void act('prepareAgain')}>
              Prepare again
            </Button>
            <Discard {...{ act, isBusy }} />
          </Box>
        </Box>
      )}
      {changes !== null && (
        <Box as="section" aria-label="Prepared changes">
          <H3 as="h3" fontSize="h4">
            {isMoved ? `Prepared here since version ${edit.begunVersion}` : 'What changes in the live form'}
          </H3>
          <Changes changes={changes} empty="Nothing: this copy and the live form are the same." />
          {breaking > 0 && !isMoved && (
            <Text mt="lg">
              “Breaking” changes can stop people who have begun to fill in the form, or programs that read it.
              The answers that were given stay. A field with answers that was removed here is retired.
            </Text>
          )}
        </Box>
      )}
      {isPossible && (
        <Box mt="xl" flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
          <Button variant="contained" disabled={isBusy} onClick={() => void publish()}>
            Publish as one version
          </Button>
          <Button as={Link} variant="outlined" to={`/admin/resources/forms/records/${edit.copyId}/show`}>
            Go on editing
          </Button>
        </Box>
      )}
    </Page>
  );
}

function Changes({ changes, empty }: { readonly changes: readonly ChangeJson[]; readonly empty: string }) {
  if (changes.length === 0) return <Text>{empty}</Text>;
  return (
    <Box as="ul" m="0" p="0" style={{ listStyle: 'none' }}>
      {changes.map(({ kind, message }, index) => (
        <Box as="li" key={index} py="sm" style={{ overflowWrap: 'anywhere' }}>
          {kind === 'breaking' && <Badge outline>Breaking</Badge>} <Text as="span">{message}</Text>
        </Box>
      ))}
    </Box>
  );
}
