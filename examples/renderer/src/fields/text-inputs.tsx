import { DATE_RANGE, dateIn, isShownAsDate, takeDate } from 'formtrail-session/inputs';
import { useRef, useState } from 'preact/hooks';
import { commonAttributes, type InputProps, textIn } from './field-props';

export function TextInput(props: InputProps) {
  return <Input {...props} />;
}

export function EmailInput(props: InputProps) {
  return <Input {...props} type="email" />;
}

/** Not `type="number"`, which rounds exact decimals, and changes the value when the user scrolls. */
export function NumberInput(props: InputProps) {
  return <Input {...props} mode="decimal" />;
}

export function TextArea(props: InputProps) {
  const { field, value, onChange } = props;
  return (
    <textarea
      {...commonAttributes(props)}
      inputMode={textIn(field, 'inputmode')}
      rows={4}
      placeholder={field.placeholder ?? undefined}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function DateInput(props: InputProps) {
  const input = useRef<HTMLInputElement>(null);
  // If not, a date input would show the text as empty, and the first key would overwrite it.
  const [isAsDate] = useState(isShownAsDate(props.value));
  if (!isAsDate) return <Input {...props} />;
  return (
    <input
      {...commonAttributes(props)}
      {...DATE_RANGE}
      ref={input}
      type="date"
      name={props.name}
      value={dateIn(input.current, props.value)}
      onInput={(event) => takeDate(event.currentTarget, (_, value) => props.onChange(value))}
    />
  );
}

export function SelectInput(props: InputProps) {
  const { field, value, onChange } = props;
  const isKnown = value === '' || field.options.some((option) => option.value === value);
  return (
    <select
      {...commonAttributes(props)}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{field.placeholder ?? 'Choose one'}</option>
      {field.options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
      {/* The option may have been removed from the form since it was chosen. */}
      {!isKnown && <option value={value}>{value}</option>}
    </select>
  );
}

/** `mode` is the default of the keyboard that phones show. */
function Input({
  type = 'text',
  mode,
  ...props
}: InputProps & { type?: 'text' | 'email'; mode?: 'decimal' }) {
  const inputMode = textIn(props.field, 'inputmode') ?? mode;
  return (
    <input
      {...commonAttributes(props)}
      type={inputMode === 'tel' ? 'tel' : type}
      inputMode={inputMode}
      autoComplete={textIn(props.field, 'autocomplete') ?? (mode && 'off')}
      list={undefined}
      placeholder={props.field.placeholder ?? undefined}
      value={props.value}
      onInput={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}
