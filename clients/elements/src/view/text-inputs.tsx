import { DATE_RANGE, dateIn, isShownAsDate, numberIn } from 'formtrail-session/inputs';
import { plainText } from 'formtrail-session/markup';
import { Component, createRef } from 'preact';
import { isTaken, placesText } from '../questions.js';
import { commonAttributes, type InputProps } from './props.js';

interface TextProps extends InputProps {
  /** The `inputmode`, unless the field has another one. */
  readonly keyboard?: 'decimal';
}

export function TextInput(props: TextProps) {
  return <Input {...props} type={hintsOf(props).inputmode === 'tel' ? 'tel' : 'text'} />;
}

export const EmailInput = (props: InputProps) => <Input {...props} type="email" />;

/** The type is not `number`, which rounds exact decimals, and changes the value when the user scrolls. */
export const NumberInput = (props: InputProps) => <TextInput {...props} keyboard="decimal" />;

export function TextArea(props: InputProps) {
  return (
    <textarea
      {...attributesOf(props)}
      part="input textarea"
      rows={4}
      placeholder={props.question.field.placeholder ?? undefined}
    />
  );
}

export class DateInput extends Component<InputProps> {
  /** If not, a date input would show the text as empty, and the first key would overwrite it. */
  private readonly isAsDate = isShownAsDate(this.props.question.value);
  private readonly input = createRef<HTMLInputElement>();

  render() {
    const { question, visit } = this.props;
    if (!this.isAsDate) return <Input {...this.props} type="text" />;
    return (
      <input
        {...attributesOf(this.props)}
        {...DATE_RANGE}
        ref={this.input}
        type="date"
        dir="ltr"
        part="input"
        name={question.key}
        value={dateIn(this.input.current, question.value)}
        onInput={({ currentTarget }) => visit.takeDate(currentTarget)}
      />
    );
  }
}

export function SelectInput(props: InputProps) {
  const { question, words } = props;
  const { field, value } = question;
  const isKnown = value === '' || field.options.some((option) => option.value === value);
  return (
    <select {...attributesOf(props)} dir={undefined} part="input select">
      <option value="">{field.placeholder ?? words.text.chooseOne}</option>
      {field.options.map((option) => (
        <option key={option.value} value={option.value} disabled={isTaken(question, option.value, [value])}>
          {plainText(option.label) + placesText(question, option.value, words)}
        </option>
      ))}
      {/* The option may have been removed from the form since it was chosen. */}
      {!isKnown && <option value={value}>{value}</option>}
    </select>
  );
}

function Input({ type, ...props }: TextProps & { readonly type: 'text' | 'email' | 'tel' }) {
  const { options, placeholder } = props.question.field;
  const input = (
    <input
      {...attributesOf(props)}
      {...(type !== 'text' && { dir: 'ltr' as const })}
      type={type}
      list={options.length > 0 ? `${props.id}-options` : undefined}
      part="input"
      placeholder={placeholder ?? undefined}
    />
  );
  if (options.length === 0) return input;
  // An unknown component may have options. The person may answer something else too.
  return (
    <>
      {input}
      <datalist id={`${props.id}-options`}>
        {options.map(({ value, label }) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
    </>
  );
}

/** Values of `inputmode` for numbers and addresses. */
const LEFT_TO_RIGHT = /^(?:decimal|numeric|tel|url|email)$/;

function attributesOf(props: TextProps) {
  const { question, visit, words, id } = props;
  const { key, value } = question;
  const isNumber = props.keyboard !== undefined;
  const hints = hintsOf(props);
  // With `auto`, browsers show an empty input from left to right.
  const autoUnlessEmpty = value === '' ? undefined : ('auto' as const);
  const input = visit.page.root.getElementById(id) as HTMLInputElement | null;
  return {
    ...commonAttributes(props),
    ...hints,
    dir: LEFT_TO_RIGHT.test(hints.inputmode ?? '') ? ('ltr' as const) : autoUnlessEmpty,
    value: isNumber ? numberIn(input, value, words.locale) : value,
    onInput: ({ currentTarget: { value: typed } }: { currentTarget: { value: string } }) =>
      isNumber ? visit.takeNumber(key, typed) : visit.draft.change(key, typed),
    onBlur: () => visit.leave(question.key),
  };
}

/** `autocomplete` and `inputmode` in the `meta` of the field, for the attributes of the same names. */
function hintsOf({ question: { field }, keyboard }: TextProps) {
  const meta = field.meta ?? {};
  const textOf = (name: string) => (typeof meta[name] === 'string' ? meta[name] : undefined);
  return { autocomplete: textOf('autocomplete'), inputmode: textOf('inputmode') ?? keyboard };
}
