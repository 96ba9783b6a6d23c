import { ApiClient } from 'adminjs';
import { createContext, useContext, useEffect, useState } from 'react';
import type { TestedStep } from './condition-sentences.js';

const NONE: readonly TestedStep[] = [];

/** The fields that the conditions of a page can test, by step. */
export const TestedSteps = createContext(NONE);

export const useTestedSteps = () => useContext(TestedSteps);

/** Loads the fields that conditions of a form can test, by step. Empty while it loads. */
export function useLoadedSteps(formId: string | number | undefined): readonly TestedStep[] {
  const [steps, setSteps] = useState(NONE);
  useEffect(() => {
    if (!formId) return;
    const action = { resourceId: 'forms', recordId: String(formId), actionName: 'testedFields' };
    void new ApiClient()
      .recordAction(action)
      .then(({ data }) => setSteps((data as { testedSteps?: readonly TestedStep[] }).testedSteps ?? NONE));
  }, [formId]);
  return steps;
}
