import type { Hub } from '../../hub/hub.ts'
import { ApiError } from '../../hub/hub.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { refKey, refOf } from '../../kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Message, Queue } from '../../ports/queue.ts'
import { isUnsettled, watchedSelector, wishOf } from './hints.ts'
import { announce } from './news.ts'
import type { Reconciler } from './reconciler.ts'

export interface WatcherPorts {
  readonly hub: Pick<Hub, 'list' | 'watch' | 'referrers'>
  readonly queue: Queue
  readonly clock: Clock
  readonly log: Log
}

type Watched = Pick<Reconciler<KubernetesObject>, 'kind' | 'stage' | 'reactsTo'>

const pageSize = 500
const pauseAfterFailureMs = 1_000

/**
 * Turns changes in the hub into messages for the loop, in a process that lives long: objects whose spec changed, that
 * were asked to reconcile or deleted; and the users of Secrets and ConfigMaps that are labelled to be watched. It starts
 * with whatever an earlier process left unsettled. Resolves when the signal ends.
 */
export const watchHub = async (
  ports: WatcherPorts,
  reconcilers: readonly Watched[],
  signal: AbortSignal,
): Promise<void> => {
  await Promise.all([
    ...reconcilers.map(reconciler => keepWatching(ports, signal, () => watchObjects(ports, reconciler, signal))),
    ...['Secret', 'ConfigMap'].map(kind =>
      keepWatching(ports, signal, () => watchConfiguration(ports, reconcilers, kind, signal)),
    ),
  ])
}

/** Starts over when a watch ends: the change log no longer reaches back, or the store failed. */
const keepWatching = async ({ clock, log }: WatcherPorts, signal: AbortSignal, watch: () => Promise<void>) => {
  while (!signal.aborted) {
    try {
      await watch()
    } catch (error) {
      if (signal.aborted) return
      const isRoutine = error instanceof ApiError && (error.reason === 'Expired' || error.reason === 'Gone')
      if (!isRoutine) log.error('a watch of the hub failed', { error })
      await clock.sleep(pauseAfterFailureMs, signal).catch(() => {})
    }
  }
}

const watchObjects = async (
  { hub, queue }: WatcherPorts,
  { kind, stage }: Watched,
  signal: AbortSignal,
): Promise<void> => {
  const wishes = new Map<string, string>()
  const messageFor = (object: KubernetesObject): Message => ({ stage, ref: refOf(object) })
  let resume: string | undefined
  let after = ''
  do {
    const page = await hub.list<KubernetesObject>({ ...kind, limit: pageSize, continue: resume })
    for (const object of page.items) wishes.set(refKey(refOf(object)), wishOf(object))
    await queue.send(page.items.filter(isUnsettled).map(messageFor))
    resume = page.continue
    after = page.resourceVersion
  } while (resume)
  for await (const { type, object } of hub.watch({ ...kind, after, signal })) {
    const key = refKey(refOf(object))
    if (type === 'DELETED') wishes.delete(key)
    else if (wishes.get(key) !== wishOf(object)) {
      wishes.set(key, wishOf(object))
      await queue.send([messageFor(object)])
    }
  }
}

const watchConfiguration = async (
  ports: WatcherPorts,
  reconcilers: readonly Watched[],
  kind: string,
  signal: AbortSignal,
): Promise<void> => {
  const watched = { group: '', kind, labelSelector: watchedSelector }
  const { resourceVersion } = await ports.hub.list({ ...watched, limit: 1 })
  for await (const { object } of ports.hub.watch({ ...watched, after: resourceVersion, signal })) {
    await announce(ports, reconcilers, refOf(object))
  }
}
