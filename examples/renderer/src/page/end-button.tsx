import type { Draft } from 'formtrail-session';
import { useState } from 'preact/hooks';
import { formAddress, goTo } from '../route';
import { Failure } from './trouble';

/** Ends the respondent's token and removes it from a shared device. */
export function EndButton({ draft, form }: { draft: Draft; form: { readonly uuid: string } }) {
  const [error, setError] = useState<unknown>();
  const end = async () => {
    const isOpen = draft.getSnapshot().status === 'open';
    if (isOpen && !confirm('End on this device? To continue later, you need a resume code.')) return;
    // The status line shows why saving failed.
    if (isOpen && (await draft.save()) === 'failed') return;
    try {
      await draft.signOut();
      goTo(formAddress(form.uuid), 'replace');
    } catch (cause) {
      setError(cause);
    }
  };
  return (
    <>
      <button type="button" class="link" onClick={() => void end()}>
        End on this device
      </button>
      <Failure error={error} />
    </>
  );
}
