// The page to which an id leads that is entered in the search.
const JOB_ID = /^job_[0-9a-zA-Z]{20}$/;
const EXECUTION_ID = /^(job_[0-9a-zA-Z]{20})\.\d{13}(-[0-9a-zA-Z]{1,16})?$/;
const OPERATION_ID = /^op_[0-9a-zA-Z]{20}$/;

export interface Target {
  readonly kind: 'job' | 'execution' | 'operation';
  readonly id: string;
  /** The path below `/console`. Undefined for an operation, which the tray shows. */
  readonly path: string | undefined;
}

/** Also finds an id inside of a link or a quoted text. Undefined if the text has no id. */
export function targetOf(text: string): Target | undefined {
  const word = text
    .trim()
    .replace(/^.*[/"'\s](?=(?:job|op)_)/, '')
    .replace(/[?#"'\s/].*$/, '');
  if (EXECUTION_ID.test(word)) return { kind: 'execution', id: word, path: `/executions/${word}` };
  if (JOB_ID.test(word)) return { kind: 'job', id: word, path: `/jobs/${word}` };
  if (OPERATION_ID.test(word)) return { kind: 'operation', id: word, path: undefined };
  return undefined;
}
