import { Box, Button, DrawerContent, DrawerFooter, MessageBox } from '@adminjs/design-system';
import { type ActionProps, BasePropertyComponent, useRecord } from 'adminjs';
import React, { type FormEvent, useState } from 'react';
import { Link } from 'react-router-dom';
import { CopiedText } from './copied-text.tsx';

/** AdminJS's page for a new record. After issuing, it shows the token, which cannot be read again. */
export default function IssueToken({ resource }: ActionProps) {
  const { record, handleChange, submit, loading } = useRecord(undefined, resource.id);
  const [plainToken, setPlainToken] = useState<string>();

  const issue = (event: FormEvent) => {
    event.preventDefault();
    void submit().then(({ data }) => setPlainToken((data as { plainToken?: string }).plainToken));
  };

  if (plainToken !== undefined) {
    return (
      <DrawerContent>
        <MessageBox variant="success" message="The token is issued. Copy it now: it is shown only once." />
        <Box mt="xl">
          <CopiedText id="plain-token" label="Token" text={plainToken} />
        </Box>
        <Box mt="xl">
          <Button as={Link} to={`/admin/resources/${resource.id}`} variant="contained">
            I have copied it
          </Button>
        </Box>
      </DrawerContent>
    );
  }
  return (
    <Box
      as="form"
      data-css={`${resource.id}-new-form`}
      onSubmit={issue}
      flex
      flexGrow={1}
      flexDirection="column"
    >
      <DrawerContent>
        {resource.editProperties.map((property) => (
          <BasePropertyComponent
            key={property.propertyPath}
            where="edit"
            property={property}
            resource={resource}
            record={record}
            onChange={handleChange}
          />
        ))}
      </DrawerContent>
      <DrawerFooter data-css={`${resource.id}-new-drawer-footer`}>
        <Button type="submit" variant="contained" disabled={loading}>
          Issue
        </Button>
      </DrawerFooter>
    </Box>
  );
}
