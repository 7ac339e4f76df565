// A file of the page `/docs`. Its name has a hash of its content, so only the page knows it.
import { docsPage } from '../../src/api/openapi/docs-page.ts';

export const docsFile = (): string => /"docs\/([^"]+)"/.exec(String(docsPage().body))?.[1] ?? '';
