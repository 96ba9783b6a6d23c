import { ApiClient } from 'adminjs';
import { createContext, useContext, useEffect, useState } from 'react';
import type { TestedStep } from './tested-fields.js';

type Steps = readonly TestedStep[];

const NONE: Steps = [];

/** The fields of the form that hold a value, by step. */
export const TestedSteps = createContext(NONE);

export const useTestedSteps = () => useContext(TestedSteps);

/** Requests by form. Several properties of a page need the fields at the same time. */
const pending = new Map<string, Promise<Steps>>();

/** Loads the fields of a form that hold a value, by step. Empty while it loads. */
export function useLoadedSteps(formId: string | number | undefined): Steps {
  const [steps, setSteps] = useState(NONE);
  useEffect(() => {
    if (formId) void loadSteps(String(formId)).then(setSteps);
  }, [formId]);
  return steps;
}

function loadSteps(recordId: string): Promise<Steps> {
  const request =
    pending.get(recordId) ??
    new ApiClient()
      .recordAction({ resourceId: 'forms', recordId, actionName: 'testedFields' })
      .then(({ data }) => (data as { testedSteps?: Steps }).testedSteps ?? NONE)
      .finally(() => pending.delete(recordId));
  pending.set(recordId, request);
  return request;
}
