// A `fetch` that signs requests with AWS credentials (SigV4).
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

export interface SigningOptions {
  /** The name of the service in signatures, such as `execute-api`. */
  readonly service: string;
  readonly region: string;
  /** Read for each request, because the credentials of a Lambda may change. */
  readonly credentials: () => Promise<AwsCredentials>;
  readonly fetch: typeof fetch;
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export function signedFetch({ service, region, credentials, fetch }: SigningOptions): typeof fetch {
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  return async (input, init = {}) => {
    const { method = 'GET', headers, body, ...others } = init;
    const url = new URL(String(input));
    // Signatures know no "+" for a space.
    url.search = url.search.replaceAll('+', '%20');
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...Object.fromEntries(new Headers(headers)), host: url.host },
      body,
    });
    return fetch(url, { ...others, method, headers: signed.headers, body });
  };
}
