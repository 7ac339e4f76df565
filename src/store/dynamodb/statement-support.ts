// Whether an engine with DynamoDB's API knows what group commit sends: statements with parameters, several in one request.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchExecuteStatementCommand, DeleteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TTL_ATTRIBUTE } from './tables.ts';
import { asInsertStatement, asUpdateStatement } from './writes.ts';

/** No job has this id. A process that dies between the two requests leaves an item that expires. */
const KEY = { jobId: 'probe', part: 'probe' };
const EXPIRES_AT = 1;
/** A refusal by a condition shows that the engine has understood the statement. */
const UNDERSTOOD = ['ConditionalCheckFailed', 'DuplicateItem', 'TransactionConflict'];

export async function supportsStatements(client: DynamoDBClient, tablePrefix: string): Promise<boolean> {
  const table = `${tablePrefix}jobs`;
  const documents = DynamoDBDocumentClient.from(client);
  const insert = asInsertStatement(table, { key: KEY, item: { ...KEY, [TTL_ATTRIBUTE]: EXPIRES_AT } });
  const update = asUpdateStatement(table, {
    key: { ...KEY, part: 'absent' },
    change: { [TTL_ATTRIBUTE]: EXPIRES_AT },
    where: {},
  });
  try {
    const { Responses = [] } = await documents.send(
      new BatchExecuteStatementCommand({ Statements: [insert, update] }),
    );
    return (
      Responses.length === 2 &&
      Responses.every(({ Error: error }) => !error || UNDERSTOOD.includes(error.Code ?? ''))
    );
  } catch {
    // An engine that does not know the request answers with an error of any kind, also with a page of HTML.
    return false;
  } finally {
    await documents.send(new DeleteCommand({ TableName: table, Key: KEY }));
  }
}
