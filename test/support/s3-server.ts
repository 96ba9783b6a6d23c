import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

export const BUCKET = 'formtrail-files';

/** Environment variables of the AWS SDK for {@link s3Server}. s3rver accepts only these keys. */
const KEYS = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' };

/** The CORS rules of docs/operations/install.md: pages of any origin may upload, and any origin may read, even `null`. */
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

/** Starts an S3 server in this process. */
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
    // Unlike S3, s3rver checks the signature of preflights, which browsers do not sign.
    server.middleware.unshift((context, next) => {
      if (context.method === 'OPTIONS') context.querystring = '';
      return next();
    });
    // Unlike S3, s3rver does not decode escapes such as `+` and `%3F` in the source of a copy.
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
