import type { Block, Draft, Entry, Group, Question } from 'formtrail-session';
import { QuestionField } from '../fields/question';
import { entryId, placeId } from '../focus';
import { sentenceOfMistake } from '../sentences';

/** Uploads files for a question, and resolves to those that exceed the number of entries. */
export type Attach = (question: Question, files: readonly File[]) => Promise<readonly File[]>;

interface BlockViewProps {
  readonly block: Exclude<Block, Group>;
  readonly draft: Draft;
  readonly takesSeveral: boolean;
  readonly onFiles: Attach;
}

/** A question, or a heading or paragraph of the form. */
export function BlockView({ block, draft, takesSeveral, onFiles }: BlockViewProps) {
  if (block.kind === 'question') {
    const snapshot = draft.getSnapshot();
    const formChanged = 'formChanged' in snapshot ? snapshot.formChanged : undefined;
    return (
      <QuestionField
        question={block}
        isRetyped={formChanged?.retyped.includes(block.key) === true}
        onChange={(value) => draft.change(block.key, value)}
        files={{
          takesSeveral,
          onFiles: (files) => onFiles(block, files),
          onCancel: () => draft.cancelUpload(block.key),
        }}
        onResolve={(choice) => draft.resolve(block.key, choice)}
      />
    );
  }
  const { label, description, field_type } = block.field;
  const isHeading = field_type.component === 'heading-display';
  return (
    <>
      {isHeading ? <h2>{label}</h2> : <p>{label}</p>}
      {description && <p class={isHeading ? undefined : 'description'}>{description}</p>}
    </>
  );
}

interface GroupSectionProps {
  readonly group: Group;
  readonly isBusy: boolean;
  readonly draft: Draft;
  readonly onAdd: () => void;
  readonly onRemove: (entry: Entry) => void;
  readonly onFiles: Attach;
}

/** A repeating group, with one entry for each receipt or child, for example. */
export function GroupSection({ group, isBusy, draft, onAdd, onRemove, onFiles }: GroupSectionProps) {
  const { key, entity, entries, hasRoom, mistake } = group;
  const [headingId, errorId] = [hasRoom ? `${placeId(key)}-heading` : placeId(key), `${placeId(key)}-error`];
  return (
    <section class="group" aria-labelledby={headingId}>
      {/* Without an add button, error links and the focus lead to the heading. */}
      <h2 id={headingId} tabIndex={hasRoom ? undefined : -1}>
        {entity.label}
      </h2>
      {entries.map((entry) => (
        <fieldset key={entry.id} class="entry" id={entryId(entry.id)} tabIndex={-1}>
          <legend>{`${entity.label} ${entry.number}`}</legend>
          <button type="button" class="link remove" aria-disabled={isBusy} onClick={() => onRemove(entry)}>
            Remove
            <span class="visually-hidden">
              {' '}
              {entity.label} {entry.number}
            </span>
          </button>
          {entry.blocks.map((block) => (
            <BlockView key={block.key} {...{ block, draft, onFiles }} takesSeveral={hasRoom} />
          ))}
        </fieldset>
      ))}
      {mistake !== undefined && (
        <p class="error" id={errorId}>
          <span class="visually-hidden">Error: </span>
          {sentenceOfMistake(mistake)}
        </p>
      )}
      {hasRoom && (
        <button
          type="button"
          id={placeId(key)}
          aria-disabled={isBusy}
          aria-describedby={mistake === undefined ? undefined : errorId}
          onClick={onAdd}
        >
          Add {entity.label}
        </button>
      )}
    </section>
  );
}
