// The tasks of the API on AWS, which describes tasks and checks params but runs none. Modules that only a run needs are not
// loaded here.

import { withCustomTasks } from './custom-tasks.ts';
import { builtinTasks, describeOnlyServices } from './registry.ts';
import type { Tasks } from './task.ts';
import { allowedRecipients, enabledOnAws, type TaskVariables } from './task-settings.ts';

export const describableTasksOnAws = (given: TaskVariables): Promise<Tasks> =>
  withCustomTasks(
    builtinTasks(describeOnlyServices(allowedRecipients(given)), enabledOnAws(given)),
    given.PUNCTUAL_TASKS_FOLDER,
  );
