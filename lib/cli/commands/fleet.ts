import { Command, Option } from 'commander'
import { wholeNumber } from '../../compose/settings/value-format.ts'
import { causesOf } from '../../foundations/fleet/causes.ts'
import { fleetOf } from '../../foundations/fleet/fleet-clusters.ts'
import { type FleetSummary, summaryOf } from '../../foundations/fleet/fleet-summary.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeFleet } from '../describe-fleet.ts'
import { followKinds } from '../follow-kinds.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { argument } from '../option-values.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import {
  fleetKinds,
  fleetObjectsIn,
  type Listed,
  listKinds,
  objectsIn,
  readNamespaces,
  refusalsIn,
  sourceKinds,
} from '../read-fleet.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly limit: number
  readonly continue?: number
  readonly watch: boolean
  readonly output: OutputForm
}

const examples = `
Examples:
  # What fails anywhere, and why
  keelson fleet -A

  # The clusters and units of one namespace, with what each cause holds up
  keelson fleet -n apps -o wide

  # What fails, as it changes
  keelson fleet -A --watch

  # The causes, for a script
  keelson fleet -A -o json | jq -r '.causes[] | [.units.total, .object, .reason] | @tsv'

Exit codes:
  0   nothing fails (there may be warnings)
  1   something fails
  2   the hub did not respond, or refused to show some of it
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
      new Option('--continue <token>', 'show the clusters after those of an earlier response').argParser(
        argument(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
      ),
    )
    .option('-w, --watch', 'keep running, and show it again whenever something changes', false)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((options: Options) =>
      withHub(options.watch ? { ...options, timeout: forever } : options, env, async hub => {
        const namespaces = await readNamespaces(hub, options)
        const show = (listed: readonly Listed[]): void => {
          const summary = glance(listed, namespaces, options)
          output.write(asDocument(summary, options.output) ?? describeFleet(summary, formOf(options)))
          for (const refused of refusalsIn(listed)) notes.write(`${refused}\n`)
          process.exitCode = exitCodeOf(summary, listed)
        }
        const kinds = [...fleetKinds, ...sourceKinds]
        if (!options.watch) return show(await listKinds(hub, options, kinds))
        for await (const listed of followKinds(hub, options, kinds)) {
          output.write(isScreen(output) ? clearScreen : '')
          show(listed)
        }
      }).catch((error: unknown) => {
        if (error instanceof CommandFailed) throw new CommandFailed(error.message, { exitCode: 2, cause: error })
        throw error
      }),
    )

/** Maximum delay of a timer: 24 days. */
const forever = 2 ** 31 - 1

/** Moves the cursor to the upper left, and erases what is below. */
const clearScreen = '\u001b[H\u001b[2J\u001b[3J'

const isScreen = (output: NodeJS.WritableStream): boolean => (output as { readonly isTTY?: boolean }).isTTY === true

const formOf = ({ output }: Options) => ({ isWide: output === 'wide', now: Date.now() })

const exitCodeOf = ({ causes }: FleetSummary, listed: readonly Listed[]): number => {
  if (refusalsIn(listed).length > 0) return 2
  return causes.some(({ severity }) => severity === 'error') ? 1 : 0
}

/** Names of units and clusters in one cause. */
const maxNames = { table: 5, wide: 5, json: 100, yaml: 100 }

const glance = (
  listed: readonly Listed[],
  namespaces: readonly KubernetesObject[],
  { limit, output, ...options }: Options,
): FleetSummary => {
  const fleet = fleetOf(fleetObjectsIn(listed, namespaces))
  const causes = causesOf({ fleet, sources: objectsIn(listed, sourceKinds) })
  const from = options.continue === undefined ? {} : { continue: String(options.continue) }
  return summaryOf(fleet, causes, { limit, maxNames: maxNames[output], ...from })
}
