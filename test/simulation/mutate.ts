// Applies a mutation to the source as it is loaded, in this process only.
import { registerHooks } from 'node:module';
import { MUTATIONS, type Mutation } from './mutations.ts';

/** To be called before any file of src is imported. */
export function mutate(rule: string): void {
  const mutation = MUTATIONS.find((m) => m.rule === rule);
  if (!mutation)
    throw new Error(`no mutation "${rule}"; there are ${MUTATIONS.map((m) => m.rule).join(', ')}`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const edits = mutation.edits.filter(({ file }) =>
        url.endsWith(`/src/${file.includes('/') ? file : `scheduling/${file}`}`),
      );
      if (edits.length === 0 || loaded.source == null) return loaded;
      const source = edits.reduce((text, edit) => apply(mutation, text, edit), String(loaded.source));
      return { ...loaded, source };
    },
  });
}

function apply({ rule }: Mutation, text: string, { file, find, replace }: Mutation['edits'][number]): string {
  const parts = text.split(find);
  const [before, after] = parts;
  if (parts.length !== 2 || before === undefined || after === undefined) {
    throw new Error(
      `mutation ${rule}: its text occurs ${parts.length - 1} times in ${file}; adjust mutations.ts`,
    );
  }
  return before + replace + after;
}
