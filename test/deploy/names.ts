// The names that the app, the scenario and the workers share.

export const REGION = 'us-east-1';
/** The account of MiniStack. */
export const ACCOUNT = '000000000000';
/** The event bus of the stack `full`. */
export const BUS = 'punctual-deploy';
/** The service with a client in the user pool of the stack `full`. */
export const SERVICE = 'billing';
/** The targets of tasks in the stack `full`: queues, a topic and a function by name. */
export const TARGETS = {
  sqs: 'punctual-deploy-sqs',
  sns: 'punctual-deploy-sns',
  lambda: 'punctual-deploy-lambda',
  eventbridge: 'punctual-deploy-eventbridge',
  events: 'punctual-deploy-events',
} as const;
