import { Command } from 'commander'
import { ClusterError } from '../../clusters/client/client.ts'
import { clusterNameOf } from '../../foundations/fleet/fleet-clusters.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { clusterName } from '../../foundations/rules/cluster-binding.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { listDigest } from '../../foundations/rules/prune-guard.ts'
import { CommandFailed } from '../command-failed.ts'
import { type FoundOrphan, type FoundOrphans, findOrphans } from '../find-orphans.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly delete: boolean
  readonly digest?: string
  readonly output: OutputForm
}

const examples = `
Examples:
  # What is left on clusters of units that do not know it, or are gone
  keelson orphans -A

  # Of the units in one namespace, as the labels of the objects say
  keelson orphans -n apps -o wide

  # Delete exactly what was listed, except what is kept
  keelson orphans -A --delete --digest sha256:4be2...

Exit codes: 0 when there is nothing, or all that was listed is deleted, 1 when there is something, or a deletion failed,
2 when the hub or a cluster did not respond, refused to show a part, or a unit that is not Ready leaves it undecided.
`

/** `keelson orphans`: objects on clusters whose labels name a unit that does not know them. */
export const orphansCommand = (
  env: NodeJS.ProcessEnv,
  output: NodeJS.WritableStream,
  notes: NodeJS.WritableStream,
): Command =>
  withHubOptions(
    new Command('orphans')
      .summary('show what is left on clusters and belongs to no unit')
      .description(
        'Shows objects on clusters whose labels name a Kustomization, HelmRelease or ResourceSet that does not have them in its inventory, applies elsewhere, or is gone, and deletes them. A unit of another hub looks as if it were gone.',
      ),
  )
    .option('-A, --all-namespaces', 'of units in all namespaces', false)
    .option('--delete', 'delete what is listed with this digest', false)
    .option('--digest <digest>', 'digest of the list, as shown below it')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      if (options.delete !== (options.digest !== undefined))
        throw new CommandFailed('--delete and --digest go together: run it without both to see the list and its digest')
      process.exitCode = await withHub(options, env, hub => run(hub, options, { output, notes }))
    })

interface Streams {
  readonly output: NodeJS.WritableStream
  readonly notes: NodeJS.WritableStream
}

const run = async (hub: HubAccess, options: Options, { output, notes }: Streams): Promise<number> => {
  const { problems, orphans } = await wanted(hub, options)
  const deletable = orphans.filter(({ kept }) => kept === undefined)
  const digest = listDigest(deletable.map(lineOf))
  output.write(
    asDocument({ orphans: orphans.map(recordOf), ...(deletable.length > 0 && { digest }) }, options.output) ??
      (orphans.length > 0 ? orphanTable(orphans, options.output) : 'No orphans found.\n'),
  )
  for (const problem of problems) notes.write(`${problem}\n`)
  const unread = problems.length > 0 ? 2 : 0
  if (options.delete) {
    if (options.digest !== digest || deletable.length === 0)
      throw new CommandFailed(`nothing is deleted: what may be deleted now does not have the digest ${options.digest}`)
    const failures = await deleteAll(deletable, hub.signal, line => notes.write(`${line}\n`))
    if (failures.length > 0) throw new CommandFailed(failures.join('\n'))
    return unread
  }
  if (deletable.length > 0) {
    const scope = options.allNamespaces ? '-A' : `-n ${options.namespace}`
    notes.write(
      `\nTo delete ${deletable.length} of ${orphans.length}, run: keelson orphans ${scope} --delete --digest ${digest}\n`,
    )
  }
  return unread || (orphans.length > 0 ? 1 : 0)
}

const wanted = async (hub: HubAccess, { allNamespaces, namespace }: Options): Promise<FoundOrphans> => {
  const { orphans, problems } = await findOrphans(hub)
  return { problems, orphans: orphans.filter(({ owner }) => allNamespaces || owner.namespace === namespace) }
}

/** By UID, as another object of that name is another list. */
const lineOf = ({ identity, object }: FoundOrphan): string =>
  `${clusterName(identity)} ${inventoryId(refOf(object))} ${object.metadata.uid}`

const recordOf = ({ at, object, owner, reason, kept }: FoundOrphan) => {
  const { apiVersion, kind, metadata } = object
  const { namespace, name, uid, creationTimestamp } = metadata
  return {
    cluster: clusterNameOf(at),
    ...{ apiVersion, kind, ...(namespace && { namespace }), name, uid, creationTimestamp },
    ...{ unit: owner.unit, reason, ...(kept !== undefined && { kept }) },
  }
}

const orphanTable = (orphans: readonly FoundOrphan[], output: OutputForm): string => {
  const isWide = output === 'wide'
  const now = Date.now()
  return table(
    ['CLUSTER', 'OBJECT', 'AGE', 'UNIT', 'REASON', ...(isWide ? ['APIVERSION', 'UID'] : []), 'KEPT'],
    orphans.map(({ at, object, owner, reason, kept }) => [
      clusterNameOf(at),
      describeRef(refOf(object)),
      ageOf(object.metadata.creationTimestamp, now),
      ...[owner.unit, reason],
      ...(isWide ? [object.apiVersion, object.metadata.uid ?? ''] : []),
      kept ?? '',
    ]),
  )
}

/** In reverse order of apply, in the background; the failures, a line each. */
const deleteAll = async (
  orphans: readonly FoundOrphan[],
  signal: AbortSignal,
  report: (line: string) => void,
): Promise<readonly string[]> => {
  const failures: string[] = []
  for (const { client, at, object } of orphans.toSorted((a, b) =>
    compareApplyOrder(refOf(b.object), refOf(a.object)),
  )) {
    const title = `${clusterNameOf(at)}: ${describeRef(refOf(object))}`
    const { uid } = object.metadata
    try {
      const exactly = { propagation: 'Background', signal, ...(uid && { uid }) } as const
      await client.delete(object.apiVersion, refOf(object), exactly)
      report(`${title} deleted`)
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      failures.push(`${title}: ${error.message}`)
    }
  }
  return failures
}
