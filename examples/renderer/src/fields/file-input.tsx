import { useRef, useState } from 'preact/hooks';
import { commonAttributes, type InputProps } from './field-props';

/**
 * The service holds no files: a value is a text that names one (V11). A renderer with a place for files uploads the file
 * here, and gives its key or address to `onChange`; this example has none, and gives the file's name.
 */
export function FileInput(props: InputProps) {
  const { field, id, value, describedBy, onChange } = props;
  const [isOver, setIsOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const noteId = `${id}-note`;
  const remove = () => {
    if (input.current) input.current.value = '';
    onChange('');
    input.current?.focus();
  };
  return (
    <>
      <div class="drop-zone" data-over={isOver || undefined}>
        <p>
          <span class="as-link">{value === '' ? 'Choose a file' : 'Choose another file'}</span> or drop it
          here
        </p>
        <p class="description" id={noteId}>
          This example keeps the name of the file only, and uploads nothing.
        </p>
        {/* Browsers take a file that is dropped on it as one that was chosen. */}
        <input
          {...commonAttributes(props)}
          aria-describedby={describedBy === undefined ? noteId : `${describedBy} ${noteId}`}
          ref={input}
          type="file"
          onDragEnter={() => setIsOver(true)}
          onDragLeave={() => setIsOver(false)}
          onDrop={() => setIsOver(false)}
          onInput={({ currentTarget: { files } }) => {
            const name = files?.[0]?.name;
            if (name !== undefined) onChange(name);
          }}
        />
      </div>
      {value !== '' && (
        <div class="file">
          <strong>{value}</strong>
          <button type="button" class="link" onClick={remove}>
            Remove<span class="visually-hidden"> the file: {field.label}</span>
          </button>
        </div>
      )}
    </>
  );
}
