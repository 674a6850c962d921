import type { Command } from 'commander'
import { CommandFailed } from './command-failed.ts'

/** How commands identify a hub on AWS and the caller. */
export interface AwsOptions {
  readonly hub: string
  readonly region?: string
  readonly roleArn?: string
  readonly profile?: string
}

/** Adds the options of AwsOptions to a command, named as in the AWS CLI. */
export const withAwsOptions = (command: Command): Command =>
  command
    .option('--hub <name>', 'the hub: hubName of its deployment', 'keelson')
    .option('--region <region>', 'AWS region of the hub (default: $AWS_REGION)')
    .option('--role-arn <arn>', 'act as this IAM role')
    .option('--profile <name>', 'profile of ~/.aws/config to use')

/** Fails with CommandFailed if no region is set anywhere. */
export const regionOf = ({ region }: AwsOptions, env: NodeJS.ProcessEnv): string => {
  const found = region || env.AWS_REGION || env.AWS_DEFAULT_REGION
  if (!found) throw new CommandFailed('the AWS region of the hub is unknown: set it with --region')
  return found
}

/** Shows errors of AWS, the network and files in one line. */
export const withOneLineErrors = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CommandFailed || error instanceof TypeError) throw error
    throw new CommandFailed(`${what}: ${(error as Error).message}`, { cause: error })
  }
}
