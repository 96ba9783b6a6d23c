import type { Draft, Entry, Group } from 'formtrail-session';
import type { ComponentChildren } from 'preact';
import { withArticle } from 'formtrail-session/sentences';
import { answerText } from '../fields/answer-text';
import { entryId, placeId } from '../focus';
import { say } from '../sentences';
import { type Attach, BlockView } from './blocks';

interface GroupSectionProps {
  readonly group: Group;
  /** Title of the step. */
  readonly title: string;
  /** Id of the only entry that shows its questions. */
  readonly openId: number | undefined;
  readonly isBusy: boolean;
  readonly draft: Draft;
  readonly onAdd: () => void;
  readonly onEdit: (entry: Entry) => void;
  readonly onRemove: (entry: Entry) => void;
  readonly onFiles: Attach;
  readonly onLeave: (key: string) => void;
}

/** A repeating group, with one entry for each receipt or child, for example. */
export function GroupSection(props: GroupSectionProps) {
  const { group, title, openId, isBusy, draft, onAdd, onEdit, onRemove, onFiles, onLeave } = props;
  const { key, entity, entries, hasRoom, mistake } = group;
  const [headingId, errorId] = [hasRoom ? `${placeId(key)}-heading` : placeId(key), `${placeId(key)}-error`];
  return (
    <section class="group" aria-labelledby={headingId}>
      {/* Without an add button, error links and the focus lead to the heading. */}
      <h2
        id={headingId}
        tabIndex={hasRoom ? undefined : -1}
        class={entity.label === title ? 'visually-hidden' : undefined}
      >
        {entity.label}
      </h2>
      {entity.min_records ? <p class="description">At least {entity.min_records}</p> : null}
      {entries.map((entry) => {
        const name = `${entity.label} ${entry.number}`;
        const remove = (
          <button type="button" class="link remove" aria-disabled={isBusy} onClick={() => onRemove(entry)}>
            Remove<span class="visually-hidden"> {name}</span>
          </button>
        );
        if (entry.id !== openId)
          return <FoldedEntry key={entry.id} {...{ entry, name, remove }} onEdit={() => onEdit(entry)} />;
        return (
          <fieldset key={entry.id} class="entry" id={entryId(entry.id)} tabIndex={-1}>
            <legend>{name}</legend>
            {remove}
            {entry.blocks.map((block) => (
              <BlockView key={block.key} {...{ block, draft, onFiles, onLeave }} takesSeveral={hasRoom} />
            ))}
          </fieldset>
        );
      })}
      {mistake !== undefined && (
        <p class="error" id={errorId}>
          <span class="visually-hidden">Error: </span>
          {say.mistake(mistake, group)}
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
          Add {withArticle(entity.label)}
        </button>
      )}
    </section>
  );
}

/** Number of answers that stand for an entry. */
const MAIN_ANSWERS = 3;

interface FoldedEntryProps {
  readonly entry: Entry;
  readonly name: string;
  readonly remove: ComponentChildren;
  readonly onEdit: () => void;
}

/** An entry as a row with its main answers. */
function FoldedEntry({ entry, name, remove, onEdit }: FoldedEntryProps) {
  const questions = entry.blocks.filter((block) => block.kind === 'question');
  const answers = questions.flatMap(({ field, value, file, upload }) => {
    if (upload) return [upload.name];
    return value === '' ? [] : [answerText(field, value, file)];
  });
  const wrong = questions.filter(({ mistake }) => mistake !== undefined);
  const hasConflict = questions.some(({ conflict }) => conflict !== undefined);
  return (
    <div
      class={wrong.length > 0 ? 'entry folded has-error' : 'entry folded'}
      id={entryId(entry.id)}
      role="group"
      aria-label={name}
      tabIndex={-1}
    >
      <div>
        <p class="entry-name">{name}</p>
        <p class="quiet">{answers.slice(0, MAIN_ANSWERS).join(' · ') || 'No answers yet'}</p>
        {wrong.map((question) => (
          <p key={question.key} class="error">
            {question.mistake && say.labelled(question.mistake, question)}
          </p>
        ))}
        {hasConflict && <p class="error">Answered differently elsewhere</p>}
      </div>
      <div class="entry-buttons">
        <button type="button" class="link" onClick={onEdit}>
          Edit<span class="visually-hidden"> {name}</span>
        </button>
        {remove}
      </div>
    </div>
  );
}
