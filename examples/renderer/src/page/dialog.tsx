import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { route } from '../route';
import { signedIn } from '../service';
import { Store, useStore } from '../store';

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** `danger` is for what cannot be undone. */
  readonly look?: 'primary' | 'danger';
}

interface Question<Value extends string> {
  readonly title: string;
  readonly text: string;
  /** The buttons before "Cancel". */
  readonly choices: readonly Choice<Value>[];
}

interface Asked extends Question<string> {
  readonly answer: (value: string) => void;
}

const asked = new Store<Asked | undefined>(undefined);

/** Asks in a dialog. Resolves to the chosen value, or to undefined if the user cancels or the page changes. */
export function ask<Value extends string>(question: Question<Value>): Promise<Value | undefined> {
  return new Promise((resolve) => {
    const answer = (value: string) => {
      asked.set(undefined);
      resolve(question.choices.find((choice) => choice.value === value)?.value);
    };
    // A question that is already there counts as canceled.
    asked.getSnapshot()?.answer('');
    asked.set({ ...question, answer });
  });
}

/** Asks before something that cannot be undone. `label` is the label of the red button. */
export async function confirmed(title: string, text: string, label: string): Promise<boolean> {
  return (await ask({ title, text, choices: [{ value: 'yes', label, look: 'danger' }] })) !== undefined;
}

/** Shows the question of {@link ask}. The browser keeps the focus in the dialog, and returns it to the button that has opened it. */
export function Dialog() {
  const question = useStore(asked);
  const page = useStore(route);
  const user = useStore(signedIn);
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (question !== undefined) dialog.current?.showModal();
  }, [question]);
  useEffect(() => dialog.current?.close(), [page, user]);
  if (question === undefined) return null;
  const { title, text, choices, answer } = question;
  const isDangerous = choices.some(({ look }) => look === 'danger');
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby="dialog-title"
      aria-describedby="dialog-text"
      onClose={({ currentTarget }) => answer(currentTarget.returnValue)}
    >
      <h2 id="dialog-title">{title}</h2>
      <p id="dialog-text">{text}</p>
      <div class="buttons">
        {choices.map(({ value, label, look }) => (
          <button key={value} type="button" class={look} onClick={() => dialog.current?.close(value)}>
            {label}
          </button>
        ))}
        {/* The dialog opens with the focus on the first button, or on the harmless one. */}
        <button type="button" autofocus={isDangerous} onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
