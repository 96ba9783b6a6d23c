import React, { type ComponentType } from 'react';
import { useParams } from 'react-router';

/**
 * AdminJS's list of a resource, mounted again for each resource. For a resource that does not exist, AdminJS calls fewer hooks, and
 * React would leave a white page when the person goes on to another resource.
 */
export default function ResourceRoute({ OriginalComponent }: { readonly OriginalComponent: ComponentType }) {
  return <OriginalComponent key={useParams()['resourceId']} />;
}
