import { Command } from 'commander'
import { ClusterError } from '../../clusters/client/client.ts'
import { clusterNameOf } from '../../foundations/fleet/fleet-clusters.ts'
import { ageOf } from '../../foundations/kinds/human-duration.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { clusterName } from '../../foundations/rules/cluster-binding.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { listDigest } from '../../foundations/rules/prune-guard.ts'
import { adoptAll, isAdoptable } from '../adopt-orphans.ts'
import { CommandFailed } from '../command-failed.ts'
import { type FoundOrphan, type FoundOrphans, findOrphans } from '../find-orphans.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { asDocument, type OutputForm, outputOption } from '../output-form.ts'
import { table } from '../table.ts'

interface Options extends HubOptions {
  readonly allNamespaces: boolean
  readonly delete: boolean
  readonly adopt: boolean
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

  # Leave to their units what these could prune: with their guards, windows and Runs
  keelson orphans -A --adopt --digest sha256:91c0...

Exit codes: 0 when there is nothing, or all that was listed is deleted or adopted, 1 when there is something, or a part failed,
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
        'Shows objects on clusters whose labels name a Kustomization, HelmRelease or ResourceSet that does not have them in its inventory, applies elsewhere, or is gone. Deletes them, or returns them to their units. A unit of another hub looks as if it were gone.',
      ),
  )
    .option('-A, --all-namespaces', 'of units in all namespaces', false)
    .option('--delete', 'delete what is listed with this digest', false)
    .option('--adopt', 'add what is listed with this digest to the inventory of its unit, which then prunes it', false)
    .option('--digest <digest>', 'digest of the list, as shown below it')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action(async (options: Options) => {
      if (options.delete && options.adopt) throw new CommandFailed('give either --delete or --adopt')
      if ((options.delete || options.adopt) !== (options.digest !== undefined))
        throw new CommandFailed(
          '--delete or --adopt, and --digest go together: run it without them to see the list and its digests',
        )
      process.exitCode = await withHub(options, env, hub => run(hub, options, { output, notes }))
    })

interface Streams {
  readonly output: NodeJS.WritableStream
  readonly notes: NodeJS.WritableStream
}

const run = async (hub: HubAccess, options: Options, { output, notes }: Streams): Promise<number> => {
  const { problems, orphans } = await wanted(hub, options)
  const deletable = listOf(orphans.filter(({ kept }) => kept === undefined))
  const adoptable = listOf(orphans.filter(isAdoptable))
  const document = {
    orphans: orphans.map(recordOf),
    ...(deletable.digest && { digest: deletable.digest }),
    ...(adoptable.digest && { adoptDigest: adoptable.digest }),
  }
  output.write(
    asDocument(document, options.output) ??
      (orphans.length > 0 ? orphanTable(orphans, options.output) : 'No orphans found.\n'),
  )
  for (const problem of problems) notes.write(`${problem}\n`)
  const unread = problems.length > 0 ? 2 : 0
  if (options.digest !== undefined) {
    const [list, verb] = options.delete ? [deletable, 'deleted'] : [adoptable, 'adopted']
    if (options.digest !== list.digest)
      throw new CommandFailed(`nothing is ${verb}: what may be ${verb} now does not have the digest ${options.digest}`)
    const report = (line: string) => notes.write(`${line}\n`)
    const failures = await (options.delete
      ? deleteAll(list.orphans, hub.signal, report)
      : adoptAll(hub, list.orphans, report))
    if (failures.length > 0) throw new CommandFailed(failures.join('\n'))
    return unread
  }
  const command = `keelson orphans ${options.allNamespaces ? '-A' : `-n ${options.namespace}`}`
  const hint = ({ orphans: some, digest }: DigestedList, what: string, flag: string) =>
    digest &&
    notes.write(`\nTo ${what} ${some.length} of ${orphans.length}, run: ${command} ${flag} --digest ${digest}\n`)
  hint(deletable, 'delete', '--delete')
  hint(adoptable, 'let their units prune', '--adopt')
  return unread || (orphans.length > 0 ? 1 : 0)
}

interface DigestedList {
  readonly orphans: readonly FoundOrphan[]
  /** Absent if there are none. */
  readonly digest?: string
}

const listOf = (orphans: readonly FoundOrphan[]): DigestedList => ({
  orphans,
  ...(orphans.length > 0 && { digest: listDigest(orphans.map(lineOf)) }),
})

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
