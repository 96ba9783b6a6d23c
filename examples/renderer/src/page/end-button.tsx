import type { Draft } from 'formtrail-session';
import { formAddress, goTo } from '../route';
import { ask } from './dialog';

/** Ends the respondent's token, and removes everything of the respondent from a shared device. */
export function EndButton({ draft, form }: { draft: Draft; form: { readonly uuid: string } }) {
  const end = async () => {
    await draft.save();
    const snapshot = draft.getSnapshot();
    if (snapshot.status === 'open' && !(await mayEnd(/^(saved|unchanged)$/.test(snapshot.saving.kind))))
      return;
    // Nothing is left on the device at once. If the service cannot be reached, the token expires there.
    draft.signOut().catch(() => undefined);
    goTo(formAddress(form.uuid), 'replace');
  };
  return (
    <button type="button" class="link" onClick={() => void end()}>
      End on this device
    </button>
  );
}

async function mayEnd(isSaved: boolean): Promise<boolean> {
  const loss = isSaved ? '' : 'Some answers or files are not saved. They will be deleted. ';
  const answer = await ask({
    title: 'End on this device?',
    text: `${loss}This device forgets your answers. To continue later, first make a code with “Continue on another device”.`,
    choices: [{ value: 'end', label: 'End', look: isSaved ? 'primary' : 'danger' }],
  });
  return answer !== undefined;
}
