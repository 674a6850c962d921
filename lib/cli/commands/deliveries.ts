import { Command, Option } from 'commander'
import { ClusterError } from '../../clusters/client/client.ts'
import { wholeNumber } from '../../compose/settings/value-format.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { type Delivery, delivery as deliveryKind, deliveryResults } from '../../foundations/kinds/delivery.ts'
import { parseDeliveryName } from '../../foundations/kinds/delivery-names.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type Run, run as runKind } from '../../foundations/kinds/run.ts'
import { CommandFailed } from '../command-failed.ts'
import { deliveryTable, describeDelivery } from '../describe-delivery.ts'
import { fieldSelectorOf, timeTerms } from '../field-terms.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { argument, namedValue } from '../option-values.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly since?: string
  readonly until?: string
  readonly result?: string
  readonly limit: number
  readonly output: OutputForm
}

const examples = `
Examples:
  # The latest calls of all webhooks of a namespace
  keelson deliveries -n flux-system

  # What one Receiver has refused since this morning, and why
  keelson deliveries github --since 08:00 --result Refused -o wide

  # One call: its headers, what it set off, and the runs that followed
  keelson deliveries github-0mjk1q2w3x7f2
`

/** `keelson deliveries`: the calls of webhooks, the newest first; or one of them in full. */
export const deliveriesCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('deliveries')
      .summary('show the calls of webhooks and what they set off')
      .description(
        'Shows the calls of webhooks of the last week, the newest first: who was verified, and what each set off.',
      )
      .argument('[receiver-or-delivery]', 'the name of a Receiver, or of one delivery'),
  )
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .option('--since <time>', 'that arrived at this time (14:00, an RFC 3339 time, or 2h for two hours ago) or later')
    .option('--until <time>', 'that arrived at this time or earlier')
    .addOption(new Option('--result <result>', 'with this result').argParser(namedValue(deliveryResults)))
    .addOption(
      new Option('--limit <number>', 'maximum number of deliveries')
        .argParser(argument(wholeNumber(1, 100_000)))
        .default(100),
    )
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (what: string | undefined, options: Options) => {
      const isOne = what !== undefined && parseDeliveryName(what) !== undefined
      output.write(
        await withHub(options, env, hub => (isOne ? showOne(hub, what, options) : showAll(hub, what, options))),
      )
    })

const kind = deliveryKind as unknown as Kind
const query = { apiVersion: apiVersionOf(kind), kind: kind.kind }

const showOne = async (hub: HubAccess, name: string, options: Options): Promise<string> => {
  const { namespace, output } = options
  const ref = { group: kind.group, kind: kind.kind, namespace, name }
  const found = (await hub.cluster.get(query.apiVersion, ref, { signal: hub.signal })) as Delivery | undefined
  if (!found) throw new CommandFailed(`delivery '${name}' not found in ${namespace}: it may be older than a week`)
  return asDocument(found, output) ?? describeDelivery(found, await runsAfter(hub, found))
}

const showAll = async (hub: HubAccess, receiver: string | undefined, options: Options): Promise<string> => {
  const { allNamespaces, namespace, limit, result, output } = options
  const now = Date.now()
  const fieldSelector = fieldSelectorOf({
    ...(receiver !== undefined && { 'receiver.name': receiver }),
    ...(result !== undefined && { result }),
    ...timeTerms(options, now),
  })
  const { items } = await hub.cluster.list(
    { ...query, limit, ...(!allNamespaces && { namespace }), ...(fieldSelector && { fieldSelector }) },
    { signal: hub.signal },
  )
  const found = items as readonly Delivery[]
  const form = { withNamespace: allNamespaces, isWide: output === 'wide', now }
  return asDocument(found, output) ?? (deliveryTable(found, form) || 'No deliveries found.\n')
}

const maxRuns = 50

/** The runs of the revisions that the objects of a delivery had afterwards: of all namespaces that the caller may read, or of its own. */
const runsAfter = async ({ cluster, signal }: HubAccess, found: Delivery): Promise<readonly Run[]> => {
  const revisions = new Set((found.objects ?? []).flatMap(({ revision }) => (revision ? [revision] : [])))
  const ofRuns = runKind as unknown as Kind
  const list = async (revision: string, namespace?: string): Promise<readonly Run[]> => {
    const fieldSelector = fieldSelectorOf({ revision, since: found.startedAt })
    const wanted = { apiVersion: apiVersionOf(ofRuns), kind: ofRuns.kind, fieldSelector, limit: maxRuns }
    const { items } = await cluster.list({ ...wanted, ...(namespace && { namespace }) }, { signal })
    return items as readonly Run[]
  }
  const runs = await Promise.all(
    [...revisions].map(revision =>
      list(revision).catch(error => {
        if (error instanceof ClusterError && error.code === 'forbidden') return list(revision, found.metadata.namespace)
        throw error
      }),
    ),
  )
  return runs.flat()
}
