import { Box, Button, Icon } from '@adminjs/design-system';
import { ActionButton, type ActionJSON, type RecordJSON, useTranslation } from 'adminjs';
import React from 'react';
import { Link } from 'react-router-dom';
import { Menu } from './menu.tsx';

interface FormBarProps {
  readonly record: RecordJSON;
  readonly slug: string;
  readonly onPreview: () => void;
}

/** The buttons for the actions of a form. Actions with `custom.inBar` have a button of their own, and all others are in the menu. */
export function FormBar({ record, slug, onPreview }: FormBarProps) {
  // The text below the bar leads to the differences of prepared changes.
  const actions = record.recordActions.filter(({ name }) => !['show', 'publish'].includes(name));
  const inBar = actions.filter(({ custom }) => custom['inBar']);
  const inMenu = actions.filter((action) => !inBar.includes(action));
  const submissions = `/admin/resources/submissions?filters.formId=${record.id}`;
  return (
    <Box flex flexDirection="row" flexWrap="wrap" mb="lg" style={{ gap: 8 }}>
      <Button variant="contained" onClick={onPreview}>
        <Icon icon="Eye" />
        Preview
      </Button>
      {inBar.map((action) => (
        <FormAction key={action.name} action={action} record={record} variant="outlined" />
      ))}
      <Menu label="More">
        <li>
          <Button as={Link} variant="text" to={submissions}>
            <Icon icon="Inbox" />
            Submissions
          </Button>
        </li>
        {(['csv', 'ndjson'] as const).map((format) => (
          <li key={format}>
            <Button as="a" variant="text" href={`/admin/export/${slug}.${format}`}>
              <Icon icon="Download" />
              {format === 'csv' ? 'Export as CSV' : 'Export as JSON lines'}
            </Button>
          </li>
        ))}
        {inMenu.map((action) => (
          <li key={action.name}>
            <FormAction action={action} record={record} variant="text" />
          </li>
        ))}
      </Menu>
    </Box>
  );
}

interface FormActionProps {
  readonly action: ActionJSON;
  readonly record: RecordJSON;
  readonly variant: 'outlined' | 'text';
}

function FormAction({ action, record, variant }: FormActionProps) {
  const { translateAction } = useTranslation();
  return (
    <ActionButton action={action} resourceId="forms" recordId={record.id}>
      <Button as="a" variant={variant}>
        <Icon icon={action.icon as string} />
        {translateAction(action.label, 'forms')}
      </Button>
    </ActionButton>
  );
}
