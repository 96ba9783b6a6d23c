import type AdminJS from 'adminjs';
import type { FastifyInstance } from 'fastify';
import { HttpError } from './errors.js';

interface Address {
  readonly resourceId?: string;
  readonly recordId?: string;
  readonly action?: string;
  readonly pageName?: string;
}

/** Rejects requests to which AdminJS would respond with 500, or with 200 although the URL does not exist. */
export function checkRequests(app: FastifyInstance, admin: AdminJS): void {
  const { rootPath, loginPath } = admin.options;
  // AdminJS would treat each character of a plain text body as a field.
  app.removeContentTypeParser('text/plain');
  app.addHook('preHandler', async (request, reply) => {
    const route = request.routeOptions.url;
    if (!route?.startsWith(rootPath)) return;
    const missing = missingMessage(admin, route, request.params as Address);
    const isApi = route.startsWith(`${rootPath}/api/`);
    const column = columnsIn(request.query as Readonly<Record<string, unknown>>).find(
      (name) => name in Object.prototype,
    );
    if (column !== undefined)
      throw new HttpError(400, `There is no column "${column}" to sort or filter by.`);
    if (missing !== undefined && isApi) throw new HttpError(404, missing);
    // Keep the page of AdminJS, which shows the error itself, and only set the status.
    if (missing !== undefined) reply.code(404);
    if (route.includes('/bulk/') && typeof (request.query as { recordIds?: unknown }).recordIds !== 'string')
      throw new HttpError(400, 'Name the records in one parameter, such as ?recordIds=1,2.');
    if (isApi && request.method === 'GET' && (request.params as Address).action === 'new') {
      reply.header('Allow', 'POST');
      throw new HttpError(405, 'To create a record, send a POST request.');
    }
    if (request.method === 'POST') checkBody(request.body, route === loginPath);
  });
}

/** Returns a message if the page, resource or action of the URL does not exist. */
function missingMessage(admin: AdminJS, route: string, { resourceId, action: name, pageName }: Address) {
  if (pageName !== undefined) return `There is no page "${pageName}".`;
  if (resourceId === undefined) return undefined;
  const resource = admin.resources.find((one) => one.decorate().id() === resourceId);
  if (resource === undefined) return `There is no resource "${resourceId}".`;
  if (name === undefined) return undefined;
  const { actions } = resource.decorate();
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const fitsRoute = route.includes('/records/')
    ? action?.isRecordType()
    : route.includes('/bulk/')
      ? action?.isBulkType()
      : action?.isResourceType();
  return fitsRoute ? undefined : `There is no action "${name}" at this address.`;
}

/** The columns that a list is sorted or filtered by. AdminJS looks them up in a plain object. */
function columnsIn(query: Readonly<Record<string, unknown>>): string[] {
  const filters = Object.keys(query).filter((key) => key.startsWith('filters.'));
  return [...filters.map((key) => key.replace(/^filters\.|~~.*/g, '')), String(query['sortBy'])];
}

function checkBody(body: unknown, isRequired: boolean): void {
  // Actions such as a deletion need no body.
  if ((body === undefined || body === null) && !isRequired) return;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new HttpError(400, 'Send the fields of a form, as multipart/form-data, or as a JSON object.');
  const [empty] = Object.entries(body).find(([, value]) => value === null) ?? [];
  if (empty !== undefined)
    throw new HttpError(400, `The field "${empty}" is null. Send an empty text, or leave it out.`);
}
