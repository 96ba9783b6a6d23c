import { Badge, Box, Button, H3, Icon, Text } from '@adminjs/design-system';
import {
  ActionButton,
  type ActionHeaderProps,
  type ActionJSON,
  useFilterDrawer,
  useTranslation,
} from 'adminjs';
import React, { useEffect } from 'react';
import { Link } from 'react-router-dom';

/** Names the record in the heading and the browser's tab. AdminJS would only write "Edit" or "Show". */
export default function NamedHeader(props: ActionHeaderProps) {
  const { resource, action, record, tag, toggleFilter, actionPerformed } = props;
  const { translateAction, translateLabel } = useTranslation();
  const kind = translateLabel('record', resource.id);
  const title = !record
    ? translateAction(action.label, resource.id)
    : action.name === 'show'
      ? `${record.title} — ${kind}`
      : action.name === 'edit'
        ? `Edit ${kind.toLowerCase()} ${record.title}`
        : `${translateAction(action.label, resource.id)}: ${record.title}`;
  useEffect(() => {
    document.title = action.name === 'list' ? `${title} — Formtrail` : title;
  }, [title]);

  // The page of a form has a bar of its own.
  const hasBar = resource.id === 'forms' && action.name === 'show';
  const actions = hasBar
    ? []
    : record
      ? record.recordActions.filter(({ name }) => name !== action.name)
      : resource.resourceActions.filter(({ name }) => name === 'new' && name !== action.name);
  return (
    <Box px={['default', 0]} {...(['edit', 'new'].includes(action.name) && { style: { maxWidth: 640 } })}>
      {action.name !== 'list' && <Breadcrumb {...props} />}
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" my="lg" style={{ gap: 8 }}>
        <Box flexGrow={1}>
          <H3
            as="h2"
            fontSize="h2"
            lineHeight="xxl"
            marginTop={0}
            marginBottom={0}
            style={{ overflowWrap: 'anywhere' }}
          >
            {title} {tag && <Badge outline>{tag}</Badge>}
          </H3>
        </Box>
        <Box flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
          {actions.map((one) => (
            <HeaderButton
              key={one.name}
              action={one}
              {...{ resource, actionPerformed, ...(record && { record }) }}
            />
          ))}
          {toggleFilter && <FilterButton resource={resource} />}
        </Box>
      </Box>
    </Box>
  );
}

/** Links to the list of the records, and to the form that the record belongs to. The heading below names the page itself. */
function Breadcrumb({ resource, record }: ActionHeaderProps) {
  const { translateLabel } = useTranslation();
  const form = record?.populated['formId'];
  return (
    <Box as="nav" aria-label="Breadcrumb" flex flexDirection="row" flexWrap="wrap" style={{ gap: 8 }}>
      <Crumb to={resource.href ?? '/admin/resources/forms'}>
        {translateLabel(resource.href ? resource.id : 'forms')}
      </Crumb>
      {form && (
        <>
          <Text as="span" py="sm" color="grey60" aria-hidden>
            /
          </Text>
          <Crumb to={`/admin/resources/forms/records/${form.id}/show`}>{form.title}</Crumb>
        </>
      )}
    </Box>
  );
}

function Crumb({ to, children }: { readonly to: string; readonly children: React.ReactNode }) {
  return (
    <Text as={Link} to={to} py="sm" color="grey60">
      {children}
    </Text>
  );
}

interface HeaderButtonProps extends Pick<ActionHeaderProps, 'resource' | 'record' | 'actionPerformed'> {
  readonly action: ActionJSON;
}

/** A deletion is the last thing that a person looks for. */
function variantOf({ name, variant }: ActionJSON): string {
  if (name === 'new') return 'contained';
  return variant === 'danger' ? 'text' : variant;
}

function HeaderButton({ action, resource, record, actionPerformed }: HeaderButtonProps) {
  const { translateAction } = useTranslation();
  return (
    <ActionButton
      action={action}
      resourceId={resource.id}
      {...(record && { recordId: record.id })}
      {...(actionPerformed && { actionPerformed })}
    >
      <Button as="a" variant={variantOf(action)}>
        <Icon icon={action.icon as string} />
        {translateAction(action.label, resource.id)}
      </Button>
    </ActionButton>
  );
}

function FilterButton({ resource }: Pick<ActionHeaderProps, 'resource'>) {
  const { toggleFilter, filtersCount, isVisible } = useFilterDrawer();
  const { translateButton } = useTranslation();
  return (
    <>
      {/* AdminJS only moves the closed drawer out of sight. Its shadow stays, and so do its inputs for the keyboard. */}
      {!isVisible && <style>{'[data-css$="-filter-drawer"] { visibility: hidden; }'}</style>}
      <Button variant="outlined" onClick={toggleFilter}>
        <Icon icon="Filter" />
        {translateButton(filtersCount > 0 ? 'filterActive' : 'filter', resource.id, { count: filtersCount })}
      </Button>
    </>
  );
}
