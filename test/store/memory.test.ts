import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { describeStore, SHARDS } from './conformance.ts';

describeStore('the store in memory', 'together', async () => ({
  store: new MemoryStore({ shards: SHARDS, slotPage: 600 }),
  close: async () => {},
}));
