// The list of a user without jobs: three examples that create a real job with one click.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/api.ts';
import { keys } from '../api/keys.ts';
import { type Example, examples } from './examples.ts';
import { Problem } from './problem.tsx';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function NoJobs() {
  const api = useApi();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: ({ job }: Example) => api.jobs.create(job),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keys.allJobs }),
  });
  return (
    <div className="no-jobs">
      <Box variant="h2">You have no jobs yet</Box>
      <Box color="text-body-secondary">
        A job is a task and a schedule. These examples do nothing but run. You can cancel them at any time.
      </Box>
      {create.error && <Problem error={create.error} />}
      <ul>
        {examples(ZONE).map((example) => (
          <li key={example.title}>
            <h3>{example.title}</h3>
            <p>{example.about}</p>
            <Button
              loading={create.isPending && create.variables === example}
              disabled={create.isPending}
              ariaLabel={`Create this job: ${example.title}`}
              onClick={() => create.mutate(example)}
            >
              Create this job
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
