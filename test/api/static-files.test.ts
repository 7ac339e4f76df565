// What anybody may read without a token: it is compressed, cached by browsers, and costs little traffic.
import { readFileSync } from 'node:fs';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/api/openapi/openapi.ts';
import { testApi } from './api.ts';

const { call } = testApi();
const get = (path: string, headers: Record<string, string> = {}) =>
  call('GET', path, { user: null, headers });
const filesOfPage = async (): Promise<string[]> => {
  const { body } = await get('/docs');
  return [...String(body).matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file]) => `/${file}`);
};
const bundleOfPage = async (): Promise<string> =>
  (await filesOfPage()).find((file) => file.includes('bundle')) ?? '';
const BUNDLE = readFileSync('node_modules/swagger-ui-dist/swagger-ui-bundle.js');

describe('files without a token', () => {
  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip;q=1.0, br;q=0', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
  ] as const)('are compressed for Accept-Encoding: %s', async (accepted, coding, decompress) => {
    const path = await bundleOfPage();
    const { status, headers, body } = await get(path, { 'accept-encoding': accepted });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'accept-encoding']);
    expect(body.length).toBeLessThan(BUNDLE.length / 3);
    expect(decompress(body).equals(BUNDLE)).toBe(true);
    const document = await get('/openapi.json', { 'accept-encoding': accepted });
    expect(document.headers['content-encoding']).toBe(coding);
    expect(JSON.parse(String(decompress(document.body)))).toEqual(
      JSON.parse(JSON.stringify(openApiDocument())),
    );
  });

  it.each([undefined, 'identity', 'br;q=0, *;q=0'])(
    'are sent as they are with Accept-Encoding: %s',
    async (accepted) => {
      const headers = accepted === undefined ? undefined : { 'accept-encoding': accepted };
      const answer = await get(await bundleOfPage(), headers);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(Buffer.from(answer.body).equals(BUNDLE)).toBe(true);
    },
  );

  it('are kept by browsers: a name has a hash of the content, so it never gets other content', async () => {
    const files = await filesOfPage();
    expect(files).toHaveLength(3);
    for (const file of files) {
      expect(file).toMatch(/-[\w-]{11}\.(js|css)$/);
      expect((await get(file)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const other = file.replace(/.(?=\.\w+$)/, (last) => (last === 'A' ? 'B' : 'A'));
      expect((await get(other)).status).toBe(404);
      expect((await get(other)).headers['cache-control']).toBe('no-store');
    }
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'])
      expect((await get(`/docs/${file}`)).status).toBe(404);
  });

  it('have an ETag for each coding, and a 304 has no body', async () => {
    for (const path of ['/openapi.json', await bundleOfPage()]) {
      const etags = new Set<string>();
      for (const coding of ['br', 'gzip', 'identity']) {
        const asked = { 'accept-encoding': coding };
        const { headers } = await get(path, asked);
        const etag = headers.etag ?? '';
        etags.add(etag);
        const again = await get(path, { ...asked, 'if-none-match': etag });
        expect(again).toMatchObject({ status: 304, body: undefined });
        expect(again.headers).toMatchObject({
          etag,
          vary: 'accept-encoding',
          'cache-control': headers['cache-control'],
        });
      }
      expect(etags.size).toBe(3);
    }
  });
});
