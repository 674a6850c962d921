import { Command } from 'commander'
import { type Item, refusedField } from '../../clusters/apply/apply-engine.ts'
import { ApplyError } from '../../clusters/apply/apply-error.ts'
import { ignoredFields } from '../../clusters/apply/ignored-fields.ts'
import { judge } from '../../clusters/apply/judge.ts'
import type { Owner } from '../../clusters/apply/owner.ts'
import { plan } from '../../clusters/apply/plan.ts'
import { policies } from '../../clusters/apply/policies.ts'
import { previewTakeover } from '../../clusters/apply/preview-takeover.ts'
import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { describeRef, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { inventoryDifference, inventoryEntry, inventoryObject } from '../../foundations/rules/inventory.ts'
import { placedBuild } from '../../reconcile/kustomization/place-on-hub.ts'
import { CommandFailed } from '../command-failed.ts'
import { describeDrift } from '../describe-drift.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import {
  buildLocally,
  type LocalBuildOptions,
  type Lookup,
  lookupIn,
  requireFolder,
  withLocalBuildOptions,
} from '../local-build.ts'
import {
  isKustomization,
  isSame,
  kustomizationFromFile,
  liveKustomization,
  localFolderOf,
} from '../local-kustomization.ts'
import { localTarget } from '../local-target.ts'
import { isMaskedAlike } from '../mask-sops.ts'
import { isColourful, type Output } from '../output.ts'

interface Options extends HubOptions, LocalBuildOptions {
  /** `--progress-bar=false` */
  readonly progressBar: boolean | string
  readonly ignoreNotFound: boolean
}

const examples = `
Examples:
  # What would change if the files here were the source of my-app
  keelson diff kustomization my-app --path ./deploy

  # The Kustomization from a file too; it need not be in the hub yet
  keelson diff kustomization my-app --path ./deploy --kustomization-file ./my-app.yaml --ignore-not-found

Exit codes: 0 nothing would change, 1 something would, 2 the comparison failed.
`

/** `keelson diff kustomization`: compares a build with the live cluster by server-side dry runs. Changes nothing. */
export const diffKustomizationCommand = (env: NodeJS.ProcessEnv, output: Output): Command =>
  withHubOptions(
    withLocalBuildOptions(
      new Command('kustomization')
        .alias('ks')
        .summary('compare what a Kustomization would apply with its cluster')
        .description('Builds a Kustomization from local files, and shows what applying it would change on its cluster.')
        .argument('<name>', 'name of the Kustomization'),
    ),
  )
    .option('--progress-bar [shown]', 'show progress on a terminal', true)
    .option('--ignore-not-found', 'treat a Kustomization that the hub does not have as new', false)
    .addHelpText('after', examples)
    .action((name: string, options: Options) => diff(name, options, env, output))

const diff = async (name: string, options: Options, env: NodeJS.ProcessEnv, output: Output): Promise<void> => {
  const folder = requireFolder(options.path, 2)
  const { kustomizationFile, namespace, ignoreNotFound } = options
  if (ignoreNotFound && !kustomizationFile) throw failed('--ignore-not-found needs --kustomization-file')
  const fromFile = kustomizationFile ? kustomizationFromFile(kustomizationFile, name, namespace) : undefined
  const progress = progressOn(output, options.progressBar !== 'false' && isColourful(output.notes, env))
  const comparison = await withHub(options, env, async hub => {
    const lookup = lookupIn(hub.cluster, hub.signal)
    const live = await liveKustomization(lookup, name, namespace).catch(error => {
      if (ignoreNotFound) return undefined
      throw error
    })
    const kustomization = fromFile ? { ...fromFile, status: live?.status } : live!
    return compare(kustomization, folder, {
      hub,
      lookup,
      options,
      progress,
      colourful: isColourful(output.results, env),
    })
  }).catch(error => {
    throw error instanceof CommandFailed || error instanceof ApplyError ? failed(error.message, error) : error
  })
  progress.end()
  output.results.write(comparison.text)
  if (comparison.failures.length > 0) throw failed(comparison.failures.join('\n'))
  if (comparison.isChanged)
    throw new CommandFailed('identified at least one change, exiting with non-zero exit code', { exitCode: 1 })
}

const failed = (message: string, cause?: unknown): CommandFailed => new CommandFailed(message, { exitCode: 2, cause })

interface Comparison {
  readonly text: string
  readonly isChanged: boolean
  readonly failures: readonly string[]
}

