import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

export const BUCKET = 'formtrail-files';

/** What the AWS SDK reads of the environment for {@link s3Server}; s3rver knows no other keys. */
const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' };

/** As docs/operations.md asks for: any page may upload, and whatever follows a link may read, a `null` origin too. */
const CORS = `<?xml version="1.0" encoding="UTF-8"?>
<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <CORSRule>
    <AllowedOrigin>http://*</AllowedOrigin>
    <AllowedMethod>PUT</AllowedMethod>
    <AllowedHeader>x-amz-checksum-sha256</AllowedHeader>
  </CORSRule>
  <CORSRule>
    <AllowedOrigin>*</AllowedOrigin>
    <AllowedMethod>GET</AllowedMethod>
  </CORSRule>
</CORSConfiguration>`;

/** An S3 server of this process. */
export async function s3Server() {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'formtrail-s3-'));
  const start = async (port: number) => {
    const server = new S3rver({
      directory,
      address: '127.0.0.1',
      port,
      silent: true,
      configureBuckets: [{ name: BUCKET, configs: [CORS] }],
    });
    // It would check the signature of a preflight, which browsers do not sign, nor S3 checks.
    server.middleware.unshift((context, next) => {
      if (context.method === 'OPTIONS') context.querystring = '';
      return next();
    });
    // It leaves the escapes of `+`, `?` and others in the source of a copy, which S3 decodes as a form does.
    server.middleware.unshift((context, next) => {
      const source = context.headers['x-amz-copy-source'];
      if (typeof source === 'string') {
        const [key = ''] = source.split('?');
        context.headers['x-amz-copy-source'] = encodeURI(decodeURIComponent(key.replaceAll('+', ' ')));
      }
      return next();
    });
    const address = await server.run();
    return { server, port: address.port };
  };
  let running = await start(0);
  return {
    variables: { ...KEYS, AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${running.port}` },
    stop: () => running.server.close(),
    startAgain: async () => {
      running = await start(running.port);
    },
    remove: async () => {
      await running.server.close().catch(() => undefined);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
