// A stack with one Punctual construct. It is environment-agnostic: account and region come from the deployment.
import { Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { acknowledgeFindings } from './operations/nag-suppressions.ts';
import { Punctual, type PunctualProps } from './punctual.ts';

export interface PunctualStackProps extends StackProps {
  /**
   * The settings of the deployment.
   * @default - the default of every setting
   */
  readonly punctual?: PunctualProps;
}

export class PunctualStack extends Stack {
  readonly punctual: Punctual;

  constructor(scope: Construct, id: string, { punctual, ...props }: PunctualStackProps = {}) {
    super(scope, id, { description: 'Punctual, a job scheduler', ...props });
    this.punctual = new Punctual(this, 'Punctual', punctual);
    Tags.of(this).add('punctual:stage', this.punctual.settings.stage);
    acknowledgeFindings(this.punctual);
  }
}
