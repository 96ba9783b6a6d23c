import { ApiClient, useNotice } from 'adminjs';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router-dom';

type ActionData = Readonly<Record<string, unknown>> & {
  readonly redirectUrl?: string;
  readonly notice?: { readonly message: string; readonly type: 'success' };
};

/** Reads `key` from the response of an action of a form. `reload` reads it again. `query` is such as `?locale=de`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the shape is the server's, as with a typed fetch
export function useActionData<T>(formId: string | number, actionName: string, key: string, query = '') {
  const [data, setData] = useState<T>();
  const [failure, setFailure] = useState('');
  const reload = async () => {
    try {
      const action = { resourceId: 'forms', recordId: String(formId), actionName };
      const params = Object.fromEntries(new URLSearchParams(query));
      const response = await new ApiClient().recordAction({ ...action, params });
      setFailure('');
      setData((response.data as unknown as Record<string, T>)[key]);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  useEffect(() => void reload(), [formId, actionName, query]);
  return { data, failure, reload };
}

/** Returns a function that executes an action of a form, or of another record, and then opens the page to which the panel redirects. */
export function useFormAction(recordId: string | number, resourceId = 'forms') {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState('');
  const notify = useNotice();
  const navigate = useNavigate();
  const act = async (actionName: string, data: Readonly<Record<string, unknown>> = {}) => {
    if (isBusy) return false;
    setBusy(true);
    setFailure('');
    try {
      const action = { resourceId, recordId: String(recordId), actionName };
      const response = await new ApiClient().recordAction({ ...action, method: 'post', data });
      const { notice, redirectUrl } = response.data as unknown as ActionData;
      if (notice !== undefined) notify(notice);
      if (redirectUrl !== undefined) navigate(redirectUrl);
      return true;
    } catch (error) {
      setFailure(messageOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { act, isBusy, failure };
}

function messageOf(error: unknown): string {
  const { response } = error as { readonly response?: { readonly data?: { readonly message?: string } } };
  return response?.data?.message ?? 'The panel cannot be reached. Try again.';
}
