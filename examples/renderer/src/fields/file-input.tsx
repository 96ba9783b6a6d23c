import { useRef } from 'preact/hooks';
import { commonAttributes, type InputProps } from './field-props';

/**
 * The service holds no files: a value is a text that names one (V11). A renderer with a place for files uploads the file
 * here, and gives its key or address to `onChange`; this example has none, and gives the file's name.
 */
export function FileInput(props: InputProps) {
  const { field, id, value, describedBy, onChange } = props;
  const input = useRef<HTMLInputElement>(null);
  const noteId = `${id}-note`;
  const remove = () => {
    if (input.current) input.current.value = '';
    onChange('', 'choice');
    input.current?.focus();
  };
  return (
    <>
      <input
        {...commonAttributes(props)}
        aria-describedby={describedBy === undefined ? noteId : `${describedBy} ${noteId}`}
        ref={input}
        type="file"
        onInput={({ currentTarget: { files } }) => {
          const name = files?.[0]?.name;
          if (name !== undefined) onChange(name, 'choice');
        }}
      />
      <p class="description" id={noteId}>
        {value === '' ? (
          'This example keeps the name of the file only, and uploads nothing.'
        ) : (
          <>
            Kept: <strong>{value}</strong> (the name only; this example uploads nothing)
          </>
        )}
      </p>
      {value !== '' && (
        <button type="button" class="quiet-button" onClick={remove}>
          Remove<span class="visually-hidden"> the file: {field.label}</span>
        </button>
      )}
    </>
  );
}
