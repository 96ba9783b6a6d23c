import { Badge, Box, H3, H4, Icon, Link as PlainLink, Text } from '@adminjs/design-system';
import React from 'react';
import { Link } from 'react-router-dom';
import { ConditionWords } from '../condition-words.tsx';
import { AddField } from './add-field.tsx';
import { AddGroup } from './add-group.tsx';
import { type Begun, type Block, blocksOf } from './blocks.ts';
import type { PlaceOfField } from './arrangement.ts';
import type { EntityJson, FieldJson, FormOutlineJson, StepJson } from './form-outline-json.ts';
import { DropLine, PartHeader } from './part-header.tsx';
import { PartLink } from './part-link.tsx';
import type { Arranging } from './use-arranging.ts';

interface StepOutlineProps {
  readonly outline: FormOutlineJson;
  readonly index: number;
  readonly step: StepJson;
  readonly begun: Begun;
  readonly arranging: Arranging;
  /** Called after a field was added. */
  readonly onAdded: () => Promise<void>;
  /** Called after a group was begun in the step. */
  readonly onBegun: (outline: FormOutlineJson, entityId: number) => void;
}

/** A step with its fields and groups. The fields can be dragged to other places. */
export function StepOutline(props: StepOutlineProps) {
  const { outline, index, step, begun, arranging, onAdded, onBegun } = props;
  const { id, title, conditions, fields } = step;
  const blocks = blocksOf(outline, step, begun);
  const places = placesIn(step, null);
  const next = outline.steps[index + 1];
  return (
    <Box
      mb="xl"
      data-testid={`step-${index + 1}`}
      data-part
      {...arranging.dropTarget({
        step: [{ before: id }, { before: next?.id }],
        field: [places.before(fields[0]), places.before()],
      })}
    >
      <DropLine isShown={arranging.isTarget('step', { before: id })} />
      <PartHeader part={{ kind: 'step', id }} name={`step ${index + 1}`} arranging={arranging}>
        <H3 as="h3" fontSize="h4" marginTop={0} marginBottom={0}>
          {index + 1}. {title}
        </H3>
        <ConditionWords sentences={conditions} />
      </PartHeader>
      {/* The list below a target has the line, except at the edges of the step. */}
      <DropLine
        isShown={fields[0]?.entityId != null && arranging.isTarget('field', places.before(fields[0]))}
      />
      {blocks.map((block, position) =>
        block.entity === undefined ? (
          <Fields key={position} fields={block.fields} entityId={null} {...{ step, arranging }} />
        ) : (
          <Group
            key={keyOf(blocks, position)}
            entity={block.entity}
            fields={block.fields}
            isLast={isLastOf(blocks, position)}
            {...{ outline, step, begun, arranging, onAdded }}
          />
        ),
      )}
      <DropLine
        isShown={
          (blocks.length === 0 || blocks.at(-1)?.entity !== undefined) &&
          arranging.isTarget('field', places.before())
        }
      />
      <div className="outline-adders">
        <AddField outline={outline} step={step} onAdded={onAdded} />
        <AddGroup outline={outline} step={step} onAdded={onBegun} />
        <PartLink resource="steps" id={id} title={title} />
      </div>
      <DropLine isShown={next === undefined && arranging.isTarget('step', { before: undefined })} />
    </Box>
  );
}

const isLastOf = (blocks: readonly Block[], position: number) =>
  blocks.findLastIndex(({ entity }) => entity === blocks[position]?.entity) === position;

/** The last part of a group has the form for new fields, which stays open while fields are added before it. */
const keyOf = (blocks: readonly Block[], position: number) =>
  isLastOf(blocks, position) ? `group ${blocks[position]?.entity?.id}` : position;

interface GroupProps extends Omit<StepOutlineProps, 'index' | 'onBegun'> {
  readonly entity: EntityJson;
  readonly fields: readonly FieldJson[];
  readonly isLast: boolean;
}

