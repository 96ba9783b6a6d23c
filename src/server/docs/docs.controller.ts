import { createReadStream } from 'node:fs';
import path from 'node:path';
import {
  Controller,
  Get,
  Header,
  HttpStatus,
  NotFoundException,
  Param,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import swaggerUiDirectory from 'swagger-ui-dist/absolute-path.js';
import { ApiExcludeController } from '#swagger';
import { Public } from '../../auth/public.decorator.js';
import { JSON_TYPE, representationOf, vary } from '../../http/headers/conditional-requests.js';
import { DocsService } from './docs.service.js';
import { LINKS, PAGE, START_PAGE, START_SCRIPT } from './page.js';

/** The files of Swagger UI that the page needs. */
const ASSETS: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);
const KEEP = 'public, max-age=3600';
const HTML_TYPE = 'text/html; charset=utf-8';
const START_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Allows what Swagger UI needs: its own files, inline styles, inline images, and calls to this service (E9). */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the OpenAPI document, at /docs-json for programs and as a page at /docs for people, and the page at the root. */
@Public()
@ApiExcludeController()
@Controller()
export class DocsController {
  constructor(private readonly docs: DocsService) {}

  /** Programs, and clients without a preference, get the links of the page as JSON. */
  @Get()
  @Header('Cache-Control', 'no-cache')
  getStart(
    @Req() { headers }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): string | typeof LINKS {
    vary(reply, 'Accept');
    const isForPerson = headers.accept?.toLowerCase().includes('text/html') === true;
    void reply.type(isForPerson ? HTML_TYPE : JSON_TYPE);
    if (!isForPerson) return LINKS;
    void reply.header('Content-Security-Policy', START_PAGE_POLICY);
    return START_PAGE;
  }

  @Get('docs-json')
  async getDocument(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    return representationOf(await this.docs.document(), request, reply);
  }

  @Get('docs')
  @Header('Content-Type', HTML_TYPE)
  @Header('Cache-Control', 'no-cache')
  @Header('Content-Security-Policy', PAGE_POLICY)
  getPage(): string {
    return PAGE;
  }

  @Get('docs/start.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', KEEP)
  getStartScript(): string {
    return START_SCRIPT;
  }

  @Get('docs/*')
  @Header('Cache-Control', KEEP)
  getAsset(
    @Param('*') asset: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): StreamableFile | undefined {
    if (asset === '') {
      // With a trailing slash, the relative links of the page would lead one level too deep.
      void reply.status(HttpStatus.FOUND).header('Location', './');
      return undefined;
    }
    const type = ASSETS.get(asset);
    if (type === undefined) throw new NotFoundException();
    return new StreamableFile(createReadStream(path.join(swaggerUiDirectory(), asset)), { type });
  }
}
