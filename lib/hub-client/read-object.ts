import { type Explanation, explain } from '../foundations/fleet/explain.ts'
import { kindOf, type Needing, neededBy } from '../foundations/fleet/needed-by.ts'
import { apiVersionOf, builtInKinds } from '../foundations/kinds/all.ts'
import type { Event } from '../foundations/kinds/event.ts'
import { event as eventKind } from '../foundations/kinds/event.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { namespace as namespaceKind } from '../foundations/kinds/namespace.ts'
import { describeRef, type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import { isHubGroup } from '../foundations/kinds/references.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import { accessOf } from '../foundations/rules/target.ts'
import { type Allowed, allowedActions, type SourceOfObject } from './allowed-actions.ts'
import { sourceKinds } from './fleet-kinds.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'
import { listPage } from './list-page.ts'
import { resourcePath } from './resource-path.ts'

/** One object, with what explains it. */
export interface ObjectView {
  readonly object: KubernetesObject
  readonly kind: Kind
  readonly explanation: Explanation
  /** The access to the cluster that it applies to; absent for the hub itself, and for what applies nothing. */
  readonly access: TargetReference | undefined
  /** What the person may do with it. */
  readonly allowed: Allowed
}

export interface ReadContext {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly signal: AbortSignal
}

/** The kind of Flux or Keelson with this name. */
export const hubKind = (name: string): Kind | undefined =>
  builtInKinds.find(({ kind, group }) => kind === name && isHubGroup(group))

/** Fails with ApiFailure or HubUnreachable. */
export const readObject = async (
  api: HubApi,
  kind: Kind,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { now, signal }: ReadContext,
): Promise<ObjectView> => {
  const [found, home] = await Promise.all([
    api.get<KubernetesObject>(resourcePath(kind, { namespace, name }), signal),
    orUndefined(api.get<KubernetesObject>(resourcePath(namespaceKind as Kind, { name: namespace }), signal)),
  ])
  const object = { ...found, apiVersion: apiVersionOf(kind), kind: kind.kind }
  const access = accessOf(object, home)
  const [explanation, allowed] = await Promise.all([
    explainOr(object, access, api, { now, signal }),
    allowedActions(api, kind, object, sourcesOf(object as Needing)),
  ])
  return { object, kind, explanation, access, allowed }
}

/** What an object takes its content from. */
const sourcesOf = (object: Needing): readonly SourceOfObject[] =>
  neededBy(object).flatMap(reference => {
    const kind = kindOf(reference)
    const namespace = reference.namespace || (object.metadata.namespace ?? '')
    return kind && sourceKinds.includes(kind) ? [{ kind, namespace, name: reference.name ?? '' }] : []
  })

const explainOr = async (
  object: KubernetesObject,
  access: TargetReference | undefined,
  api: HubApi,
  { now, signal }: ReadContext,
): Promise<Explanation> => {
  if (object.metadata.deletionTimestamp)
    return { isReady: false, headline: `${describeRef(refOf(object))} is being deleted`, details: [] }
  return explain(object, {
    target: access && describeTarget(access),
    now: now(),
    read: (ref, of) => orUndefined(api.get<KubernetesObject>(resourcePath(of, ref), signal)),
  })
}

/** Undefined for what does not exist, and for what the person may not read. */
const orUndefined = async <T>(reading: Promise<T>): Promise<T | undefined> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiFailure && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}

const maxEvents = 500

/** The Events about an object, the latest first. */
export const readEvents = async (
  api: HubApi,
  { kind, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly Event[]> => {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`
  const query = { fieldSelector, limit: String(maxEvents) }
  const { items } = await listPage<Event>(api, eventKind as unknown as Kind, { namespace, query }, signal)
  return items.toSorted((a, b) => (lastSeen(a) < lastSeen(b) ? 1 : -1))
}

/** When an Event happened last (RFC 3339), in whichever of its fields the API of its writer has. */
export const lastSeen = ({ lastTimestamp, eventTime, metadata }: Event): string =>
  lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
