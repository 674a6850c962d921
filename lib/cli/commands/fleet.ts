import { Command, Option } from 'commander'
import { wholeNumber } from '../../compose/settings/value-format.ts'
import { causesOf } from '../../foundations/fleet/causes.ts'
import { fleetOf } from '../../foundations/fleet/fleet-clusters.ts'
import { type FleetSummary, summaryOf } from '../../foundations/fleet/fleet-summary.ts'
import { describeFleet } from '../describe-fleet.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { argument } from '../option-values.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { readFleet, readSources } from '../read-fleet.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly limit: number
  readonly continue?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # What fails anywhere, and why
  keelson fleet -A

  # The clusters and units of one namespace, with what each cause holds up
  keelson fleet -n apps -o wide

  # The causes, for a script
  keelson fleet -A -o json | jq -r '.causes[] | [.units.total, .object, .reason] | @tsv'

Exit codes:
  0   nothing fails (there may be warnings)
  1   something fails
  2   the hub did not answer, or refused to show some of it
`

/** `keelson fleet`: what fails anywhere and why, and the clusters with the states of their units. */
export const fleetCommand = (
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
  notes: NodeJS.WritableStream,
): Command =>
  withHubOptions(
    new Command('fleet')
      .summary('show what fails anywhere, and why')
      .description(
        'Shows what fails anywhere, each cause once with all that it holds up, and the clusters with the states of their units.',
      ),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .addOption(
      new Option('--limit <number>', 'show at most so many causes and clusters')
        .argParser(argument(wholeNumber(1, 100_000)))
        .default(20),
    )
    .addOption(
      new Option('--continue <token>', 'show the clusters after those of an earlier answer').argParser(
        argument(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      ),
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const { summary, refused } = await withHub(options, env, hub => glance(hub, options))
      const form = { isWide: options.output === 'wide', now: Date.now() }
      output.write(asDocument(summary, options.output) ?? describeFleet(summary, form))
      for (const message of refused) notes.write(`Error from server (Forbidden): ${message}\n`)
      process.exitCode = exitCodeOf(summary, refused)
    })

const exitCodeOf = ({ causes }: FleetSummary, refused: readonly string[]): number => {
  if (refused.length > 0) return 2
  return causes.some(({ severity }) => severity === 'error') ? 1 : 0
}

/** Names of units and clusters in one cause. */
const maxNames = { wide: 5, document: 100 }

const glance = async (hub: HubAccess, options: Options) => {
  const [objects, sources] = await Promise.all([readFleet(hub, options), readSources(hub, options)])
  const fleet = fleetOf(objects.found)
  const causes = causesOf({ fleet, sources: sources.found })
  const isDocument = options.output === 'json' || options.output === 'yaml'
  const summary = summaryOf(fleet, causes, {
    limit: options.limit,
    maxNames: isDocument ? maxNames.document : maxNames.wide,
    ...(options.continue !== undefined && { continue: String(options.continue) }),
  })
  return { summary, refused: [...objects.refused, ...sources.refused] }
}
