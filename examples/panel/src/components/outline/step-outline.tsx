import { Badge, Box, H3, Link as PlainLink, Text } from '@adminjs/design-system';
import React from 'react';
import { Link } from 'react-router-dom';
import { AddField } from './add-field.tsx';
import { ConditionWords } from '../condition-words.tsx';
import { ConditionsLink } from './conditions.tsx';
import type { FieldJson, FormOutlineJson, StepJson } from './form-outline-json.ts';
import { DropLine, PartHeader } from './part-header.tsx';
import type { Arranging } from './use-arranging.ts';

interface StepOutlineProps {
  readonly outline: FormOutlineJson;
  readonly index: number;
  readonly step: StepJson;
  readonly arranging: Arranging;
  /** Called after a field was added. */
  readonly onAdded: () => Promise<void>;
}

/** A step with its fields, which can be dragged to other places. */
export function StepOutline({ outline, index, step, arranging, onAdded }: StepOutlineProps) {
  const { id, title, conditions, fields } = step;
  const before = (field?: FieldJson) => ({ step: id, before: field?.id });
  const next = outline.steps[index + 1];
  return (
    <Box
      mb="xl"
      data-testid={`step-${index + 1}`}
      data-part
      {...arranging.dropTarget({
        step: [{ before: id }, { before: next?.id }],
        field: [before(fields[0]), before()],
      })}
    >
      <DropLine isShown={arranging.isTarget('step', { before: id })} />
      <PartHeader part={{ kind: 'step', id }} name={`step ${index + 1}`} arranging={arranging}>
        <H3 as="h3" fontSize="h4" marginTop={0} marginBottom={0}>
          {index + 1}. {title}
        </H3>
        <ConditionWords sentences={conditions} />
      </PartHeader>
      <Box as="ul" role="list" m="0" mt="sm" p="0" style={{ listStyle: 'none' }}>
        {fields.map((field, position) => (
          <Box
            as="li"
            key={field.id}
            py="sm"
            data-part
            {...arranging.dropTarget({ field: [before(field), before(fields[position + 1])] })}
          >
            <DropLine isShown={arranging.isTarget('field', before(field))} />
            <FieldOutline field={field} arranging={arranging} />
          </Box>
        ))}
      </Box>
      <DropLine isShown={arranging.isTarget('field', before())} />
      <AddField outline={outline} step={step} onAdded={onAdded} />
      <ConditionsLink resource="steps" id={id} title={title} />
      <DropLine isShown={next === undefined && arranging.isTarget('step', { before: undefined })} />
    </Box>
  );
}

function FieldOutline({ field, arranging }: { field: FieldJson; arranging: Arranging }) {
  const { id, label, code, type, entity, isRequired, isRetired, conditions } = field;
  return (
    <PartHeader part={{ kind: 'field', id }} name={`“${label || code}”`} arranging={arranging}>
      <PlainLink as={Link} to={`/admin/resources/fields/records/${id}/edit`}>
        {label || code}
      </PlainLink>
      <Text as="span" color="grey60">
        {type}
      </Text>
      {isRetired && <Badge size="sm">retired</Badge>}
      {isRequired && !isRetired && <Badge size="sm">required</Badge>}
      <ConditionWords sentences={conditions} />
      {entity && (
        <Badge size="sm" variant="secondary">
          {entity}
        </Badge>
      )}
    </PartHeader>
  );
}
