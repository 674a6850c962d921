import { type Approval, approval as approvalKind } from '../../foundations/kinds/approval.ts'
import { type Artifact, artifactOf, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import { changePolicy } from '../../foundations/kinds/change-policy.ts'
import { type Cluster, cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import { dependencyRefs } from '../../foundations/kinds/depends-on.ts'
import { requestedAtAnnotation, requestedByAnnotation } from '../../foundations/kinds/flux.ts'
import { type Condition, type KubernetesObject, type ObjectRef, refKey, refOf } from '../../foundations/kinds/object.ts'
import { plan as planKind, unitUidLabel } from '../../foundations/kinds/plan.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { resourceSet } from '../../foundations/kinds/resource-set.ts'
import { resourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { type Rollout, rollout as rolloutKind } from '../../foundations/kinds/rollout.ts'
import { type RolloutRun, rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { pinOf, rolloutsIn } from '../../foundations/rules/pin.ts'
import { hasOwnChart, placedSources } from '../../foundations/rules/rolled-out.ts'
import { isRunnerAccess, ownAccess } from '../../foundations/rules/runner-access.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import { inputProvidersOf } from '../references/input-providers.ts'
import { createReferences, type ReferenceReader, referencesOf } from '../references/references.ts'
import type { Hub } from '../store/hub.ts'
import { type DataOfSets, resourceSetsIn } from './data-of-sets.ts'
import type { Copy } from './protocol.ts'
import { chartRefOf, isChartOf } from './release-chart.ts'
import { runnerUnitKinds } from './units.ts'

/** What a runner may read: nothing else. */
export interface Readable {
  /** The ConfigMap that says that a runner applies to the cluster. */
  readonly access: TargetReference
  /** The Cluster, and the Kustomizations for it: what the runner may write the status of. */
  readonly own: readonly KubernetesObject[]
  /** What they refer to, as far as they may know it. */
  readonly others: readonly KubernetesObject[]
  /** The artifacts that these name. */
  readonly artifacts: readonly Artifact[]
}

interface ReadSettings {
  readonly noCrossNamespaceRefs: boolean
}

/** A Cluster that is left to a runner, and the ConfigMap that says so; undefined for any other. */
export const runnerAccess = async (
  place: { readonly namespace: string; readonly name: string },
  hub: Pick<Hub, 'get'>,
) => {
  const cluster = await hub.get<Cluster>({ group: clusterKind.group, kind: clusterKind.kind, ...place })
  const access = cluster && ownAccess(cluster)
  const configMap = access && (await hub.get<KubernetesObject>({ group: '', ...access }))
  return access && isRunnerAccess(configMap) ? { cluster, access, configMap: configMap! } : undefined
}

/** What the units of a Cluster need; undefined unless the Cluster exists and is left to a runner. Costs a read of each object. */
export const readableBy = async (
  place: { readonly namespace: string; readonly name: string },
  hub: ReferenceReader,
  { noCrossNamespaceRefs }: ReadSettings,
): Promise<Readable | undefined> => {
  const run = await runnerAccess(place, hub)
  if (!run) return undefined
  const { cluster: found, access, configMap } = run

  const read = async (refs: Iterable<ObjectRef>): Promise<readonly KubernetesObject[]> => {
    const wanted = [...new Map([...refs].map(ref => [refKey(ref), ref])).values()]
    const objects = await Promise.all(wanted.map(ref => hub.get<KubernetesObject>(ref)))
    return objects.filter(object => object !== undefined)
  }
  const named = runnerUnitKinds.map(kind => Array.fromAsync(hub.referrers({ group: '', ...access }, kind)))
  const units = (await read((await Promise.all(named)).flat())).filter(unit => {
    const target = ownAccess(unit)
    return target && describeTarget(target) === describeTarget(access)
  })
  const mayRead = ({ namespace }: ObjectRef) => namespace === place.namespace || !noCrossNamespaceRefs
  const charts = units.flatMap(unit => chartRefOf(unit) ?? [])
  const referred = await read([...units.flatMap(sharedBy), ...charts].filter(ref => isShared(ref) && mayRead(ref)))
  const references = createReferences(hub)
  const inputs = await Promise.all(resourceSetsIn(units).map(set => inputProvidersOf(set, references)))
  const [namespace] = await read([{ group: '', kind: 'Namespace', namespace: '', name: place.namespace }])
  const rollouts = rolloutsIn(namespace)
  const governing = (await read(
    rollouts.map(at => ({ group: rolloutKind.group, kind: rolloutKind.kind, ...at })),
  )) as readonly Rollout[]
  const rolledOut = units.some(hasOwnChart) ? await read(governing.flatMap(chartsOf)) : []
  const pins = units.flatMap(unit => pinOf(unit) ?? [])
  const runs = await read(
    pins.map(({ namespace, run: name }) => ({ group: rolloutRun.group, kind: rolloutRun.kind, namespace, name })),
  )
  const isWelcome = ({ metadata, spec }: RolloutRun): boolean =>
    metadata.namespace === place.namespace ||
    rollouts.some(({ namespace, name }) => namespace === metadata.namespace && name === spec.rollout)
  const deciding = [
    ...inputs.flatMap(({ providers }) => providers),
    ...(await decisionsAbout(units, place.namespace, hub)),
    ...governing,
    ...runs.filter(run => isWelcome(run as RolloutRun)),
    ...(await hub.list({ group: changePolicy.group, kind: changePolicy.kind })).items,
  ]
  const own = [found, ...units]
  const namesOnly = rolledOut.map(({ status: _, ...chart }) => chart) // units take the artifacts from runs
  const all = new Map(
    [configMap, ...(namespace ? [namespace] : []), ...namesOnly, ...referred, ...deciding].map(object => [
      keyOf(object),
      object,
    ]),
  )
  for (const object of own) all.delete(keyOf(object))
  const isOwnChart = (object: KubernetesObject) => units.some(unit => isChartOf(unit, object))
  const compared = new Set(rolledOut.map(keyOf))
  const others = [...all.values()].map(object => shown(object, isOwnChart(object), compared.has(keyOf(object))))
  return { access, own, others, artifacts: others.flatMap(artifactsOf) }
}

/** The HelmCharts of a Rollout. */
const chartsOf = (rollout: Rollout): readonly ObjectRef[] =>
  placedSources(rollout)
    .filter(({ kind }) => kind === 'HelmChart')
    .map(source => ({ group: sourceGroup, ...source }))

/** The plans of units, and what users have decided about these and about deletions of the units. */
const decisionsAbout = async (
  units: readonly KubernetesObject[],
  namespace: string,
  hub: Pick<ReferenceReader, 'list'>,
): Promise<readonly KubernetesObject[]> => {
  if (units.length === 0) return []
  const uids = new Set(units.map(({ metadata }) => metadata.uid))
  const list = async <T extends KubernetesObject>({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>) =>
    (await hub.list<T>({ group, kind, namespace })).items
  const plans = (await list(planKind)).filter(({ metadata }) => uids.has(metadata.labels?.[unitUidLabel]))
  const subjects = new Set([...plans, ...units].map(({ kind, metadata }) => `${kind}/${metadata.name}`))
  const approvals = (await list<Approval>(approvalKind)).filter(({ spec: { subject } }) =>
    subjects.has(`${subject.kind}/${subject.name}`),
  )
  return [...plans, ...approvals]
}

const keyOf = (object: KubernetesObject): string => refKey(refOf(object))

/** Dependencies of a ResourceSet are objects of its cluster, and what it copies is what the hub finds itself: not what its status says. */
const sharedBy = (unit: KubernetesObject): readonly ObjectRef[] =>
  unit.kind === resourceSet.kind ? dependencyRefs(unit) : referencesOf(unit)

/** Data and sources, and the units that units depend on. */
const isShared = (ref: ObjectRef): boolean =>
  isData(ref) || ref.group === sourceGroup || runnerUnitKinds.some(({ kind }) => kind === ref.kind)

const isData = ({ group, kind }: ObjectRef): boolean => group === '' && (kind === 'Secret' || kind === 'ConfigMap')

/**
 * What others may know of an object: of a source its artifact, of an input provider what it exports, of a unit whether it is ready for a revision; more of a chart that is their own, and of
 * one that releases are compared with.
 */
const shown = (object: KubernetesObject, isOwnChart: boolean, isCompared: boolean): KubernetesObject => {
  const { apiVersion, kind, metadata, spec, status } = object as Shown
  const { namespace, name, uid, generation, labels, annotations, creationTimestamp } = metadata
  const own = { name, uid, generation, ...(namespace && { namespace }) }
  if (isData(refOf(object)) || decidingKinds.has(kind))
    return { ...object, metadata: { ...own, labels, annotations, ...(creationTimestamp && { creationTimestamp }) } }
  if (kind === 'Namespace') return { apiVersion, kind, metadata: { ...own, labels, annotations } }
  if (kind === resourceSetInputProvider.kind)
    return { apiVersion, kind, metadata: { ...own, labels }, status: { exportedInputs: status?.exportedInputs } }
  const { conditions = [], observedGeneration, lastAppliedRevision, artifact } = status ?? {}
  const requests = Object.entries(annotations ?? {}).filter(([key]) => requestAnnotations.has(key))
  return {
    apiVersion,
    kind,
    metadata: { ...own, ...(isOwnChart ? { labels, annotations } : { annotations: Object.fromEntries(requests) }) },
    spec: { sourceRef: spec?.sourceRef, dependsOn: spec?.dependsOn, ...(isCompared && spec) },
    status: {
      // Messages may quote the spec.
      conditions: isOwnChart ? conditions : conditions.map(condition => ({ ...condition, message: '' })),
      ...{ observedGeneration, lastAppliedRevision, artifact },
    },
  }
}

/** What decides about units, besides their Cluster and Namespace: shown as it is. */
const decidingKinds: ReadonlySet<string> = new Set(
  [rolloutKind, rolloutRun, changePolicy, planKind, approvalKind].map(({ kind }) => kind),
)

const requestAnnotations = new Set([requestedAtAnnotation, requestedByAnnotation])

interface Shown extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] }
}

const artifactsOf = (object: KubernetesObject): readonly Artifact[] => {
  if (object.kind === rolloutRun.kind)
    return (object as RolloutRun).spec.sources
      .map(({ artifact }) => artifact)
      .filter(({ path }) => path.startsWith(folderOf(object)))
  const artifact = artifactOf(object)
  return artifact ? [artifact] : []
}

/** The artifact of this name, if the runner may read it. */
export const artifactNamed = ({ artifacts }: Readable, name: string): Artifact | undefined =>
  artifacts.find(artifact => blobNameOf(artifact) === name)

/** What is sent to a runner, and its digest, which changes of a status by the runner itself leave as it is. */
export const copyOf = (
  { own, others }: Pick<Readable, 'own' | 'others'>,
  settings: Copy['settings'],
  { objects, data }: DataOfSets = { objects: [] },
): Copy & { readonly digest: string } => {
  const known = new Set([...own, ...others].map(keyOf))
  const added = new Map(objects.filter(object => !known.has(keyOf(object))).map(object => [keyOf(object), object]))
  const all = [...others, ...[...added.values()].map(object => shown(object, false, false))]
  const sent = own.map(withoutBookkeeping)
  const lasting = sent.map(({ status: _, metadata: { resourceVersion: __, ...metadata }, ...rest }) => ({
    ...rest,
    metadata,
  }))
  const digest = sha256Hex(JSON.stringify([lasting, all, settings, ...(data ? [data] : [])]))
  return { own: sent, others: all, settings, digest, ...(data && { data }) }
}

/** Owners are not in the copy, and would be missed there; managers of fields mean nothing there. */
const withoutBookkeeping = (object: KubernetesObject): KubernetesObject => {
  const { ownerReferences: _, managedFields: __, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** Who has changed what no pass has observed yet, by key of the unit. Costs a read of each. */
export const changersOf = async (
  own: readonly KubernetesObject[],
  hub: Pick<Hub, 'changedBy'>,
): Promise<NonNullable<Copy['changedBy']>> => {
  const isNew = ({ metadata, status }: KubernetesObject): boolean =>
    (status as { readonly observedGeneration?: number } | undefined)?.observedGeneration !== metadata.generation
  const found = await Promise.all(
    own.filter(isNew).map(async unit => [keyOf(unit), await hub.changedBy(unit)] as const),
  )
  return Object.fromEntries(found.filter((one): one is readonly [string, string] => one[1] !== undefined))
}
