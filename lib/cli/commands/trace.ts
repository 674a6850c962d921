import { Command } from 'commander'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type HelmRelease, helmRelease } from '../../foundations/kinds/helm-release.ts'
import { type Kustomization, kustomization, sourceNamespaceOf } from '../../foundations/kinds/kustomization.ts'
import { isNamedBy, type NamedObject } from '../../foundations/kinds/named-object.ts'
import { type Condition, groupOf, type KubernetesObject, type ObjectRef } from '../../foundations/kinds/object.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import { CommandFailed } from '../command-failed.ts'
import { type HubAccess, type HubOptions, withHub, withHubOptions } from '../hub-access.ts'
import { type Lookup, lookupIn } from '../local-build.ts'
import { chartSourceOf } from '../release-chart.ts'
import { targetOf } from '../target-of.ts'

interface Options extends HubOptions {
  readonly kind?: string
  readonly apiVersion?: string
}

const examples = `
Examples:
  # Who applied a Deployment, and from what
  keelson trace -n apps deployment my-app

  # Several objects
  keelson trace -n redis statefulset/redis configmap/redis

  # A kind by its full name
  keelson trace redis --kind HelmRelease --api-version helm.toolkit.fluxcd.io/v2 -n redis

The object is searched for in the inventories of the hub's Kustomizations and HelmReleases, so it may be on any cluster.
`

/** `keelson trace`: finds the Kustomization or HelmRelease that applied an object, and its source. */
export const traceCommand = (env: NodeJS.ProcessEnv, output: NodeJS.WritableStream): Command =>
  withHubOptions(
    new Command('trace')
      .summary('show where an object comes from')
      .description('Shows which Kustomization or HelmRelease manages an object, and its source and revision.')
      .argument('<object...>', 'KIND NAME..., or KIND/NAME...'),
  )
    .option('--kind <kind>', 'kind of the objects; with --api-version')
    .option('--api-version <version>', 'API version of the objects, such as apps/v1')
    .addHelpText('after', examples)
    .action(async (words: readonly string[], options: Options) => {
      const wanted = wantedFrom(words, options)
      const reports = await withHub(options, env, hub => traceAll(wanted, hub))
      output.write(reports.join('---\n'))
    })

const wantedFrom = (words: readonly string[], { kind, apiVersion, namespace }: Options): readonly NamedObject[] => {
  if ((kind === undefined) !== (apiVersion === undefined))
    throw new CommandFailed('--kind and --api-version must be given together')
  if (kind && apiVersion) return words.map(name => ({ kind, group: groupOf(apiVersion), namespace, name }))
  const [first = '', ...names] = words
  if (!first.includes('/')) {
    if (names.length === 0) throw new CommandFailed('either KIND/NAME or KIND NAME is required as an argument')
    return names.map(name => ({ kind: first, namespace, name }))
  }
  return words.map(word => {
    const [kindWord = '', name = '', ...more] = word.split('/')
    if (!kindWord || !name || more.length > 0) throw new CommandFailed(`'${word}' is not of the form KIND/NAME`)
    return { kind: kindWord, namespace, name }
  })
}

const traceAll = async (wanted: readonly NamedObject[], hub: HubAccess): Promise<readonly string[]> => {
  const listed = await Promise.all(
    [kustomization, helmRelease].map(({ group, kind, versions: [version] }) =>
      hub.cluster.list({ apiVersion: `${group}/${version!.name}`, kind }, { signal: hub.signal }),
    ),
  )
  const found = listed
    .flatMap(({ items }) => items as readonly Manager[])
    .flatMap(manager =>
      (manager.status?.inventory?.entries ?? []).map(entry => ({ manager, ...inventoryObject(entry) })),
    )
  return Promise.all(
    wanted.map(async requested => {
      const managed = found.filter(({ ref }) => isNamedBy(requested, ref))
      if (managed.length === 0)
        throw new CommandFailed(
          `${requested.kind}/${requested.name} in namespace ${requested.namespace}: object not managed by Flux (no Kustomization or HelmRelease of the hub has it in its inventory)`,
        )
      const reports = await Promise.all(managed.map(({ ref, manager }) => report(ref, manager, hub)))
      return reports.join('---\n')
    }),
  )
}

type Source = KubernetesObject & {
  readonly spec: {
    readonly url?: string
    readonly endpoint?: string
    readonly chart?: string
    readonly version?: string
    readonly ref?: {
      readonly tag?: string
      readonly semver?: string
      readonly branch?: string
      readonly digest?: string
    }
    readonly sourceRef?: { readonly kind: string; readonly namespace?: string; readonly name: string }
  }
  readonly status?: { readonly artifact?: Artifact; readonly conditions?: readonly Condition[] }
}

