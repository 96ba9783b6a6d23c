import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { HEADING_ID, useFocus } from '../focus';
import { formsAddress } from '../route';
import { signedIn, signOut } from '../service';
import { useStore } from '../store';
import { StatusLine, type StatusLineProps } from './status-line';

interface PageProps extends StatusLineProps {
  /** Title of the document, before the name of the site. */
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Page({ title, saving, isUploading, aside, children }: PageProps) {
  const { token } = useStore(signedIn);
  useEffect(() => {
    document.title = `${title} – Formtrail`;
  }, [title]);
  return (
    <>
      <header class="site">
        <a class="site-name" href={formsAddress(1)}>
          Formtrail
        </a>
        <StatusLine {...{ saving, isUploading }} />
        {token !== undefined && (
          <button type="button" class="link" onClick={signOut}>
            Sign out
          </button>
        )}
      </header>
      <div class={aside ? 'layout with-aside' : 'layout'}>
        {aside}
        <main>{children}</main>
      </div>
    </>
  );
}

/** The only `h1` of the page. It can have the focus. */
export function Heading({ children }: { children: ComponentChildren }) {
  return (
    <h1 id={HEADING_ID} tabIndex={-1}>
      {children}
    </h1>
  );
}

/** A heading that takes the focus when it appears, so that screen readers announce the page. */
export function NewHeading({ children }: { children: ComponentChildren }) {
  const focusOn = useFocus();
  useEffect(() => focusOn(HEADING_ID), []);
  return <Heading>{children}</Heading>;
}
