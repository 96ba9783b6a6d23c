import type { Entry, Group } from 'formtrail-session';
import { answerText } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import { CANCEL, entryId, placeId, removeId } from '../ids.js';
import { Markup } from './markup.js';
import type { PageProps } from './props.js';
import { BlockView } from './step.js';

/** A repeating group, with one entry for each receipt or child, for example. */
export function GroupSection({ group, ...props }: PageProps & { group: Group }) {
  const { key, entity, entries, hasRoom, mistake } = group;
  const { visit, shown, words } = props;
  const { text } = words;
  const isBusy = shown.busy !== undefined;
  const isTitled = entity.label === shown.step?.title;
  const place = placeId(key);
  const [headingId, errorId] = [hasRoom ? `${place}-heading` : place, `${place}-error`];
  return (
    <section part="group" aria-labelledby={headingId}>
      {/* Without an add button, error links and the focus lead to the heading. */}
      <h3 id={headingId} tabIndex={hasRoom ? undefined : -1} class={isTitled ? 'visually-hidden' : undefined}>
        <Markup text={entity.label} {...{ words }} />
      </h3>
      {entity.min_records ? <p part="hint">{text.atLeast(entity.min_records)}</p> : null}
      {entries.map((entry, index) => (
        <EntryView key={entry.id} isLast={index === entries.length - 1} {...{ group, entry }} {...props} />
      ))}
      {mistake !== undefined && (
        <p part="error" id={errorId}>
          <span class="visually-hidden">{text.error} </span>
          {words.mistake(mistake, group)}
        </p>
      )}
      {hasRoom && (
        <button
          type="button"
          id={place}
          part="button"
          aria-disabled={isBusy}
          aria-describedby={mistake && errorId}
          onClick={() => void visit.add(group)}
        >
          {text.add(plainText(entity.label))}
        </button>
      )}
    </section>
  );
}

/** Number of answers that stand for a folded entry. */
const MAIN_ANSWERS = 3;

interface EntryProps extends PageProps {
  readonly group: Group;
  readonly entry: Entry;
  readonly isLast: boolean;
}

/** Only one entry of a group is open: the last one, until the person opens another one. */
function EntryView({ group, entry, isLast, ...props }: EntryProps) {
  const { visit, shown, words } = props;
  const { text } = words;
  const { id, number, blocks } = entry;
  const name = `${plainText(group.entity.label)} ${number}`;
  const questions = blocks.filter((block) => block.kind === 'question');
  const answers = questions.flatMap(({ field, value, file, upload }) =>
    upload ? upload.name : value === '' ? [] : answerText(field, value, file, words),
  );
  const remove = {
    type: 'button',
    'aria-disabled': shown.busy !== undefined,
    onClick: () => void visit.remove(group, entry),
  } as const;
  return (
    <details part="entry" name={placeId(group.key)} aria-label={name} open={isLast}>
      <summary id={entryId(id)} part="entry-title">
        {name} <span class="quiet">{answers.slice(0, MAIN_ANSWERS).join(' · ')}</span>
        {questions.map(
          (one) =>
            one.mistake && (
              <p key={one.key} part="error">
                {words.labelled(one.mistake, one)}
              </p>
            ),
        )}
        {questions.some(({ conflict }) => conflict) && <p part="error">{text.conflicts}</p>}
      </summary>
      {blocks.map((block) => (
        <BlockView key={block.key} block={block} {...props} />
      ))}
      {visit.removing === id ? (
        <div part="notice">
          <p id="removal">{text.confirmRemoval(name)}</p>
          <div part="buttons">
            <button {...remove} part="button" aria-describedby="removal">
              {text.remove}
            </button>
            <button
              type="button"
              id={CANCEL}
              part="button"
              aria-describedby="removal"
              onClick={() => visit.keep(id)}
            >
              {text.cancel}
            </button>
          </div>
        </div>
      ) : (
        <button {...remove} id={removeId(id)} part="button link">
          {text.removeEntry(name)}
        </button>
      )}
    </details>
  );
}
