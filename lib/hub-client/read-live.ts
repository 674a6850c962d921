/** What objects of a unit are like on their cluster, as the hub reads them for the person. */

import type { Comparison } from '../foundations/fleet/comparison.ts'
import { objectName } from '../foundations/fleet/fleet-clusters.ts'
import type { LiveTree } from '../foundations/fleet/live.ts'
import type { Event } from '../foundations/kinds/event.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { followOrder } from './follow-order.ts'
import type { HubApi } from './hub-api.ts'
import { withQuery } from './with-query.ts'

/** Fails with ApiFailure or HubUnreachable, as all of these: 403 if the cluster lets the person see nothing, 503 if it does not respond. */
export const readLiveTree = (api: HubApi, unit: KubernetesObject, signal: AbortSignal): Promise<LiveTree> =>
  api.get(withQuery('/fleet/live', { unit: objectName(unit) }), signal)

/** Compares the cluster of a unit with what the unit applied last or, for a ResourceSet, renders, which takes dry runs there. Fails with 409 if it can't be compared. */
export const readComparison = (api: HubApi, unit: KubernetesObject, signal: AbortSignal): Promise<Comparison> =>
  followOrder(more => api.get(withQuery('/fleet/live/diff', { unit: objectName(unit), ...more }), signal), signal)

/** One object, by its name in an inventory. */
export interface LiveRef {
  readonly unit: KubernetesObject
  readonly object: string
}

const path = (what: string, { unit, object }: LiveRef, more: Readonly<Record<string, string>> = {}): string =>
  withQuery(`/fleet/live/${what}`, { unit: objectName(unit), object, ...more })

/** The object as it is on the cluster, without the values of a Secret. */
export const readLiveObject = (api: HubApi, ref: LiveRef, signal: AbortSignal): Promise<KubernetesObject> =>
  api.get(path('object', ref), signal)

/** The cluster's own Events about the object, in the cluster's order. */
export const readLiveEvents = async (api: HubApi, ref: LiveRef, signal: AbortSignal): Promise<readonly Event[]> =>
  (await api.get<{ readonly items: readonly Event[] }>(path('events', ref), signal)).items

/** The last lines of a container. */
export const readPodLog = async (api: HubApi, ref: LiveRef, container: string, signal: AbortSignal): Promise<string> =>
  (await api.get<{ readonly text: string }>(path('log', ref, { container }), signal)).text
