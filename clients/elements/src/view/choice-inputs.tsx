import type { ComponentChildren } from 'preact';
import { checkedValues, isChecked } from '../answer-text.js';
import { commonAttributes, type InputProps } from './props.js';

export function RadioGroup({ question, visit, words, id }: InputProps) {
  const { key, field, value, isRequired, mistake } = question;
  const clear = () => {
    visit.draft.change(key, '');
    // The button disappears, so move the focus to the first option.
    visit.focusOn(id);
  };
  return (
    <div part="choices">
      {field.options.map((option, index) => (
        <label key={option.value} part="choice">
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={id}
            required={isRequired}
            aria-invalid={mistake !== undefined}
            checked={option.value === value}
            onInput={() => visit.draft.change(key, option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
      {value !== '' && !isRequired && (
        <button type="button" part="button link" onClick={clear}>
          {words.text.clearChoice}
          <span class="visually-hidden">{` (${field.label})`}</span>
        </button>
      )}
    </div>
  );
}

/** The value is a comma-separated list of the chosen options' values. */
export function CheckboxGroup({ question: { key, field, value, mistake }, visit, id }: InputProps) {
  const checked = new Set(checkedValues(value));
  const toggle = (toggled: string) => {
    const values = field.options.map((option) => option.value);
    visit.draft.change(key, values.filter((one) => checked.has(one) !== (one === toggled)).join(','));
  };
  return (
    <div part="choices">
      {field.options.map((option, index) => (
        <label key={option.value} part="choice">
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            aria-invalid={mistake !== undefined}
            checked={checked.has(option.value)}
            onInput={() => toggle(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
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
