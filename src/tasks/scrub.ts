// Takes the values of secrets out of what a run leaves behind: its result, its error, its log lines and checkpoints. Also
// as JSON, URLs and base64 write them, and where a text was cut in the middle of one.

/** A beginning of a secret as short as this tells nothing. */
const SHORTEST_PART = 4;

export class Scrubber {
  /** The longest first: one secret may be part of another. */
  readonly #forms: readonly { readonly form: string; readonly instead: string }[];

  constructor(values: ReadonlyMap<string, string>) {
    this.#forms = [...values]
      .flatMap(([name, value]) => formsOf(value).map((form) => ({ form, instead: `[secret ${name}]` })))
      .sort((a, b) => b.form.length - a.form.length);
  }

  text(text: string): string {
    let clean = text;
    for (const { form, instead } of this.#forms) clean = clean.replaceAll(form, () => instead);
    for (const { form, instead } of this.#forms) clean = withoutCutEnd(clean, form, instead);
    return clean;
  }

  /** A copy, as JSON would have it. */
  value(value: unknown): unknown {
    const json = JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? String(inner) : inner,
    );
    return json === undefined ? undefined : this.#walk(JSON.parse(json));
  }

  fields(fields: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
    if (fields === undefined) return undefined;
    const plain = Object.entries(fields).map(([key, value]) => [
      key,
      value instanceof Error ? String(value) : value,
    ]);
    return this.value(Object.fromEntries(plain)) as Record<string, unknown>;
  }

  /** The same error, so that its class still says whether to try again. */
  error(error: unknown, depth = 0): unknown {
    if (!(error instanceof Error)) return typeof error === 'string' ? this.text(error) : error;
    const clean = { message: this.text(error.message), stack: this.text(error.stack ?? '') };
    for (const [key, value] of Object.entries(clean)) {
      Object.defineProperty(error, key, { value, configurable: true, writable: true, enumerable: false });
    }
    if (error.cause !== undefined && depth < 5) error.cause = this.error(error.cause, depth + 1);
    return error;
  }

  #walk(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.#walk(item)]));
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...[value, value.trim()].map((text) => new URLSearchParams({ v: text }).toString().slice(2)),
    value.trim(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
  return [...new Set(forms)].filter((form) => form !== '');
}

/** What is kept of an output is cut somewhere, perhaps in the middle of a secret. */
function withoutCutEnd(text: string, form: string, instead: string): string {
  const body = text.endsWith('…') ? text.slice(0, -1) : text;
  for (let length = Math.min(form.length - 1, body.length); length >= SHORTEST_PART; length--)
    if (body.endsWith(form.slice(0, length))) return `${body.slice(0, -length)}${instead}`;
  return text;
}
