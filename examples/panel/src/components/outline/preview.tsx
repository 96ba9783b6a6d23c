import { Box, Button, MessageBox, Text } from '@adminjs/design-system';
import { ApiClient, useNotice } from 'adminjs';
import React, { useEffect, useState } from 'react';
import { CopiedText } from '../copied-text.tsx';
import type { IssuedPreview } from './form-outline-json.ts';

/** Previews by form. Only in memory, so that they outlast the page of a field, but not a reload. */
const previews = new Map<number, IssuedPreview>();

/** Issues a token only on a click, so that reloading the page issues none. */
export function usePreview(formId: number) {
  const [, setCount] = useState(0);
  const notify = useNotice();
  const issue = () => {
    const action = { resourceId: 'forms', recordId: String(formId), actionName: 'preview' };
    void new ApiClient()
      .recordAction({ ...action, method: 'post' })
      .then(({ data }) => {
        const { preview } = data as { preview?: IssuedPreview };
        if (preview !== undefined) previews.set(formId, preview);
        setCount((count) => count + 1);
      })
      .catch(() => notify({ message: 'The preview failed. Reload the page, and try again.', type: 'error' }));
  };
  const preview = previews.get(formId);
  const isValid = preview !== undefined && Date.parse(preview.expiresAt) > Date.now();
  return [isValid ? preview : undefined, issue] as const;
}

/** The height of the page in the frame, if its renderer sends it as `<formtrail-form>` does. Then the frame does not scroll. */
function useSentHeight(url: string | null): number | undefined {
  const [height, setHeight] = useState<number>();
  useEffect(() => {
    if (url === null) return undefined;
    const { origin } = new URL(url);
    const listen = ({ data, origin: sender }: MessageEvent) => {
      const { type, height } = (data ?? {}) as { readonly type?: unknown; readonly height?: unknown };
      if (sender !== origin || type !== 'formtrail-height' || typeof height !== 'number') return;
      setHeight(Math.min(height, HIGHEST));
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, [url]);
  return height;
}

/** In pixels. A page that grows with its frame would grow for ever. */
const HIGHEST = 20_000;

interface PreviewProps {
  readonly preview: IssuedPreview;
  /** Version of the form. Another version loads the frame again. */
  readonly version: number;
}

/** The form in the renderer, beside its outline. A narrow screen has no room for the frame, and shows only the link. */
export function Preview({ preview: { plainToken, url, expiresAt }, version }: PreviewProps) {
  const time = new Date(expiresAt).toLocaleTimeString(undefined, { timeStyle: 'short' });
  const height = useSentHeight(url);
  return (
    <Box as="section" aria-label="Preview" data-testid="preview" className="outline-preview">
      <style>{STYLES}</style>
      <Box mb="default" flex flexDirection="row" flexWrap="wrap" alignItems="center" style={{ gap: 8 }}>
        <Text flexGrow={1}>Preview until {time}</Text>
        {url !== null && (
          <Button as="a" size="sm" href={url} target="_blank" rel="noreferrer">
            Open the form
          </Button>
        )}
      </Box>
      {url === null ? (
        <MessageBox
          variant="info"
          message="The panel knows no renderer. To see the form here, set RENDERER_URL to the URL of your renderer, and start the panel again."
        />
      ) : (
        <iframe
          key={`${plainToken} ${version}`}
          title="Preview of the form"
          src={url}
          {...(height !== undefined && { style: { height } })}
          loading="lazy"
          sandbox="allow-scripts allow-same-origin allow-forms allow-modals allow-downloads"
        />
      )}
      <Text mt="default" mb="default">
        The token is for this form only, even while the form is inactive. Its submissions are tests: exports,
        webhooks and counts leave them out, and they are deleted after a day. The token is shown only here.
      </Text>
      <CopiedText id="preview-token" label="Token" text={plainToken} />
    </Box>
  );
}

/** On a wide screen, the preview stays beside the outline while the page scrolls. On a narrow one, it is above the outline. */
const STYLES = `
  .outline-preview iframe { width: 100%; height: calc(100vh - 260px); min-height: 400px; border: 1px solid #89939f; }
  @media (max-width: 1100px) { .outline-preview iframe { display: none; } }
  @media (min-width: 1101px) { .outline-preview { position: sticky; top: 16px; } }
`;
