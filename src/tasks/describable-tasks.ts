// The tasks as the API on AWS knows them: they are described and their params are checked, never run. Nothing is loaded
// here that only a run needs.

import { withCustomTasks } from './custom-tasks.ts';
import { builtinTasks, describeOnlyServices } from './registry.ts';
import type { Tasks } from './task.ts';
import { allowedRecipients, enabledOnAws, type TaskVariables } from './task-settings.ts';

export const describableTasksOnAws = (given: TaskVariables): Promise<Tasks> =>
  withCustomTasks(
    builtinTasks(describeOnlyServices(allowedRecipients(given)), enabledOnAws(given)),
    given.PUNCTUAL_TASKS_FOLDER,
  );
