import { Command } from 'commander'
import { awsOperator } from '../../compose/aws/operator.ts'
import { type AwsOptions, regionOf, withAwsOptions, withOneLineErrors } from '../aws-options.ts'
import { execCredential } from '../exec-credential.ts'

const examples = `
Examples:
  # What kubectl runs for a kubeconfig that keelson kubeconfig has written
  keelson token --hub keelson --region eu-west-1
`

/** `keelson token`: an exec plugin of kubectl, which needs no AWS CLI. */
export const tokenCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withAwsOptions(new Command('token'))
    .summary('print a token for a hub on AWS')
    .description(
      'Prints a token for a hub on AWS as kubectl expects it from a plugin (ExecCredential). It is made from your AWS credentials, is valid for a quarter of an hour, and only for this hub.',
    )
    .addHelpText('after', examples)
    .action((options: AwsOptions) =>
      withOneLineErrors('no token', async () => {
        const operator = awsOperator({ ...options, region: regionOf(options, env), environment: env })
        const { token, expiresAt } = await operator.token(options.hub)
        output.write(execCredential(token, expiresAt, env))
      }),
    )