interface Context {
  readonly hub: HubAccess
  readonly lookup: NonNullable<Lookup>
  readonly options: Options
  readonly progress: ReturnType<typeof progressOn>
  readonly colourful: boolean
}

/** Compares every object, even if others failed. */
const compare = async (kustomization: Kustomization, folder: string, context: Context): Promise<Comparison> => {
  const { hub, lookup, options, progress } = context
  const built = await buildLocally(kustomization, folder, lookup, options)
  const { cluster, owner, hubSide } = await localTarget(kustomization, hub, lookup)
  const { objects, originOf } = placedBuild(built, hubSide)
  const stages = await plan(cluster, objects, { owner, originOf, locate: built.locate, signal: hub.signal })
  const items = stages.flatMap(stage => stage.items)
  const found: Comparison[] = []
  for (const [done, item] of items.entries()) {
    const { desired } = item
    progress.show(`running dry-run ${done + 1}/${items.length}`)
    found.push(await compareObject(item, kustomization, cluster, owner, context))
    if (options.recursive && isKustomization(desired) && !isSame(desired, kustomization))
      found.push(await compareBelow(desired as Kustomization, context))
  }
  const failures = found.flatMap(comparison => comparison.failures)
  const stale = kustomization.spec.prune && failures.length === 0 ? staleOf(kustomization, items) : []
  return {
    text: found.map(({ text }) => text).join('') + stale.map(ref => `► ${describeRef(ref)} deleted\n`).join(''),
    isChanged: stale.length > 0 || found.some(({ isChanged }) => isChanged),
    failures,
  }
}

const compareObject = async (
  { desired, locateField }: Item,
  { spec }: Kustomization,
  cluster: ClusterClient,
  owner: Owner,
  { hub: { signal }, colourful }: Context,
): Promise<Comparison> => {
  const name = describeRef(refOf(desired))
  const fieldManager = 'kustomize-controller'
  const ignored = ignoredFields(spec.ignore ?? [])
  const judging = {
    cluster,
    fieldManager,
    overriddenManagers: [],
    force: spec.force ?? false,
    ignored,
    migrateVersions: false,
    signal,
  }
  try {
    const verdict = await judge(desired, undefined, { ...judging, policies: policies(owner.group) })
    switch (verdict.action) {
      case 'unchanged':
        return same
      case 'skipped':
        return { ...same, text: `► ${name} skipped\n` }
      case 'created':
        return changed(`► ${name} created\n`)
      case 'recreated':
        return changed(`► ${name} recreated\n${describeDrift(verdict.live, desired, { colourful })}`)
      case 'configured': {
        const { live, takeover } = verdict
        const applied = await cluster.apply(desired, { fieldManager, dryRun: true, signal, force: true })
        const wanted = takeover
          ? await previewTakeover(cluster, { desired, applied, takeover, fieldManager, signal })
          : applied
        const drift =
          describeDrift(live, wanted, { colourful }) || '  (no field changes; Flux takes over those that kubectl set)\n'
        return isMaskedAlike(live, wanted) ? same : changed(`► ${name} drifted\n${drift}`)
      }
    }
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    const place = locateField?.(refusedField(error))
    return { ...same, failures: [`${name}: ${error.message}${place ? ` (from ${place})` : ''}`] }
  }
}

const same: Comparison = { text: '', isChanged: false, failures: [] }
const changed = (text: string): Comparison => ({ text, isChanged: true, failures: [] })

/** A new Kustomization is reported as created; what it would apply is not known yet. */
const compareBelow = async (built: Kustomization, context: Context): Promise<Comparison> => {
  const { name, namespace = '' } = built.metadata
  const live = await liveKustomization(context.lookup, name, namespace).catch(() => undefined)
  if (!live) return same
  const kustomization = { ...built, status: live.status }
  const found = await compare(kustomization, localFolderOf(built, context.options.localSources), context)
  return found.isChanged ? { ...found, text: `📁 ${describeRef(refOf(built))} changed\n${found.text}` } : found
}

const staleOf = ({ status }: Kustomization, items: readonly { readonly desired: KubernetesObject }[]) =>
  inventoryDifference(
    status?.inventory?.entries ?? [],
    items.map(({ desired }) => inventoryEntry(desired)),
  ).map(entry => inventoryObject(entry).ref)

/** A line on a terminal that is overwritten; nothing elsewhere. */
const progressOn = ({ notes }: Output, isShown: boolean) => {
  const write = (text: string): void => {
    if (isShown) notes.write(`\r\u001b[K${text}`)
  }
  return { show: (text: string) => write(`◎ ${text}`), end: () => write('') }
}
