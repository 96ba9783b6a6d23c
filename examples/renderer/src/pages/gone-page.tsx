import { NewHeading, Page } from '../page/page';
import { draftAddress, formAddress, formsAddress, goTo } from '../route';
import { signedIn } from '../service';
import { useStore } from '../store';
import { BeginButton } from './begin-button';

/** Shown for 404. The service does not distinguish a deleted submission from another user's (S1), so this page cannot either. */
export function GonePage({ formUuid }: { formUuid: string }) {
  const { token } = useStore(signedIn);
  return (
    <Page title="Draft not found">
      <NewHeading>Draft not found</NewHeading>
      <p>It was deleted, or it belongs to someone else, who can continue it.</p>
      <div class="buttons">
        {token === undefined ? (
          <a href={formAddress(formUuid)}>Begin again</a>
        ) : (
          <BeginButton
            formUuid={formUuid}
            label="Begin again"
            onOpen={(draftUuid) => goTo(draftAddress(formUuid, draftUuid), 'replace')}
          />
        )}
        <a href={formsAddress(1)}>All forms</a>
      </div>
    </Page>
  );
}
