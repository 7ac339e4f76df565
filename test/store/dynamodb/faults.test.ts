// DynamoDB processes batches in part, throttles and refuses. No failure is ignored, and no result is wrong.
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  ProvisionedThroughputExceededException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { headToItem, type Item } from '../../../src/store/items.ts';
import { aHead, anEntry, aRow } from '../../support/fixtures.ts';

const $metadata = {};
const refused = new ConditionalCheckFailedException({ message: 'refused', $metadata });
const throttled = new ProvisionedThroughputExceededException({ message: 'slow down', $metadata });
const mock = mockClient(DynamoDBDocumentClient);
beforeEach(() => mock.reset());

const noTime = { random: () => 0, sleep: async () => {} };

describe('a batch that is processed in part', () => {
  const sleeps: number[] = [];
  const backoff = {
    random: () => 1,
    sleep: async (ms: number) => {
      sleeps.push(ms);
    },
  };
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const store = createDynamoStore({ client, tablePrefix: 'p-', shards: 4, backoff });

  test('unprocessed entries are written in further rounds with growing pauses', async () => {
    const written = new Set<string>();
    sleeps.length = 0;
    // processes three of every batch
    mock.on(BatchWriteCommand).callsFake((input) => {
      const requests = input.RequestItems['p-timetable'] as {
        PutRequest: { Item: { key: string } };
      }[];
      for (const { PutRequest } of requests.slice(0, 3)) written.add(PutRequest.Item.key);
      const left = requests.slice(3);
      return { UnprocessedItems: left.length > 0 ? { 'p-timetable': left } : {} };
    });
    await store.putEntries(Array.from({ length: 60 }, () => anEntry()));
    expect(written.size).toBe(60);
    expect(sleeps.slice(0, 1)).toEqual([25]);
    expect(Math.max(...sleeps)).toBe(2_000);
  });

  test('unprocessed heads are read in further rounds, consistently as before', async () => {
    const heads = Array.from({ length: 150 }, () => aHead());
    const byId = new Map(heads.map((head) => [head.jobId, headToItem(head)]));
    const consistent = new Set<unknown>();
    mock.on(BatchGetCommand).callsFake((input) => {
      const { Keys, ConsistentRead } = input.RequestItems['p-jobs'] as {
        Keys: { jobId: string }[];
        ConsistentRead: boolean;
      };
      consistent.add(ConsistentRead);
      const left = Keys.slice(40);
      return {
        Responses: { 'p-jobs': Keys.slice(0, 40).map(({ jobId }) => byId.get(jobId)) },
        UnprocessedKeys: left.length > 0 ? { 'p-jobs': { Keys: left, ConsistentRead } } : undefined,
      };
    });
    const read = await store.readHeads([...byId.keys()], { consistent: true });
    expect(new Set(read.map((head) => head.jobId))).toEqual(new Set(byId.keys()));
    expect(read).toHaveLength(150);
    expect([...consistent]).toEqual([true]);
  });

  test('a batch without progress is an error with the number of items', async () => {
    mock.on(BatchWriteCommand).callsFake((input) => ({ UnprocessedItems: input.RequestItems }));
    await expect(store.putEntries([anEntry(), anEntry()])).rejects.toThrow(
      'putEntries: DynamoDB processed none of 2 items',
    );
    mock.on(BatchGetCommand).callsFake((input) => ({ Responses: {}, UnprocessedKeys: input.RequestItems }));
    await expect(store.readHeads(['job_a'], { consistent: false })).rejects.toThrow('readHeads');
  });

  test('a failed batch is an error, and no further batch starts', async () => {
    mock.on(BatchWriteCommand).rejects(throttled);
    await expect(store.putEntries(Array.from({ length: 2_500 }, () => anEntry()))).rejects.toThrow(
      'slow down',
    );
    expect(mock.commandCalls(BatchWriteCommand).length).toBeLessThan(20);
  });

  test('a definition that an eventually consistent read does not find is read consistently', async () => {
    const item = { jobId: 'job_a', part: 'def#1', params: '{"a":1}' };
    mock.on(GetCommand).resolvesOnce({}).resolves({ Item: item });
    expect(await store.readDefinition('job_a', 1)).toEqual({
      jobId: 'job_a',
      version: 1,
      params: { a: 1 },
      notify: [],
    });
    mock.on(BatchGetCommand).callsFake((input) => {
      const { ConsistentRead } = input.RequestItems['p-jobs'];
      return { Responses: { 'p-jobs': ConsistentRead ? [item] : [] } };
    });
    expect(await store.readDefinitions([{ jobId: 'job_a', version: 1 }])).toHaveLength(1);
  });
});

