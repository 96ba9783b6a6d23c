import { Box, Button, H3, Input, Label, Loader, MessageBox, Text } from '@adminjs/design-system';
import type { ActionProps } from 'adminjs';
import encodeQR from 'qr';
import React, { type ChangeEvent, useState } from 'react';
import { CopiedText } from '../copied-text.tsx';
import { Failure } from './failure.tsx';
import { Page } from './page.tsx';
import type { ShareJson } from './publishing-json.ts';
import { useActionData } from './use-form-action.ts';

/** The addresses of a live form, with what a web page needs to show it, and a QR code. */
export default function Share({ record }: ActionProps) {
  const { data, failure } = useActionData<ShareJson>(record?.id ?? '', 'share', 'share');
  if (data === undefined) return failure === '' ? <Loader /> : <Failure message={failure} />;
  const { slug, uuid, access, serviceUrl, pageUrl } = data;
  const service = serviceUrl ?? 'https://forms.example.org';
  return (
    <Page>
      <Text mb="xl">
        {access === 'public'
          ? 'Everybody who has the address can fill in this form.'
          : 'Only people with a token can fill in this form. To open it for everybody, edit the form, and set Access to Public.'}
      </Text>
      <PageAddress pageUrl={pageUrl} slug={slug} />
      <H3 as="h3" fontSize="h4" mt="xl">
        On a page of your own
      </H3>
      <CopiedText id="snippet" label="HTML" rows={4} text={snippetOf(slug, service)} />
      <Text mb="lg">
        The page needs the scripts of formtrail-elements in the folder “formtrail”, and CORS_ORIGINS of the
        service has to name its origin.
      </Text>
      <H3 as="h3" fontSize="h4" mt="xl">
        For programs
      </H3>
      {serviceUrl === null && (
        <MessageBox
          variant="info"
          mb="lg"
          message={`The panel does not know the address of the service, so these addresses begin with ${service}. Set PUBLIC_URL, and start the panel again.`}
        />
      )}
      <CopiedText id="by-slug" label="Address by slug" text={`${service}/api/v1/forms/${slug}/by-slug`} />
      <CopiedText id="by-uuid" label="Address by UUID" text={`${service}/api/v1/forms/${uuid}`} />
    </Page>
  );
}

function PageAddress({ pageUrl, slug }: Pick<ShareJson, 'pageUrl' | 'slug'>) {
  const [address, setAddress] = useState(pageUrl ?? '');
  const svg = svgOf(address);
  return (
    <Box as="section" aria-label="Address and QR code">
      {pageUrl !== null && <CopiedText id="page" label="Address for people" text={pageUrl} />}
      <Label htmlFor="qr-address">
        {pageUrl === null ? 'Address of the page with the form' : 'QR code for'}
      </Label>
      <Input
        id="qr-address"
        type="url"
        width={1}
        placeholder="https://www.example.org/registration"
        value={address}
        onChange={({ target }: ChangeEvent<HTMLInputElement>) => setAddress(target.value)}
      />
      {svg === undefined ? (
        <Text mt="sm">
          {address === ''
            ? 'Enter the address to get a QR code.'
            : 'This is no address of a web page, or it is too long.'}
        </Text>
      ) : (
        <Box mt="lg" flex flexDirection="row" flexWrap="wrap" alignItems="flex-end" style={{ gap: 16 }}>
          <img
            src={svg}
            alt={`QR code for ${address}`}
            width={200}
            height={200}
            style={{ background: '#fff' }}
          />
          <Button as="a" variant="outlined" href={svg} download={`${slug}.svg`}>
            Download as SVG
          </Button>
        </Box>
      )}
    </Box>
  );
}

/** A data URL of the QR code, which the browser draws by itself. */
function svgOf(address: string): string | undefined {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return undefined;
  try {
    return `data:image/svg+xml,${encodeURIComponent(encodeQR(address, 'svg', { border: 4 }))}`;
  } catch {
    return undefined;
  }
}

const snippetOf = (slug: string, service: string) =>
  `<formtrail-form form="${slug}" url="${service}"></formtrail-form>
<script type="module" src="/formtrail/formtrail-form.js"></script>`;
