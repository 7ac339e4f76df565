// Faults of single store calls: a lost response, a failure, and another process that comes in between.
import type { Store } from '../../src/store/store.ts';

type Method = keyof Store;

/** Replaces the next call of `method`. Later calls are not affected. */
export function onNextCall<M extends Method>(
  store: Store,
  method: M,
  replacement: (call: Store[M], args: Parameters<Store[M]>) => Promise<unknown>,
): void {
  const original = store[method];
  const call = (original as (...args: never[]) => unknown).bind(store) as Store[M];
  store[method] = ((...args: Parameters<Store[M]>) => {
    store[method] = original;
    return replacement(call, args);
  }) as Store[M];
}

const apply = <M extends Method>(call: Store[M], args: Parameters<Store[M]>): Promise<unknown> =>
  (call as (...args: Parameters<Store[M]>) => Promise<unknown>)(...args);

/** The next call of `method` takes effect, and its response is lost. */
export const loseResponse = (store: Store, method: Method): void =>
  onNextCall(store, method, async (call, args) => {
    await apply(call, args);
    throw new Error('the response was lost');
  });

/** The next call of `method` fails without an effect. */
export const failNext = (store: Store, method: Method): void =>
  onNextCall(store, method, () => Promise.reject(new Error('the store did not answer')));

/** Another process acts just before the next call of `method` takes effect. */
export const beforeNext = (store: Store, method: Method, act: () => Promise<unknown>): void =>
  onNextCall(store, method, async (call, args) => {
    await act();
    return apply(call, args);
  });
