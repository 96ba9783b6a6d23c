import type { ComponentChildren } from 'preact';
import { checkedValues, isChecked } from './answer-text';
import { commonAttributes, type InputProps } from './field-props';

export function RadioGroup(props: InputProps) {
  const { field, id, value, isInvalid, isRequired, onChange } = props;
  const clear = () => {
    onChange('', 'choice');
    // The button goes; the focus would go with it.
    document.getElementById(id)?.focus();
  };
  return (
    <>
      {field.options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={id}
            required={isRequired}
            aria-invalid={isInvalid}
            checked={option.value === value}
            onInput={() => onChange(option.value, 'choice')}
          />
          <span>{option.label}</span>
        </label>
      ))}
      {value !== '' && (
        <button type="button" class="quiet-button" onClick={clear}>
          Clear<span class="visually-hidden"> the choice: {field.label}</span>
        </button>
      )}
    </>
  );
}

/** Its value is those of the chosen options, separated by commas. */
export function CheckboxGroup({ field, id, value, isInvalid, onChange }: InputProps) {
  const checked = new Set(checkedValues(value));
  const toggle = (toggled: string) => {
    const values = field.options.map((option) => option.value);
    onChange(values.filter((other) => checked.has(other) !== (other === toggled)).join(','), 'choice');
  };
  return (
    <>
      {field.options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            aria-invalid={isInvalid}
            checked={checked.has(option.value)}
            onInput={() => toggle(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </>
  );
}

/** Without options: `true`, or no value. */
export function SingleCheckbox({ label, ...props }: InputProps & { label: ComponentChildren }) {
  return (
    <label class="choice">
      <input
        {...commonAttributes(props)}
        type="checkbox"
        checked={isChecked(props.value)}
        onInput={(event) => props.onChange(event.currentTarget.checked ? 'true' : '', 'choice')}
      />
      <span>{label}</span>
    </label>
  );
}