describe('writes that share a request', () => {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const store = createDynamoStore({ client, tablePrefix: '', shards: 4, backoff: noTime });
  const three = () =>
    Promise.allSettled(['a', 'b', 'c'].map((jobId) => store.updateHead(aHead({ jobId }), { version: 2 })));
  const jobsOf = (calls: { args: [{ input: { Key: Item | undefined } }] }[]) =>
    calls.map(({ args }) => args[0].input.Key?.jobId);

  test('a throttled write is repeated as a single request, and the results of the others stay', async () => {
    const throttledOne = { Code: 'ProvisionedThroughputExceeded' as const, Message: 'slow down' };
    mock.on(BatchExecuteStatementCommand).resolves({
      Responses: [{}, { Error: throttledOne }, { Error: { Code: 'ConditionalCheckFailed' } }],
    });
    mock.on(UpdateCommand).resolves({});
    expect(await three()).toMatchObject([{ value: true }, { value: true }, { value: false }]);
    expect(jobsOf(mock.commandCalls(UpdateCommand))).toEqual(['b']);
  });

  test('if batches are rejected or not allowed, each write is a single request', async () => {
    for (const name of ['ValidationException', 'AccessDeniedException', 'UnknownOperationException']) {
      mock.reset();
      mock.on(BatchExecuteStatementCommand).rejects(Object.assign(new Error('no'), { name }));
      mock.on(UpdateCommand).resolves({});
      expect(await three()).toMatchObject([{ value: true }, { value: true }, { value: true }]);
      expect(jobsOf(mock.commandCalls(UpdateCommand))).toEqual(['a', 'b', 'c']);
    }
  });

  test('a response without a result is not a success', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [{}] });
    mock.on(UpdateCommand).rejects(refused);
    expect(await three()).toMatchObject([{ value: true }, { value: false }, { value: false }]);
  });

  test('a lost request is an error for each write, and is not repeated', async () => {
    mock.on(BatchExecuteStatementCommand).rejects(new Error('socket hang up'));
    expect((await three()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(mock.commandCalls(UpdateCommand)).toHaveLength(0);
  });

  test('with `groupCommit: false` each write is a single request', async () => {
    const single = createDynamoStore({ client, tablePrefix: '', shards: 4, groupCommit: false });
    mock.on(UpdateCommand).resolves({});
    await Promise.all([
      single.updateHead(aHead({ jobId: 'a' }), { version: 2 }),
      single.updateHead(aHead({ jobId: 'b' }), { version: 2 }),
    ]);
    expect(mock.commandCalls(UpdateCommand)).toHaveLength(2);
    expect(mock.commandCalls(BatchExecuteStatementCommand)).toHaveLength(0);
  });
});

describe('a conditional write', () => {
  const client = new DynamoDBClient({ region: 'us-east-1' });
  const store = createDynamoStore({ client, tablePrefix: '', shards: 4, backoff: noTime });
  const row = aRow({ status: 'RUNNING' });
  const aSeat = { owner: 'o', key: 'db', n: 0, jobId: 'j', due: '1', number: 1 };

  const WRITES: [string, () => Promise<unknown>, unknown][] = [
    ['insertHead', () => store.insertHead(aHead()), false],
    ['updateHead', () => store.updateHead(aHead({ jobId: 'j' }), { version: 2 }), false],
    [
      'takeLock',
      () => store.takeLock({ seen: aHead(), lock: { due: '1', number: 1 }, coveredUntil: undefined }),
      false,
    ],
    ['extendLease', () => store.extendLease(row, 1, 1, undefined), undefined],
    ['requestCancel', () => store.requestCancel(row, 1), false],
    ['claim', () => store.claim({ seen: undefined, row, seat: undefined, lock: undefined }), 'refused'],
    ['putCheckpoint', () => store.putCheckpoint(row, 1, {}), false],
    ['writeSeat', () => store.writeSeat(undefined, aSeat), false],
    ['writeSeat over another', () => store.writeSeat(aSeat, aSeat), false],
    ['insertRow', () => store.insertRow(row), false],
    ['updateRow', () => store.updateRow(row, row), false],
    ['updateRow of an ended row', () => store.updateRow({ ...row, status: 'FAILED' }, row), false],
    ['markNotified', () => store.markNotified(row.jobId, row.due, row), false],
    ['dismissRow', () => store.dismissRow(row), false],
    ['takeShard', () => store.takeShard(1, 't', 'u', 1), false],
    ['commitShard', () => store.commitShard(1, 't', { leaseUntil: 1, dispatchedUntil: 1 }), false],
    ['resetShard', () => store.resetShard(1, 't', { dispatchedUntil: 1, settledUntil: 1 }), false],
  ];

  test.each(WRITES)(
    '%s says no when it is refused, and throws when anything else goes wrong',
    async (_name, write, no) => {
      mock.on(PutCommand).rejects(refused);
      mock.on(UpdateCommand).rejects(refused);
      mock.on(GetCommand).resolves({});
      expect(await write()).toBe(no);
      mock.on(PutCommand).rejects(throttled);
      mock.on(UpdateCommand).rejects(throttled);
      await expect(write()).rejects.toThrow('slow down');
    },
  );
});
