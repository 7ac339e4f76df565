// A stack with all of it and nothing else. Environment-agnostic: the account and region are those of whoever deploys.
import { Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { acknowledgeFindings } from './operations/nag-suppressions.ts';
import { Punctual, type PunctualProps } from './punctual.ts';

export interface PunctualStackProps extends StackProps {
  /**
   * What to deploy, and how large.
   * @default - every default of the settings
   */
  readonly punctual?: PunctualProps;
}

export class PunctualStack extends Stack {
  readonly punctual: Punctual;

  constructor(scope: Construct, id: string, { punctual, ...props }: PunctualStackProps = {}) {
    super(scope, id, { description: 'Punctual: a job scheduler that fires on the dot', ...props });
    this.punctual = new Punctual(this, 'Punctual', punctual);
    Tags.of(this).add('punctual:stage', this.punctual.settings.stage);
    acknowledgeFindings(this.punctual);
  }
}
