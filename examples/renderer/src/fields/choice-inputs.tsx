import { chosenIn, isChecked, joinChosen } from 'formtrail-session/inputs';
import type { ComponentChildren } from 'preact';
import { commonAttributes, type InputProps } from './field-props';

export function RadioGroup({ field, id, value, isInvalid, isRequired, onChange }: InputProps) {
  const clear = () => {
    onChange('');
    // The button disappears, so move the focus to the first option.
    document.getElementById(id)?.focus();
  };
  return (
    <div class="choices">
      {field.options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={id}
            required={isRequired}
            aria-invalid={isInvalid}
            checked={option.value === value}
            onInput={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
      {value !== '' && !isRequired && (
        <div>
          <button type="button" class="link" onClick={clear}>
            Clear<span class="visually-hidden"> the choice: {field.label}</span>
          </button>
        </div>
      )}
    </div>
  );
}

export function CheckboxGroup({ field, id, value, isInvalid, onChange }: InputProps) {
  const chosen = chosenIn(value, field);
  const toggle = (toggled: string) => {
    const others = chosen.filter((one) => one !== toggled);
    onChange(joinChosen(others.length < chosen.length ? others : [...chosen, toggled], field));
  };
  return (
    <div class="choices">
      {field.options.map((option, index) => (
        <label class="choice" key={option.value}>
          <input
            id={index === 0 ? id : undefined}
            type="checkbox"
            aria-invalid={isInvalid}
            checked={chosen.includes(option.value)}
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
  return (
    <label class="choice">
      <input
        {...commonAttributes(props)}
        type="checkbox"
        checked={isChecked(props.value)}
        onInput={(event) => props.onChange(event.currentTarget.checked ? 'true' : '')}
      />
      <span>{label}</span>
    </label>
  );
}