type Manager = Kustomization | HelmRelease

const isRelease = (manager: Manager): manager is HelmRelease => manager.kind === helmRelease.kind

/** In the format of `flux trace`, plus the Secret of the cluster if it is not the hub. */
const report = async (ref: ObjectRef, manager: Manager, hub: HubAccess): Promise<string> => {
  const sources = await sourcesOf(manager, lookupIn(hub.cluster, hub.signal))
  return printed([
    ['Object', `${ref.kind}/${ref.name}`],
    ['Namespace', ref.namespace],
    ['Status', 'Managed by Flux'],
    ['Cluster', await targetOf(manager, lookupIn(hub.cluster, hub.signal))],
    undefined,
    ...managerLines(manager),
    ...sources.flatMap(source => [undefined, ...sourceLines(source)]),
  ])
}

const managerLines = (manager: Manager): readonly Line[] => [
  [manager.kind, manager.metadata.name],
  ['Namespace', manager.metadata.namespace],
  ['Target', manager.spec.targetNamespace],
  ...(isRelease(manager)
    ? [['Revision', manager.status?.history?.[0]?.chartVersion] as const]
    : [['Path', manager.spec.path] as const, ['Revision', manager.status?.lastAppliedRevision] as const]),
  ...standing(manager.status?.conditions, () => 'Last reconciled at'),
]

/** The sources of a manager's objects; for a HelmChart also the chart's own source. */
const sourcesOf = async (manager: Manager, lookup: NonNullable<Lookup>): Promise<readonly Source[]> => {
  const first = isRelease(manager) ? chartSourceOf(manager) : sourceOf(manager)
  const source = await lookup.get<Source>({ group: sourceGroup, ...first })
  if (!source) return []
  const { kind, metadata, spec } = source
  if (kind !== 'HelmChart' || !spec.sourceRef) return [source]
  const { kind: from, name } = spec.sourceRef
  const origin = await lookup.get<Source>({
    ...{ group: sourceGroup, kind: from, name },
    namespace: metadata.namespace ?? '',
  })
  return origin ? [source, origin] : [source]
}

const sourceGroup = 'source.toolkit.fluxcd.io'

const sourceOf = (manager: Kustomization) => ({
  kind: manager.spec.sourceRef.kind,
  namespace: sourceNamespaceOf(manager),
  name: manager.spec.sourceRef.name,
})

/** A field and its value; undefined separates sections. Lines without a value are omitted. */
type Line = readonly [field: string, value: string | false | undefined] | undefined

const printed = (lines: readonly Line[]): string =>
  lines
    .map(line => {
      if (!line) return '---\n'
      const [field, value] = line
      return value ? `${`${field}:`.padEnd(17)}${value}\n` : ''
    })
    .join('')

const sourceLines = ({ kind, metadata, spec, status }: Source): readonly Line[] => {
  const { ref, sourceRef } = spec
  const annotations = status?.artifact?.metadata
  return [
    [kind, metadata.name],
    ['Namespace', metadata.namespace],
    ['Chart', spec.chart],
    ['Version', spec.version],
    ['URL', spec.url ?? spec.endpoint],
    [
      'Source',
      kind !== 'HelmChart' &&
        sourceRef &&
        `${sourceRef.kind}/${sourceRef.namespace ?? metadata.namespace}/${sourceRef.name}`,
    ],
    ...reference(ref),
    ['Revision', status?.artifact?.revision],
    ['Origin Revision', annotations?.['org.opencontainers.image.revision']],
    ['Origin Source', annotations?.['org.opencontainers.image.source']],
    ...standing(status?.conditions, ({ status }) =>
      status === 'False' ? 'Last reconciliation failed at' : 'Last reconciled at',
    ),
  ]
}

const reference = (ref: Source['spec']['ref']): readonly Line[] => {
  if (ref?.tag || ref?.semver) return [['Tag', ref.tag ?? ref.semver]]
  return [ref?.digest ? ['Digest', ref.digest] : ['Branch', ref?.branch]]
}

const standing = (
  conditions: readonly Condition[] | undefined,
  words: (ready: Condition) => string,
): readonly Line[] => {
  const ready = conditions?.find(({ type }) => type === 'Ready')
  if (!ready) return [['Status', 'Unknown']]
  return [
    ['Status', `${words(ready)} ${ready.lastTransitionTime}`],
    ['Message', ready.message],
  ]
}
