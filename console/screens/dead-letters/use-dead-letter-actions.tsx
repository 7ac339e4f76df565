// Redrive and dismiss: a dialog that says how many, and then a task in the tray.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Execution } from '../../../src/client/types.ts';
import { useApi } from '../../api/api.ts';
import { keys } from '../../api/keys.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { startEach } from '../../tray/tray.ts';
import { chunksOf, countOfDeadLetters } from './dead-letter-texts.ts';

type Verb = 'redrive' | 'dismiss';

interface Asked {
  readonly verb: Verb;
  readonly executions: readonly Execution[];
  readonly after: () => void;
}

export interface DeadLetterActions {
  readonly onRedrive: (
    executions: readonly Execution[],
    after: () => void,
    options?: { asks: boolean },
  ) => void;
  readonly onDismiss: (executions: readonly Execution[], after: () => void) => void;
  /** The dialog. The screen renders it. */
  readonly dialog: ReactNode;
}

const TEXTS = {
  redrive: {
    verb: 'Redrive',
    effect: 'Each execution runs again now, with new attempts. It leaves the list until it fails again.',
  },
  dismiss: {
    verb: 'Dismiss',
    effect:
      'The executions stay failed and leave the list. A dismissed execution can still be run again from its page.',
  },
} as const;

export function useDeadLetterActions(): DeadLetterActions {
  const api = useApi();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const changed = () => {
    void queryClient.invalidateQueries({ queryKey: keys.allDeadLetters });
    void queryClient.invalidateQueries({ queryKey: keys.allJobs });
  };
  const start = ({ verb, executions, after }: Asked) => {
    after();
    const title = `${TEXTS[verb].verb} ${countOfDeadLetters(executions.length)}`;
    if (verb === 'redrive')
      return void startEach({
        title,
        items: executions.map(({ id }) => ({ id, name: id, href: `/executions/${id}` })),
        act: async ({ id }) => {
          await api.executions.retry(id);
          return { link: { text: 'Open the execution', href: `/executions/${id}` } };
        },
        after: changed,
      });
    return void startEach({
      title,
      items: chunksOf(executions).map((chunk, index) => ({
        id: String(index),
        name: countOfDeadLetters(chunk.length),
        size: chunk.length,
        ids: chunk.map(({ id }) => id),
      })),
      act: async ({ ids }) => {
        await api.deadLetters.dismiss(ids);
        return undefined;
      },
      after: changed,
    });
  };
  return {
    onRedrive: (executions, after, { asks = true } = { asks: true }) => {
      if (executions.length === 0) return;
      const request: Asked = { verb: 'redrive', executions, after };
      if (executions.length === 1 || !asks) start(request);
      else setAsked(request);
    },
    onDismiss: (executions, after) => setAsked({ verb: 'dismiss', executions, after }),
    dialog: asked && (
      <Confirm
        title={`${TEXTS[asked.verb].verb} ${countOfDeadLetters(asked.executions.length)}?`}
        confirmText={TEXTS[asked.verb].verb}
        onConfirm={() => {
          setAsked(undefined);
          start(asked);
        }}
        onDismiss={() => setAsked(undefined)}
      >
        {TEXTS[asked.verb].effect}
      </Confirm>
    ),
  };
}
