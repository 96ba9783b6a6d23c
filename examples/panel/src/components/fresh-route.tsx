import React, { type ComponentType } from 'react';
import { useParams } from 'react-router';

/**
 * A route of AdminJS, mounted again for each resource and record. Otherwise AdminJS renders a record once with the resource of the next
 * page if both records have the same id, and calls fewer hooks for a resource that does not exist. Either leaves a white page.
 */
export default function FreshRoute({ OriginalComponent }: { readonly OriginalComponent: ComponentType }) {
  const { resourceId = '', recordId = '' } = useParams();
  return <OriginalComponent key={`${resourceId} ${recordId}`} />;
}
