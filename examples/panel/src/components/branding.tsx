import type { BrandingOptions } from 'adminjs';
import React, { type ComponentType } from 'react';

interface BrandingProps {
  readonly branding: BrandingOptions;
  readonly OriginalComponent: ComponentType<{ readonly branding: BrandingOptions }>;
}

/**
 * Shows the name of the panel in both themes. The dark theme of AdminJS replaces it by a nameless link with AdminJS's logo. Each page
 * has it, so it also has the styles of all pages.
 */
export default function Branding({ branding, OriginalComponent }: BrandingProps) {
  return (
    <>
      <style>{STYLES}</style>
      <OriginalComponent branding={{ ...branding, logo: false }} />
    </>
  );
}

const STYLES = `
  /* Errors of inputs can take several lines. AdminJS has room for one. */
  [data-testid^="property-edit"] > * > .adminjs_Text { height: auto; min-height: 24px; }
  /* Notices of AdminJS are wider than a phone. */
  [data-testid="notice-wrapper"] * { min-width: 0 !important; }
  /* Lines of inputs are short enough to read, and the button that saves them stays in sight. */
  [data-css$="-edit-form"], [data-css$="-new-form"] { max-width: 640px; }
  [data-css$="-edit-drawer-footer"], [data-css$="-new-drawer-footer"] {
    position: sticky; bottom: 0; z-index: 1; padding-top: 16px !important; padding-bottom: 16px !important; background: inherit;
    justify-content: flex-start; border-top: 1px solid rgb(128 128 128 / 30%);
  }
  /* A long text of a box to tick stays beside the box. */
  .adminjs_Checkbox + .adminjs_Label { max-width: calc(100% - 40px); }
  /* Links to other records begin where other values do, and words in narrow columns stay whole. */
  [data-testid^="property-show"] a, td a { text-align: start !important; }
  td, td a { word-break: normal !important; overflow-wrap: break-word; }
  .form-section { font-size: 18px; font-weight: 600; margin: 32px 0 16px; padding-top: 16px; border-top: 1px solid rgb(128 128 128 / 30%); }
  [data-css$="-drawer-content"] > .form-section:first-child { margin-top: 0; padding-top: 0; border-top: 0; }
`;
