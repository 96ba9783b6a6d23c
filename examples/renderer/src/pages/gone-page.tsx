import { NewHeading, Page } from '../page/page';
import { draftAddress, formsAddress, goTo } from '../route';
import { BeginButton } from './begin-button';

/** Shown for 404. The service does not distinguish a deleted submission from another user's (S1), so this page cannot either. */
export function GonePage({ formUuid }: { formUuid: string }) {
  return (
    <Page title="Draft not found">
      <NewHeading>Draft not found</NewHeading>
      <p>It was deleted, or it belongs to someone else, who can continue it with their access token.</p>
      <BeginButton
        formUuid={formUuid}
        label="Begin again"
        onBegun={(draftUuid) => goTo(draftAddress(formUuid, draftUuid), 'replace')}
      />
      <p>
        <a href={formsAddress(1)}>All forms</a>
      </p>
    </Page>
  );
}
