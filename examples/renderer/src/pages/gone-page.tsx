import { NewHeading, Page } from '../page/page';
import { draftAddress, formsAddress, goTo } from '../route';
import { BeginButton } from './begin-button';

/** 404: the service does not tell a deleted submission from another person's (S1), and so neither does this page. */
export function GonePage({ formUuid }: { formUuid: string }) {
  return (
    <Page title="Your draft is not there">
      <NewHeading>Your draft is not there</NewHeading>
      <p>It was deleted, or it is somebody else&rsquo;s: with their access token it can be continued.</p>
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
