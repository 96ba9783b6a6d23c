import { Box, Button, Input, Label, Loader, Text } from '@adminjs/design-system';
import type { ActionProps } from 'adminjs';
import React, { type FormEvent } from 'react';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';
import { useActionData, useFormAction } from './use-form-action.ts';

interface Proposal {
  readonly name: string;
  readonly slug: string;
}

/** Asks for the name and the slug of a copy. */
export default function CopyForm({ record }: ActionProps) {
  const id = record?.id ?? '';
  const { data, failure } = useActionData<Proposal>(id, 'copy', 'proposal');
  const { act, isBusy, failure: refusal } = useFormAction(id);
  if (data === undefined) return failure === '' ? <Loader /> : <Failure message={failure} />;
  const copy = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void act('copy', Object.fromEntries(new FormData(event.currentTarget)));
  };
  return (
    <Page>
      <Box as="form" onSubmit={copy}>
        <Failure message={refusal} />
        <Text mb="lg">
          The copy has all steps, fields, conditions, rules and translations of this form, and no submissions.
          It is inactive.
        </Text>
        <Label htmlFor="copy-name">Name</Label>
        <Input id="copy-name" name="name" required maxLength={255} width={1} defaultValue={data.name} />
        <Label htmlFor="copy-slug" mt="lg">
          Slug
        </Label>
        <Input
          id="copy-slug"
          name="slug"
          required
          maxLength={255}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          title="Lower-case letters and digits, with single hyphens between them"
          width={1}
          defaultValue={data.slug}
        />
        <Button type="submit" variant="contained" mt="xl" disabled={isBusy}>
          Copy
        </Button>
      </Box>
    </Page>
  );
}
