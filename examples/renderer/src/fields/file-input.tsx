import type { SubmissionFile } from 'formtrail-client';
import type { Upload } from 'formtrail-session';
import { sizeText, typesText } from 'formtrail-session/sentences';
import { useRef, useState } from 'preact/hooks';
import { say } from '../sentences';
import { answerText } from './answer-text';
import { commonAttributes, type FileInputProps } from './field-props';

/** A file input. formtrail-session uploads a file as soon as it is chosen or dropped; this component shows its status. */
export function FileInput(props: FileInputProps) {
  const { field, id, value, file, upload, describedBy, onChange, onFiles, onCancel } = props;
  const [isOver, setIsOver] = useState(false);
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const notes = { limits: `${id}-limits`, file: `${id}-file`, leftOut: `${id}-left-out` };
  const limits = limitsOf(props);
  const hasFile = upload !== undefined || value !== '';
  const take = async (list: FileList | null | undefined) => {
    const files = [...(list ?? [])];
    // Reset the input, so that the same file can be chosen again.
    if (input.current) input.current.value = '';
    if (files.length > 0) setLeftOut((await onFiles(files)).map(({ name }) => name));
  };
  const remove = () => {
    if (upload === undefined) onChange('');
    else onCancel();
    // The button disappears, so move the focus to the input.
    input.current?.focus();
  };
  const described = [
    describedBy ?? [],
    limits === '' ? [] : notes.limits,
    hasFile ? notes.file : [],
    leftOut.length > 0 ? notes.leftOut : [],
  ];
  return (
    <>
      <div
        class="drop-zone"
        data-over={isOver || undefined}
        onDragOver={(event) => event.preventDefault()}
        onDragEnter={() => setIsOver(true)}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          // Otherwise the browser opens the file, or the input silently uses only the first of several.
          event.preventDefault();
          setIsOver(false);
          void take(event.dataTransfer?.files);
        }}
      >
        <p>
          <span class="as-link">
            {hasFile ? 'Choose another file' : props.takesSeveral ? 'Choose files' : 'Choose a file'}
          </span>{' '}
          or drop {props.takesSeveral && !hasFile ? 'them' : 'it'} here
        </p>
        {limits !== '' && (
          <p class="description" id={notes.limits}>
            {limits}
          </p>
        )}
        <input
          {...commonAttributes(props)}
          aria-describedby={described.flat().join(' ') || undefined}
          ref={input}
          type="file"
          accept={field.accept ?? undefined}
          multiple={props.takesSeveral}
          onInput={({ currentTarget: { files } }) => void take(files)}
        />
      </div>
      {hasFile && (
        <div class="file" id={notes.file}>
          <p>
            <strong>{upload?.name ?? answerText(field, value, file)}</strong>{' '}
            <span class="quiet">{statusOf(upload, file)}</span>
          </p>
          {upload !== undefined && upload.state !== 'refused' && (
            <progress aria-label={`Uploading ${upload.name}`} max={upload.size} value={upload.sent} />
          )}
          <button type="button" class="link" onClick={remove}>
            {upload === undefined || upload.state === 'refused' ? 'Remove' : 'Cancel'}
            <span class="visually-hidden"> {upload?.name ?? `the file: ${field.label}`}</span>
          </button>
        </div>
      )}
      {leftOut.length > 0 && (
        <p class="error" id={notes.leftOut} role="alert">
          Not uploaded: {leftOut.join(', ')}. {onlyOne}
        </p>
      )}
      <p class="visually-hidden" aria-live="polite">
        {hasFile && newsOf(props)}
      </p>
    </>
  );
}

const onlyOne = say.mistake({ field: '', code: 'too_many_files', params: { max: 1 }, detail: '' });

function limitsOf({ field: { accept, max_bytes } }: FileInputProps): string {
  const limits = [
    accept === null ? [] : typesText(accept),
    max_bytes === null ? [] : `up to ${sizeText(max_bytes)}`,
  ];
  return limits.flat().join(', ');
}

/** Status text beside the name. */
function statusOf(upload: Upload | undefined, file: SubmissionFile | undefined): string {
  switch (upload?.state) {
    case 'waiting':
      return 'Waiting for other uploads';
    case 'uploading':
      return `${Math.floor((upload.sent / Math.max(upload.size, 1)) * 100)} % of ${sizeText(upload.size)}`;
    case 'interrupted':
      return `${say.problem(upload.error)} The upload restarts automatically.`;
    case 'refused':
      return 'Not uploaded';
    case undefined:
      if (file?.state === 'infected') return 'Infected';
      if (file === undefined) return '';
      return file.is_ready ? sizeText(file.size) : 'Being checked for viruses';
  }
}

/** Text for screen readers, which changes less often than the percentage. */
function newsOf({ field, upload, file, mistake }: FileInputProps): string {
  if (upload?.state === 'uploading') return `Uploading ${upload.name}`;
  const name = upload?.name ?? file?.name ?? '';
  if (mistake !== undefined) return say.mistake(mistake, { field, upload, file });
  if (upload !== undefined || file?.is_ready === false) return `${name}: ${statusOf(upload, file)}`;
  return name === '' ? '' : `${name} is uploaded`;
}
