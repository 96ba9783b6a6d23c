import { useEffect, useState } from 'preact/hooks';

/** Ids of elements that can have the focus. Keys are encoded, because the name of an entity may contain white space. */
export const HEADING_ID = 'heading';
export const PROBLEMS_ID = 'problems';
export const CHANGES_ID = 'changes';
export const placeId = (key: string) => `place-${encodeURIComponent(key)}`;
export const entryId = (recordId: number) => `entry-${recordId}`;

/** Returns a function that moves the focus after the next rendering, when the target is on the page. */
export function useFocus(): (id: string) => void {
  const [target, setTarget] = useState<{ id: string }>();
  useEffect(() => {
    if (target === undefined) return;
    // In a frame, such as the preview of the panel, do not take the focus from the page around it.
    if (self !== top && !document.hasFocus()) return;
    const element = document.getElementById(target.id);
    // A new page starts at the top.
    element?.focus({ preventScroll: target.id === HEADING_ID });
    if (target.id === HEADING_ID) scrollTo(0, 0);
  }, [target]);
  return (id) => setTarget({ id });
}
