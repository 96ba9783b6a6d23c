import type { Form, FormPage } from 'formtrail-client';
import { HEADING_ID, useFocus } from '../focus';
import { Heading, Page } from '../page/page';
import { Skeleton } from '../page/skeleton';
import { Trouble } from '../page/trouble';
import { draftAddress, formsAddress, goTo } from '../route';
import { client } from '../service';
import { useLoad } from '../use-load';
import { BeginButton } from './begin-button';
import { CompletedList } from './completed-list';
import { DraftList } from './draft-list';
import { StepCount } from './step-count';
import { loadSubmissions } from './submission-list';

export function FormListPage({ page }: { page: number }) {
  const focusOn = useFocus();
  const { load, again } = useLoad(async () => {
    const [forms, drafts, completed] = await Promise.all([
      client.listForms({ page }),
      loadSubmissions('draft'),
      loadSubmissions('completed'),
    ]);
    return { forms, drafts, completed };
  }, page);
  return (
    <Page title="Forms">
      {load.kind === 'failed' ? (
        <Trouble error={load.error} onTryAgain={again} />
      ) : (
        <>
          <Heading>Forms</Heading>
          {load.kind === 'loading' ? (
            <Skeleton shape="list" />
          ) : (
            <>
              <DraftList
                key={`draft ${page}`}
                first={load.result.drafts}
                onDeleted={() => focusOn(HEADING_ID)}
              />
              <FormList page={load.result.forms} />
              <CompletedList key={`completed ${page}`} first={load.result.completed} />
            </>
          )}
        </>
      )}
    </Page>
  );
}

function FormList({ page: { data: forms, meta } }: { page: FormPage }) {
  if (forms.length === 0) {
    return <p>There are no forms here. {meta.current_page > 1 && <a href={formsAddress(1)}>All forms</a>}</p>;
  }
  return (
    <section aria-labelledby="forms">
      <h2 id="forms">Begin a form</h2>
      {/* Safari drops the list role of lists without bullets, so set the role explicitly. */}
      <ul class="cards" role="list">
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
    </section>
  );
}

function FormItem({ form: { uuid, name, description } }: { form: Form }) {
  const headingId = `form-${uuid}`;
  return (
    <li>
      <div>
        <h3 id={headingId}>{name}</h3>
        {description !== '' && <p>{description}</p>}
        <p class="quiet">
          <StepCount formUuid={uuid} />
        </p>
      </div>
      <BeginButton
        formUuid={uuid}
        describedBy={headingId}
        isSecondary
        onOpen={(draftUuid) => goTo(draftAddress(uuid, draftUuid))}
      />
    </li>
  );
}
