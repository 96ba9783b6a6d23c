import { UnsavedAnswers } from '../draft/unsaved-answers';
import { Heading, Page } from '../page/page';
import { StatusLine } from '../page/status-line';
import { formsAddress } from '../route';
import { BeginButton } from './begin-button';

interface GonePageProps {
  readonly formUuid: string;
  readonly submissionUuid: string;
  readonly onBegun: (submissionUuid: string) => void;
}

/** 404: the service does not tell a deleted submission from another person's (S1), and so neither does this page. */
export function GonePage({ formUuid, submissionUuid, onBegun }: GonePageProps) {
  const begun = (newUuid: string) => {
    new UnsavedAnswers(submissionUuid).clear();
    onBegun(newUuid);
  };
  return (
    <Page title="Your draft is not there" status={<StatusLine />}>
      <Heading focusOn={submissionUuid}>Your draft is not there</Heading>
      <p>It was deleted, or it is somebody else&rsquo;s: with their access token it can be continued.</p>
      <BeginButton formUuid={formUuid} label="Begin again" onBegun={begun} />
      <p>
        <a href={formsAddress(1)}>All forms</a>
      </p>
    </Page>
  );
}
