import type { Form, FormPage } from 'formtrail-client';
import { useState } from 'preact/hooks';
import { Heading, Page } from '../page/page';
import { StatusLine } from '../page/status-line';
import { Trouble } from '../page/trouble';
import { draftAddress, formsAddress } from '../route';
import { client } from '../service';
import { useLoad } from '../use-load';
import { BeginButton } from './begin-button';
import { DraftList, loadDrafts } from './draft-list';

export function FormListPage({ page }: { page: number }) {
  const [givenUp, setGivenUp] = useState<object>();
  const { load, again } = useLoad(async () => {
    const [forms, drafts] = await Promise.all([client.listForms({ page }), loadDrafts()]);
    return { forms, drafts };
  }, page);
  return (
    <Page title="Forms" status={<StatusLine />}>
      {load.kind === 'failed' ? (
        <Trouble error={load.error} onTryAgain={again} />
      ) : (
        <>
          <Heading focusOn={givenUp}>Forms</Heading>
          {load.kind === 'loading' ? (
            <p class="quiet">Loading…</p>
          ) : (
            <>
              <DraftList key={page} first={load.result.drafts} onGivenUp={() => setGivenUp({})} />
              <FormList page={load.result.forms} />
            </>
          )}
        </>
      )}
    </Page>
  );
}

function FormList({ page: { data: forms, meta } }: { page: FormPage }) {
  if (forms.length === 0) return <p>There are no forms here.</p>;
  return (
    <>
      {/* The role is said because Safari takes it from lists without bullets. */}
      <ul class="forms" role="list">
        {forms.map((form) => (
          <FormItem key={form.uuid} form={form} />
        ))}
      </ul>
      {meta.last_page > 1 && (
        <nav class="pages" aria-label="Pages">
          {meta.current_page > 1 && <a href={formsAddress(meta.current_page - 1)}>Previous page</a>}
          <span>
            Page {meta.current_page} of {meta.last_page}
          </span>
          {meta.current_page < meta.last_page && <a href={formsAddress(meta.current_page + 1)}>Next page</a>}
        </nav>
      )}
    </>
  );
}

function FormItem({ form: { uuid, name, description } }: { form: Form }) {
  const headingId = `form-${uuid}`;
  return (
    <li>
      <h2 id={headingId}>{name}</h2>
      {description !== '' && <p>{description}</p>}
      <BeginButton
        formUuid={uuid}
        describedBy={headingId}
        onBegun={(draftUuid) => (location.hash = draftAddress(uuid, draftUuid))}
      />
    </li>
  );
}
