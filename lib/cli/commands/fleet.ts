import { Command, Option } from 'commander'
import { wholeNumber } from '../../compose/settings/value-format.ts'
import type { FleetSummary } from '../../foundations/fleet/fleet-summary.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeFleet } from '../describe-fleet.ts'
import { type FleetReport, fetchReport, followReport, type ReportRequest, refusalLines } from '../fleet-reports.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { argument } from '../option-values.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'

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
        .argParser(argument(wholeNumber(1, 5_000)))
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
        const show = (report: FleetReport<FleetSummary>): void => {
          const { refused, ...summary } = report
          output.write(asDocument(summary, options.output) ?? describeFleet(summary, formOf(options)))
          for (const line of refusalLines(report)) notes.write(`${line}\n`)
          process.exitCode = exitCodeOf(report)
        }
        const request = requestOf(options)
        if (!options.watch) return show(await fetchReport<FleetSummary>(hub, request))
        for await (const report of followReport<FleetSummary>(hub, request)) {
          output.write(isScreen(output) ? clearScreen : '')
          show(report)
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

const exitCodeOf = ({ causes, refused }: FleetReport<FleetSummary>): number => {
  if (refused.length > 0) return 2
  return causes.some(({ severity }) => severity === 'error') ? 1 : 0
}

/** Names of units and clusters in one cause. */
const maxNames = { table: 5, wide: 5, json: 100, yaml: 100 }

const requestOf = (options: Options): ReportRequest => ({
  about: 'summary',
  scope: options,
  parameters: {
    limit: String(options.limit),
    names: String(maxNames[options.output]),
    ...(options.continue !== undefined && { continue: String(options.continue) }),
  },
})
