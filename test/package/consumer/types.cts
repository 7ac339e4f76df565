// The types of the client in a CommonJS file.
import { createClient, type JobInput } from 'punctual';

import client = require('punctual/client');

export const input: JobInput = { task: 'noop' };
export const one: client.PunctualClient = createClient({ baseUrl: 'http://127.0.0.1:3000' });
