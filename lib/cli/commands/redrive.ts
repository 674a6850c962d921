import { Command, Option } from 'commander'
import { deadLetters } from '../../compose/aws/dead-letters.ts'
import { awsOperator } from '../../compose/aws/operator.ts'
import { type Stage, stages } from '../../platform/ports/queue.ts'
import { type AwsOptions, regionOf, withAwsOptions, withOneLineErrors } from '../aws-options.ts'
import type { Terminal } from '../terminal.ts'

interface RedriveOptions extends AwsOptions {
  readonly stage?: Stage
}

const examples = `
Examples:
  # After the cause is mended: look again at all objects whose messages were given up on
  keelson redrive --region eu-west-1

  # Those of one stage
  keelson redrive --region eu-west-1 --stage apply
`

/** `keelson redrive`: retries the dead letters of a hub on AWS. */
export const redriveCommand = (env: NodeJS.ProcessEnv, terminal: Terminal): Command =>
  withAwsOptions(new Command('redrive'))
    .summary('retry the failed messages of a hub on AWS')
    .description('Moves the dead letters of a hub on AWS back into their queues.')
    .addOption(new Option('--stage <stage>', 'only messages of this stage').choices(stages))
    .addHelpText('after', examples)
    .action((options: RedriveOptions) =>
      withOneLineErrors('the redrive failed', async () => {
        const { hub, stage } = options
        const region = regionOf(options, env)
        const { credentials } = awsOperator({ ...options, region, environment: env })
        const found = await deadLetters({ hubName: hub, region, credentials })
        let count = 0
        try {
          for (const each of stage ? [stage] : stages)
            for await (const { body } of found.redrive(each)) {
              count += 1
              terminal.action(`${each}: ${objectIn(body)}`)
            }
        } finally {
          found.close()
        }
        terminal.success(count === 0 ? 'no dead letters found' : `returned ${count} to the queues`)
      }),
    )

/** Kind, namespace and name of a message; for any other text, its beginning. */
const objectIn = (body: string): string => {
  try {
    const { kind, namespace, name } = JSON.parse(body).ref
    return `${kind} ${namespace ? `${namespace}/` : ''}${name}`
  } catch {
    return JSON.stringify(body.slice(0, 80))
  }
}
