import { type ClusterClient, ClusterError } from '../clusters/client/client.ts'
import { apiVersionOf, builtInKinds } from '../foundations/kinds/all.ts'
import type { Event } from '../foundations/kinds/event.ts'
import { humanDuration } from '../foundations/kinds/human-duration.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { type Condition, describeRef, type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import { isHubGroup } from '../foundations/kinds/references.ts'

/** What a requested deletion is waiting for. */
export interface WaitingDeletion {
  readonly headline: string
  /** Lines with a name and a text. */
  readonly details: readonly (readonly [name: string, value: string])[]
}

interface Hub {
  readonly cluster: Pick<ClusterClient, 'get' | 'list'>
  readonly signal: AbortSignal
}

type Unit = KubernetesObject & {
  readonly spec?: {
    readonly kubeConfig?: { readonly secretRef?: Named; readonly configMapRef?: Named }
    readonly serviceAccountName?: string
  }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

interface Named {
  readonly name?: string
}

/** For an object with a deletionTimestamp; `events` are its events, the latest last. */
export const waitingDeletion = async (
  object: KubernetesObject,
  events: readonly Event[],
  now: number,
  hub: Hub,
): Promise<WaitingDeletion> => {
  const { deletionTimestamp = '' } = object.metadata
  const ago = humanDuration(now - Date.parse(deletionTimestamp))
  const headline = `${describeRef(refOf(object))} is being deleted, since ${ago} (${deletionTimestamp})`
  return {
    headline,
    details: object.kind === 'Namespace' ? await ofNamespace(object, hub) : await ofUnit(object, events, hub),
  }
}

const ofUnit = async (unit: Unit, events: readonly Event[], hub: Hub): Promise<WaitingDeletion['details']> => {
  const trouble = unit.status?.conditions?.find(({ type, status }) => type === 'Finalized' && status === 'False')
  const reason = trouble
    ? `${trouble.reason}: ${trouble.message}`
    : events.findLast(({ type }) => type === 'Warning')?.message
  const missing = await missingNeeds(unit, hub)
  return [
    ...(unit.metadata.finalizers ?? []).map(name => ['waits for', describeFinalizer(name, unit)] as const),
    ...(reason ? [['reason', reason] as const] : []),
    ...missing.map(
      name => ['because of', `${name}, which does not exist: what was applied can't be reached without it`] as const,
    ),
    ['next', nextOf(unit, missing)] as const,
  ]
}

const hubFinalizers: ReadonlySet<string> = new Set(['finalizers.fluxcd.io', 'fluxcd.controlplane.io/finalizer'])

const describeFinalizer = (name: string, { kind }: KubernetesObject): string => {
  if (name === 'foregroundDeletion') return `${name}: its dependents are deleted first`
  if (name === 'orphan') return `${name}: it is first removed from the owner references of its dependents`
  if (!hubFinalizers.has(name)) return `${name}: not of this hub; its own controller has to remove it`
  return isApplier(kind)
    ? `${name}: what it has applied is deleted first`
    : `${name}: what is stored for it is deleted first`
}

const isApplier = (kind: string): boolean => kind in orphanPatches

/** What a unit's finalizer needs to reach the applied objects. */
const missingNeeds = async ({ metadata, spec = {} }: Unit, { cluster, signal }: Hub): Promise<readonly string[]> => {
  const needs = [
    ['Secret', spec.kubeConfig?.secretRef?.name],
    ['ConfigMap', spec.kubeConfig?.configMapRef?.name],
    ['ServiceAccount', spec.kubeConfig ? undefined : spec.serviceAccountName],
  ] as const
  const missing: string[] = []
  for (const [kind, name] of needs) {
    if (!name) continue
    const ref = { group: '', kind, namespace: metadata.namespace ?? '', name }
    const found = await cluster
      .get('v1', ref, { metadataOnly: true, signal })
      .catch(unlessForbidden('unknown' as const))
    if (!found) missing.push(describeRef(ref))
  }
  return missing
}

const nextOf = ({ kind, metadata }: KubernetesObject, missing: readonly string[]): string => {
  const again =
    missing.length > 0
      ? `retried with growing delays; create ${missing.join(' and ')} again`
      : 'retried with growing delays'
  if (!isApplier(kind)) return again
  const patch = `kubectl patch ${kind.toLowerCase()} ${metadata.name} -n ${metadata.namespace} --type merge`
  return `${again}; to leave what it has applied where it is: ${patch} -p '${orphanPatches[kind]}'`
}

/** By kind of unit, the patch with which its deletion leaves all objects in place. */
const orphanPatches: Readonly<Record<string, string>> = {
  Kustomization: '{"spec":{"deletionPolicy":"Orphan"}}',
  ResourceSet: '{"metadata":{"annotations":{"fluxcd.controlplane.io/reconcile":"disabled"}}}',
  HelmRelease: '{"spec":{"suspend":true}}',
}

interface Namespace extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

const ofNamespace = async (namespace: Namespace, hub: Hub): Promise<WaitingDeletion['details']> => {
  const remaining = (namespace.status?.conditions ?? []).filter(({ status }) => status === 'True')
  const terminating = (
    await Promise.all(unitKinds.map(kind => terminatingIn(namespace.metadata.name, kind, hub)))
  ).flat()
  return [
    ...remaining.map(({ message }) => ['waits for', message] as const),
    ...terminating.map(unit => ['because of', `${describeRef(refOf(unit))}: keelson why ${commandFor(unit)}`] as const),
    [
      'next',
      'Secrets, ConfigMaps and ServiceAccounts are deleted last, as other objects may need them; then the namespace is deleted',
    ],
  ]
}

const unitKinds = builtInKinds.filter(({ group }) => isHubGroup(group))

const terminatingIn = async (
  namespace: string,
  kind: Kind,
  { cluster, signal }: Hub,
): Promise<readonly KubernetesObject[]> => {
  const query = { apiVersion: apiVersionOf(kind), kind: kind.kind, namespace }
  const { items } = await cluster.list(query, { signal }).catch(unlessForbidden({ items: [] as KubernetesObject[] }))
  return items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
}

/** The value to use if the user is not allowed to read it. */
const unlessForbidden =
  <T>(otherwise: T) =>
  (error: unknown): T => {
    if (error instanceof ClusterError && error.code === 'forbidden') return otherwise
    throw error
  }

const commandFor = ({ kind, metadata }: KubernetesObject): string =>
  `${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`
