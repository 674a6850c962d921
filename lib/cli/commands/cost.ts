import { Command, Option } from 'commander'
import { priceOfUsage } from '../../foundations/fleet/aws-prices.ts'
import { type Usage, type UsageOf, usageBy } from '../../foundations/rules/usage.ts'
import { fetchReport, refusalLines } from '../fleet-reports.ts'
import { type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly since?: string
  readonly by: 'namespace' | 'cluster' | 'both'
  readonly output: OutputForm
}

const examples = `
Examples:
  # What each namespace has used this month
  keelson cost -A

  # Each cluster, since a day
  keelson cost -A --by cluster --since 2026-11-01

  # For a script
  keelson cost -A --by both -o json | jq -r '.items[] | [.namespace, .cluster, .passes] | @tsv'

Exit codes: 0 if everything is shown, 2 if the hub did not respond, or denies access to a part.
`

/** `keelson cost`: what passes have used, by namespace or cluster; on AWS with its price. */
export const costCommand = (
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
  notes: NodeJS.WritableStream,
): Command =>
  withHubOptions(
    new Command('cost')
      .summary('show what each namespace or cluster uses')
      .description(
        "Shows passes, their durations, and requests to clusters, by namespace or cluster. On AWS also units of the table, and the list price of these and of the functions' time.",
      ),
  )
    .option('-A, --all-namespaces', 'of all namespaces that you may see', false)
    .option('--since <day>', 'the first day, as 2026-11-01, in UTC (default: the first of this month)')
    .addOption(
      new Option('--by <what>', 'a row for each').choices(['namespace', 'cluster', 'both']).default('namespace'),
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      const report = await withHub(options, env, hub =>
        fetchReport<{ since: string; until: string; items: readonly UsageOf[] }>(hub, {
          ...{ about: 'usage', scope: options },
          parameters: options.since === undefined ? {} : { since: options.since },
        }),
      )
      const { since, until, items } = report
      const rows = rowsOf(items, options)
      output.write(asDocument({ since, until, items: rows }, options.output) ?? costTable(rows, options))
      for (const line of refusalLines(report)) notes.write(`${line}\n`)
      if (report.refused.length > 0) process.exitCode = 2
    })

interface Row extends Usage {
  readonly namespace?: string
  readonly cluster?: string
  /** US dollars; absent where the platform bills nothing. */
  readonly price?: number
}

const rowsOf = (items: readonly UsageOf[], { by }: Options): readonly Row[] => {
  const fields = (['namespace', 'cluster'] as const).filter(field => by === field || by === 'both')
  const isBilled = items.some(({ gbMs, readUnits, writeUnits }) => gbMs + readUnits + writeUnits > 0)
  return usageBy(items, item => JSON.stringify(fields.map(field => item[field]))).map(({ key, ...usage }) => {
    const values = JSON.parse(key) as readonly string[]
    const named = Object.fromEntries(fields.map((field, at) => [field, values[at]!]))
    return { ...named, ...usage, ...(isBilled && { price: priceOfUsage(usage) }) }
  })
}

const costTable = (rows: readonly Row[], { by }: Options): string => {
  const isBilled = rows.some(({ price }) => price !== undefined)
  const headers = [
    ...(by === 'cluster' ? [] : ['NAMESPACE']),
    ...(by === 'namespace' ? [] : ['CLUSTER']),
    ...['PASSES', 'SECONDS', 'REQUESTS', 'BYTES'],
    ...(isBilled ? ['READ UNITS', 'WRITE UNITS', 'GB-SECONDS', 'USD'] : []),
  ]
  const cells = rows.map(row => [
    ...(by === 'cluster' ? [] : [row.namespace ?? '']),
    ...(by === 'namespace' ? [] : [row.cluster ?? '']),
    ...[row.passes, row.ms / 1000, row.requests].map(whole),
    bytesText(row.bytes),
    ...(isBilled ? [row.readUnits, row.writeUnits, row.gbMs / 1000].map(whole) : []),
    ...(isBilled ? [(row.price ?? 0).toFixed(4)] : []),
  ])
  return table(headers, cells) || 'No passes found.\n'
}

const whole = (number: number): string => String(Math.round(number))

const bytesText = (bytes: number): string => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${at === 0 ? Math.round(bytes) : (bytes / 1000 ** at).toFixed(1)} ${units[at]}`
}
