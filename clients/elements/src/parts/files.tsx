// The build adds this module to the chunk of the session that loads before a form with files is shown.
import type { Question } from 'formtrail-session';
import { answerText } from 'formtrail-session/inputs';
import type { Sentences } from '../sentences.js';
import { showFiles } from '../view/components.js';
import { commonAttributes, type InputProps } from '../view/props.js';
import type { Words } from '../words.js';
import { FILES_ENGLISH } from './files-english.js';

/** A file input. formtrail-session uploads a file as soon as it is chosen or dropped; this component shows the progress. */
function FileInput(props: InputProps) {
  const { question, visit, words, id, describedBy } = props;
  const text = textOf(words);
  const { key, field, value, file, upload } = question;
  const limits = [
    field.accept === null ? [] : text.fileTypes(field.accept),
    field.max_bytes === null ? [] : text.upTo(words.size(field.max_bytes)),
  ].flat();
  const name = upload?.name ?? (value === '' ? undefined : answerText(field, value, file, words));
  const described = [
    describedBy ?? [],
    limits.length === 0 ? [] : `${id}-limits`,
    name === undefined ? [] : `${id}-file`,
  ].flat();
  const leftOut = visit.leftOut?.key === key ? visit.leftOut.names : undefined;
  const choose = (input: HTMLInputElement) => {
    void visit.attach(question, [...(input.files ?? [])]);
    // Reset the input, so that the same file can be chosen again.
    input.value = '';
  };
  const remove = () => {
    if (upload === undefined) visit.draft.change(key, '');
    else visit.draft.cancelUpload(key);
    // The button disappears, so move the focus to the input.
    visit.focusOn(id);
  };
  const isOnItsWay = upload !== undefined && upload.state !== 'refused';
  return (
    <>
      {limits.length > 0 && (
        <p id={`${id}-limits`} part="hint">
          {limits.join(text.separator)}
        </p>
      )}
      <div part="input file-input">
        <label for={id}>{name === undefined ? text.chooseFile : text.chooseAnother}</label>
        {/* Covers the whole place, so that files can be dropped there. */}
        <input
          {...commonAttributes(props)}
          aria-describedby={described.join(' ') || undefined}
          type="file"
          multiple={visit.groupWithRoom(key) !== undefined}
          accept={field.accept ?? undefined}
          onDragEnter={({ currentTarget }) => currentTarget.classList.add('over')}
          onDragLeave={({ currentTarget }) => currentTarget.classList.remove('over')}
          onDrop={({ currentTarget }) => currentTarget.classList.remove('over')}
          onInput={({ currentTarget }) => choose(currentTarget)}
        />
      </div>
      {name !== undefined && (
        <div id={`${id}-file`} part="file">
          <p>
            <strong>
              <bdi>{name}</bdi>
            </strong>{' '}
            <bdi class="quiet">{statusOf(question, words)}</bdi>
          </p>
          {isOnItsWay && (
            <progress
              part="bar"
              max={upload.size}
              value={upload.sent}
              aria-label={text.uploadingFile(name)}
            />
          )}
          <button type="button" part="button link" onClick={remove}>
            {isOnItsWay ? text.cancel : text.remove} <span class="visually-hidden">{name}</span>
          </button>
        </div>
      )}
      <p part="error" role="alert">
        {leftOut && text.leftOut(leftOut)}
      </p>
      <p class="visually-hidden" aria-live="polite">
        {name !== undefined && newsOf(question, words, name)}
      </p>
    </>
  );
}

const textOf = ({ text }: Words): Sentences => ({ ...FILES_ENGLISH, ...text });

/** Status text beside the name. */
function statusOf({ upload, file }: Question, words: Words): string {
  const text = textOf(words);
  const { size } = words;
  switch (upload?.state) {
    case 'waiting':
      return text.isWaiting;
    case 'uploading':
      return `${Math.floor((upload.sent / Math.max(upload.size, 1)) * 100)} % / ${size(upload.size)}`;
    case 'interrupted':
      return text.isInterrupted;
    case 'refused':
      return text.isRefused;
    case undefined:
      if (file?.state === 'infected') return text.isInfected;
      if (file === undefined) return '';
      return file.is_ready ? size(file.size) : text.isChecked;
  }
}

/** Text for screen readers, which changes less often than the percentage. */
function newsOf(question: Question, words: Words, name: string): string {
  const { upload, file, mistake } = question;
  if (upload?.state === 'uploading') return textOf(words).uploadingFile(name);
  if (mistake !== undefined) return `${name}: ${words.mistake(mistake, question)}`;
  if (upload !== undefined || file?.is_ready === false) return `${name}: ${statusOf(question, words)}`;
  return textOf(words).uploaded(name);
}

showFiles(FileInput);
