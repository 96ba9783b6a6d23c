import { useEffect, useState } from 'preact/hooks';

/** Ids of what can come into focus. That of a question or group has no white space, of which an entity's name may have some. */
export const HEADING_ID = 'heading';
export const PROBLEMS_ID = 'problems';
export const CHANGES_ID = 'changes';
export const placeId = (key: string) => `place-${encodeURIComponent(key)}`;
export const entryId = (recordId: number) => `entry-${recordId}`;

/** Gives a function that moves the focus, once what it goes to is on the page. */
export function useFocus(): (id: string) => void {
  const [target, setTarget] = useState<{ id: string }>();
  useEffect(() => {
    if (target === undefined) return;
    const element = document.getElementById(target.id);
    // A new page is read from its top.
    element?.focus({ preventScroll: target.id === HEADING_ID });
    if (target.id === HEADING_ID) scrollTo(0, 0);
  }, [target]);
  return (id) => setTarget({ id });
}
