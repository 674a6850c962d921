/** What objects of a unit are like on their cluster, as the hub reads them for the person. */

import type { Comparison } from '../foundations/fleet/comparison.ts'
import { objectName } from '../foundations/fleet/fleet-clusters.ts'
import type { LiveTree, LogRead } from '../foundations/fleet/live.ts'
import type { Event } from '../foundations/kinds/event.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { followOrder } from './follow-order.ts'
import type { HubReader } from './hub-api.ts'
import { withQuery } from './with-query.ts'

/** Fails with ApiFailure or HubUnreachable, as all of these: 403 if the cluster lets the person see nothing, 503 if it does not respond. */
export const readLiveTree = (api: HubReader, unit: KubernetesObject, signal: AbortSignal): Promise<LiveTree> =>
  followed(api, '/fleet/live', { unit: objectName(unit) }, signal)

/** Compares the cluster of a unit with what the unit applied last or, for a ResourceSet, renders, which takes dry runs there. Fails with 409 if it can't be compared. */
export const readComparison = (api: HubReader, unit: KubernetesObject, signal: AbortSignal): Promise<Comparison> =>
  followed(api, '/fleet/live/diff', { unit: objectName(unit) }, signal)

/** One object, by its name in an inventory. */
export interface LiveRef {
  readonly unit: KubernetesObject
  readonly object: string
}

const followed = <T extends object>(
  api: HubReader,
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<T> => followOrder(more => api.get(withQuery(path, { ...query, ...more }), signal), signal)

const readOf = <T extends object>(
  api: HubReader,
  what: string,
  { unit, object }: LiveRef,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<T> => followed(api, `/fleet/live/${what}`, { unit: objectName(unit), object, ...more }, signal)

/** The object as it is on the cluster, without the values of a Secret. */
export const readLiveObject = (api: HubReader, ref: LiveRef, signal: AbortSignal): Promise<KubernetesObject> =>
  readOf(api, 'object', ref, signal)

/** The cluster's own Events about the object, in the cluster's order. */
export const readLiveEvents = async (api: HubReader, ref: LiveRef, signal: AbortSignal): Promise<readonly Event[]> =>
  (await readOf<{ readonly items: readonly Event[] }>(api, 'events', ref, signal)).items

/** The last lines of a container, the oldest first. */
export const readPodLog = async (
  api: HubReader,
  ref: LiveRef,
  { container, previous, tailLines }: LogRead,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const more = { container, ...(previous && { previous: 'true' }), ...(tailLines && { tailLines: String(tailLines) }) }
  const { text } = await readOf<{ readonly text: string }>(api, 'log', ref, signal, more)
  const written = text.trimEnd()
  return written === '' ? [] : written.split('\n')
}
