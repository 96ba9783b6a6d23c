import type { ComponentChildren } from 'preact';
import { chosenIn, isChecked, joinChosen, toggleChosen } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import { isTaken, placesText } from '../questions.js';
import { Markup } from './markup.js';
import { commonAttributes, type InputProps } from './props.js';

export const RadioButtons = (props: InputProps) => <Choices {...props} isSingle />;
export const Checkboxes = (props: InputProps) => <Choices {...props} isSingle={false} />;

function Choices({ question, visit, words, id, isSingle }: InputProps & { readonly isSingle: boolean }) {
  const { key, field, value, isRequired, mistake } = question;
  const chosen = isSingle ? [value] : chosenIn(value, field);
  const toggle = (toggled: string) => {
    const now = isSingle ? [toggled] : toggleChosen(chosen, toggled, field);
    const isUnticked = (one: string) => one !== toggled && chosen.includes(one) && !now.includes(one);
    const unticked = field.options.flatMap(({ value, label }) => (isUnticked(value) ? plainText(label) : []));
    if (!isSingle && unticked.length > 0)
      visit.announce(words.text.unticked(unticked.join(words.text.separator)));
    visit.draft.change(key, isSingle ? toggled : joinChosen(now, field));
  };
  const clear = () => {
    visit.draft.change(key, '');
    // The button disappears, so move the focus to the first option.
    visit.focusOn(id);
  };
  return (
    <div part="choices">
      {field.options.map((option, index) => {
        const isOut = isTaken(question, option.value, chosen);
        return (
          <label key={option.value} part="choice">
            <input
              id={index === 0 ? id : undefined}
              type={isSingle ? 'radio' : 'checkbox'}
              name={id}
              required={isSingle && isRequired}
              aria-invalid={mistake !== undefined}
              checked={chosen.includes(option.value)}
              // Not disabled, because a disabled input loses the focus.
              aria-disabled={isOut}
              onClick={(event) => isOut && event.preventDefault()}
              onInput={() => toggle(option.value)}
            />
            <span>
              <Markup text={option.label} {...{ words }} />
              {placesText(question, option.value, words)}
            </span>
          </label>
        );
      })}
      {isSingle && value !== '' && !isRequired && (
        <button type="button" part="button link" onClick={clear}>
          {words.text.clearChoice}
          <span class="visually-hidden">{` (${plainText(field.label)})`}</span>
        </button>
      )}
    </div>
  );
}

/** A checkbox without options. Its value is `true` or `""`. */
export function SingleCheckbox({ label, ...props }: InputProps & { label: ComponentChildren }) {
  const { question, visit } = props;
  return (
    <label part="choice">
      <input
        {...commonAttributes(props)}
        type="checkbox"
        checked={isChecked(question.value)}
        onInput={({ currentTarget }) => visit.draft.change(question.key, currentTarget.checked ? 'true' : '')}
      />
      <span>{label}</span>
    </label>
  );
}
