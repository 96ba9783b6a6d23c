import type { DraftStep } from 'formtrail-session';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { reviewAddress, stepAddress } from '../route';

interface ProgressProps {
  /** Address of the draft. */
  readonly address: string;
  readonly steps: readonly DraftStep[];
  /** Position of the shown step. Undefined on the review page. */
  readonly position: number | undefined;
  /** Furthest position that the user has reached. Steps up to it are links. */
  readonly furthest: number;
}

/** The steps of the draft. Answers may show and hide steps while the user is elsewhere on the page. */
export function Progress({ address, steps, position, furthest }: ProgressProps) {
  const [isOpen, setIsOpen] = useState(false);
  const nav = useRef<HTMLElement>(null);
  const hadFocus = nav.current?.contains(document.activeElement);
  useLayoutEffect(() => {
    // If the link that had the focus is hidden, the browser would start again at the top of the page.
    if (hadFocus && document.activeElement === document.body) nav.current?.focus();
  });
  const current = steps.find((step) => step.position === position);
  // The check of the answers is the last step.
  const count = steps.length + 1;
  return (
    <nav class="progress" aria-label="Steps" ref={nav} tabIndex={-1} data-open={isOpen || undefined}>
      <p>{`Step ${current?.number ?? count} of ${count}`}</p>
      <progress max={count} value={current?.number ?? count} aria-label="Progress" />
      <button type="button" class="link" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? 'Hide the steps' : 'Show the steps'}
      </button>
      <ol>
        {steps.map((step) => (
          <ProgressItem
            key={step.id}
            title={step.title}
            isCurrent={step === current}
            isDone={step.position < furthest}
            href={step.position <= furthest ? stepAddress(address, step) : undefined}
          />
        ))}
        <ProgressItem
          title="Check and submit"
          isCurrent={current === undefined}
          isDone={false}
          href={furthest === Number.POSITIVE_INFINITY ? reviewAddress(address) : undefined}
        />
      </ol>
    </nav>
  );
}

interface ProgressItemProps {
  readonly title: string;
  readonly isCurrent: boolean;
  readonly isDone: boolean;
  /** Undefined for a step that the user has not reached. */
  readonly href: string | undefined;
}

function ProgressItem({ title, isCurrent, isDone, href }: ProgressItemProps) {
  const text = <span>{title}</span>;
  if (isCurrent) return <li aria-current="step">{text}</li>;
  return (
    <li class={isDone ? 'done' : undefined}>
      {href === undefined ? text : <a href={href}>{title}</a>}
      {isDone && <span class="visually-hidden"> (done)</span>}
    </li>
  );
}
