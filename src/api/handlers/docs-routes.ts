// The routes of the documentation: the OpenAPI document and the page that shows it. They need no token, and read nothing.
import { contract } from '../contract/contract.ts';
import { type Route, route } from '../http/route.ts';
import { compressedOnDemand, type StaticFile, staticReply } from '../http/static-file.ts';
import { docsFile, docsPage } from '../openapi/docs-page.ts';
import { openApiDocument } from '../openapi/openapi.ts';

/** Clients ask each time whether the document has changed, and mostly get a 304. */
const REVALIDATED = 'no-cache';

/** Without `page`, only the OpenAPI document. */
export function docsRoutes({ page = true }: { readonly page?: boolean } = {}): Route[] {
  let document: StaticFile | undefined;
  const openapi = route(contract.openapi, {
    async handle(_input, _principal, { acceptEncoding }) {
      document ??= compressedOnDemand('application/json', Buffer.from(JSON.stringify(openApiDocument())));
      return staticReply(document, acceptEncoding, REVALIDATED);
    },
  });
  const ofPage = [
    route(contract.docs, { handle: async () => docsPage() }),
    route(contract.docsFile, {
      handle: ({ params }, _principal, { acceptEncoding }) => docsFile(params.file, acceptEncoding),
    }),
  ];
  return page ? [openapi, ...ofPage] : [openapi];
}
