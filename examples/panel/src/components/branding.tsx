import type { BrandingOptions } from 'adminjs';
import React, { type ComponentType } from 'react';

interface BrandingProps {
  readonly branding: BrandingOptions;
  readonly OriginalComponent: ComponentType<{ readonly branding: BrandingOptions }>;
}

/** Shows the name of the panel in both themes. The dark theme of AdminJS replaces it by a nameless link with AdminJS's logo. */
export default function Branding({ branding, OriginalComponent }: BrandingProps) {
  return <OriginalComponent branding={{ ...branding, logo: false }} />;
}
