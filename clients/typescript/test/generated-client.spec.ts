import createClient from 'openapi-fetch';
import type { paths } from '../src/schema.js';

/** Responds with one of the two bodies of an error, by the `Accept` of the request. */
const fetch = (request: Request) =>
  Promise.resolve(
    request.headers.get('Accept') === 'application/problem+json'
      ? Response.json({ code: 'submission_not_found' }, { status: 404 })
      : Response.json({ message: 'Submission not found.' }, { status: 404 }),
  );
const GET = ['/api/v1/submissions/{uuid}', { params: { path: { uuid: 'unknown' } } }] as const;

// The compiler checks these types, in "npm run types".
describe('a client that is generated from the OpenAPI document', () => {
  it('has the message of an error, because it names the media type JSON', async () => {
    const client = createClient<paths, 'application/json'>({ baseUrl: 'https://forms.example.org', fetch });
    const { error } = await client.GET(...GET);
    const message: string | undefined = error?.message;
    expect(message).toBe('Submission not found.');
  });

  it('has the code of an error, because it asks for problem details', async () => {
    const client = createClient<paths, 'application/problem+json'>({
      baseUrl: 'https://forms.example.org',
      headers: { Accept: 'application/problem+json' },
      fetch,
    });
    const { error } = await client.GET(...GET);
    const code: string | undefined = error?.code;
    expect(code).toBe('submission_not_found');
  });
});
