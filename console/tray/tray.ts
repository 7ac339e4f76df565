// The tray of tasks: changes of many things, with their progress. Tasks go on while the user looks at other screens.
import type { Operation, PunctualClient } from '../../src/client/client.ts';
import { problemText } from '../parts/problem-text.ts';
import { createValue } from '../state/value.ts';
import { eachItem } from './each-item.ts';

export interface TrayItem {
  readonly id: string;
  readonly name: string;
  /** The page of the item, below `/console`. */
  readonly href?: string;
  /** The number of things that the item stands for. Default 1. */
  readonly size?: number;
}

export interface Refusal extends TrayItem {
  readonly reason: string;
}

export interface TrayTask {
  readonly id: number;
  /** Such as "Pause 12 jobs". */
  readonly title: string;
  readonly state: 'running' | 'stopping' | 'done' | 'stopped' | 'failed';
  readonly done: number;
  readonly total: number;
  /** True while the server still counts, so that `total` grows. */
  readonly counting?: boolean;
  readonly refused: readonly Refusal[];
  /** The number of all refusals. `refused` may have the first only. */
  readonly refusedCount: number;
  /** Why the task failed or was stopped. */
  readonly reason?: string | undefined;
  /** The result of a task with one item, such as its execution. */
  readonly link?: { readonly text: string; readonly href: string } | undefined;
  /** True if the page does the work, so that it ends with the page. */
  readonly needsPage: boolean;
  readonly stop: () => void;
}

export const tray = createValue<readonly TrayTask[]>([]);

let lastId = 0;

const sizeOf = ({ size = 1 }: TrayItem): number => size;

const isOver = ({ state }: TrayTask): boolean => state !== 'running' && state !== 'stopping';

function add(task: Omit<TrayTask, 'id'>): number {
  lastId += 1;
  tray.set([...tray.get(), { ...task, id: lastId }]);
  return lastId;
}

function change(id: number, changes: Partial<TrayTask> | ((task: TrayTask) => Partial<TrayTask>)): void {
  tray.set(
    tray
      .get()
      .map((task) =>
        task.id === id ? { ...task, ...(typeof changes === 'function' ? changes(task) : changes) } : task,
      ),
  );
}

export const dismiss = (id: number): void => tray.set(tray.get().filter((task) => task.id !== id));

export const hasTaskOfPage = (): boolean => tray.get().some((task) => task.needsPage && !isOver(task));

/** Dismisses tasks that ended without a refusal. */
export const dismissFinished = (): void =>
  tray.set(
    tray.get().filter((task) => task.state !== 'done' || task.refusedCount > 0 || task.link !== undefined),
  );

/** The longest time between two reads of an operation. */
const MAX_POLL_MS = 2_000;

const START = { state: 'running', done: 0, refused: [], refusedCount: 0 } as const;

interface EachTask<Item extends TrayItem> {
  readonly title: string;
  readonly items: readonly Item[];
  /** The result may have a link, which is shown for a task of one item. */
  readonly act: (item: Item) => Promise<{ link?: TrayTask['link'] } | undefined>;
  /** Called at the end, to read the changed data again. */
  readonly after: () => void;
}

/** One request per item. Resolves when the task is over. */
export async function startEach<Item extends TrayItem>(task: EachTask<Item>): Promise<void> {
  const { title, items, act, after } = task;
  const controller = new AbortController();
  const stop = () => {
    controller.abort();
    change(id, { state: 'stopping' });
  };
  const id = add({
    ...START,
    title,
    total: items.reduce((sum, item) => sum + sizeOf(item), 0),
    needsPage: true,
    stop,
  });
  let link: TrayTask['link'];
  await eachItem(
    items,
    async (item) => {
      link = (await act(item))?.link;
    },
    {
      signal: controller.signal,
      onEnd: (item, error) =>
        change(id, ({ done, refused, refusedCount }) => ({
          done: done + sizeOf(item),
          ...(error !== undefined && {
            refused: [...refused, { ...item, reason: problemText(error).detail }],
            refusedCount: refusedCount + sizeOf(item),
          }),
        })),
    },
  );
  change(id, ({ done, total }) => ({
    state: done < total ? 'stopped' : 'done',
    ...(items.length === 1 && { link }),
  }));
  after();
}

interface OperationTask {
  readonly title: string;
  readonly api: PunctualClient;
  /** Sends the request and resolves with the id of the operation. The server does the work, so it goes on without the page. */
  readonly begin: () => Promise<string>;
  /** The page of an item that the operation refused. */
  readonly itemHref?: (id: string) => string;
  readonly after: () => void;
}

/** A background operation of the server. Resolves when the task is over. */
export async function startOperation(options: OperationTask): Promise<void> {
  const { title, api, begin, itemHref, after } = options;
  let operationId: string | undefined;
  const stop = () => {
    change(id, { state: 'stopping' });
    if (operationId !== undefined) api.operations.stop(operationId).catch(fail);
  };
  const fail = (error: unknown) => change(id, { state: 'failed', reason: problemText(error).detail });
  const id = add({ ...START, title, total: 0, needsPage: false, stop });
  const show = ({ status, done, total, counting, refused, refusedCount, reason }: Operation) =>
    change(id, (task) => ({
      ...{ done, total, counting: counting ?? false, refusedCount, reason },
      state: status === 'pending' || status === 'running' ? task.state : status,
      refused: refused.map((one) => ({ ...one, name: one.id, ...(itemHref && { href: itemHref(one.id) }) })),
    }));
  try {
    operationId = await begin();
    // The user may have asked for the stop before the operation had an id.
    if (tray.get().some((task) => task.id === id && task.state === 'stopping')) stop();
    show(await api.operations.waitFor(operationId, { maxIntervalMs: MAX_POLL_MS, onChange: show }));
  } catch (error) {
    fail(error);
  }
  after();
}
