import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formsAddress } from '../route';

interface PageProps {
  /** Of the document; a page says what it is before the name of the site. */
  readonly title: string;
  /** Below the header, on every page the one place that says how things stand. */
  readonly status?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Page({ title, status, aside, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Formtrail`;
  }, [title]);
  return (
    <>
      <header class="site">
        <a class="site-name" href={formsAddress(1)}>
          Formtrail
        </a>
        {status}
      </header>
      <div class={aside ? 'layout with-aside' : 'layout'}>
        {aside}
        <main>{children}</main>
      </div>
    </>
  );
}

/** The one `h1`. It takes the focus whenever `focusOn` is another object, so that a new page is read from its top. */
export function Heading({ children, focusOn }: { children: ComponentChildren; focusOn?: unknown }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focusOn === undefined) return;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [focusOn]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}
