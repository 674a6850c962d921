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
  followed(api, '/fleet/live', { unit: objectName(unit) }, signal)

/** Compares the cluster of a unit with what the unit applied last or, for a ResourceSet, renders, which takes dry runs there. Fails with 409 if it can't be compared. */
export const readComparison = (api: HubApi, unit: KubernetesObject, signal: AbortSignal): Promise<Comparison> =>
  followed(api, '/fleet/live/diff', { unit: objectName(unit) }, signal)

/** One object, by its name in an inventory. */
export interface LiveRef {
  readonly unit: KubernetesObject
  readonly object: string
}

const followed = <T extends object>(
  api: HubApi,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<T> => followOrder(more => api.get(withQuery(path, { ...query, ...more }), signal), signal)

const readOf = <T extends object>(
  api: HubApi,
  what: string,
  { unit, object }: LiveRef,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<T> => followed(api, `/fleet/live/${what}`, { unit: objectName(unit), object, ...more }, signal)

/** The object as it is on the cluster, without the values of a Secret. */
export const readLiveObject = (api: HubApi, ref: LiveRef, signal: AbortSignal): Promise<KubernetesObject> =>
  readOf(api, 'object', ref, signal)

/** The cluster's own Events about the object, in the cluster's order. */
export const readLiveEvents = async (api: HubApi, ref: LiveRef, signal: AbortSignal): Promise<readonly Event[]> =>
  (await readOf<{ readonly items: readonly Event[] }>(api, 'events', ref, signal)).items

/** The last lines of a container. */
export const readPodLog = async (api: HubApi, ref: LiveRef, container: string, signal: AbortSignal): Promise<string> =>
  (await readOf<{ readonly text: string }>(api, 'log', ref, signal, { container })).text