/** Fields that people fill in once for each entry. */
function Group({ outline, step, begun, arranging, onAdded, entity, fields, isLast }: GroupProps) {
  const { id, label, conditions } = entity;
  const places = placesIn(step, id);
  return (
    <Box
      as="section"
      aria-label={label}
      border="default"
      my="default"
      px="default"
      py="sm"
      style={{ borderRadius: 8 }}
      data-testid={`entity-${id}`}
      {...arranging.dropTarget({ field: [places.before(fields[0]), places.after(fields.at(-1))] })}
    >
      <Box flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: '0 8px' }}>
        <Icon icon="Layers" color="grey60" />
        <H4 as="h4" fontSize="lg" marginTop={0} marginBottom={0}>
          {label}
        </H4>
        <Text as="span" color="grey60" fontSize="sm">
          {entriesOf(entity)}
        </Text>
        <ConditionWords sentences={conditions} />
      </Box>
      <Fields fields={fields} entityId={id} {...{ step, arranging }} />
      {isLast && (
        <div className="outline-adders">
          <AddField {...{ outline, step, entity, onAdded }} isOpenAtFirst={begun.has(id)} />
          <PartLink resource="entities" id={id} title={label} />
        </div>
      )}
    </Box>
  );
}

/** How often people fill in a group. */
function entriesOf({ isRepeatable, minRecords, maxRecords }: EntityJson): string {
  if (!isRepeatable) return 'group, at most once';
  if (minRecords && maxRecords) return `repeating group, ${minRecords} to ${maxRecords} entries`;
  if (minRecords) return `repeating group, at least ${minRecords}`;
  return maxRecords ? `repeating group, at most ${maxRecords}` : 'repeating group';
}

/** Places for a field in the step, and in the group or in none. */
function placesIn({ id, fields }: StepJson, entityId: number | null) {
  const before = (field?: FieldJson): PlaceOfField => ({ step: id, before: field?.id, entityId });
  return {
    before,
    after: (field?: FieldJson) => before(field && fields[fields.indexOf(field) + 1]),
  };
}

interface FieldsProps {
  readonly step: StepJson;
  /** The group of the fields. */
  readonly entityId: number | null;
  readonly fields: readonly FieldJson[];
  readonly arranging: Arranging;
}

function Fields({ step, entityId, fields, arranging }: FieldsProps) {
  const { before, after } = placesIn(step, entityId);
  return (
    <Box as="ul" role="list" m="0" mt="sm" p="0" style={{ listStyle: 'none' }}>
      {fields.map((field) => (
        <Box
          as="li"
          key={field.id}
          py="sm"
          data-part
          {...arranging.dropTarget({ field: [before(field), after(field)] })}
        >
          <DropLine isShown={arranging.isTarget('field', before(field))} />
          <FieldOutline field={field} arranging={arranging} />
        </Box>
      ))}
      <DropLine isShown={arranging.isTarget('field', after(fields.at(-1)))} />
    </Box>
  );
}

function FieldOutline({ field, arranging }: { field: FieldJson; arranging: Arranging }) {
  const { id, label, code, type, icon, isRequired, isPersonal, isRetired } = field;
  const { computed, conditions, places } = field;
  return (
    <PartHeader part={{ kind: 'field', id }} name={`“${label || code}”`} arranging={arranging}>
      <PlainLink as={Link} to={`/admin/resources/fields/records/${id}/edit`}>
        {label || code}
      </PlainLink>
      <Text as="span" color="grey60">
        <Icon icon={icon} mr="sm" />
        {type}
      </Text>
      {isRetired && <Badge size="sm">retired</Badge>}
      {isRequired && !isRetired && <Badge size="sm">required</Badge>}
      {isPersonal && <Badge size="sm">personal</Badge>}
      <ConditionWords sentences={[computed, ...conditions, places].filter((sentence) => sentence !== '')} />
    </PartHeader>
  );
}
