import { MessageBox } from '@adminjs/design-system';
import React from 'react';

/** Says why an action failed. The message is announced to screen readers. */
export function Failure({ message }: { readonly message: string }) {
  return (
    <div role="alert">{message !== '' && <MessageBox variant="danger" message={message} mb="lg" />}</div>
  );
}
