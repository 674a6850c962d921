import { type KubernetesObject, type ObjectRef, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { ApiError } from '../store/hub.ts'
import type { HubLink } from './hub-link.ts'
import type { PollWants } from './news.ts'
import type { Order, OrderType } from './orders.ts'
import type {
  ChartRequest,
  ChartResponse,
  CompleteRequest,
  Copy,
  EventRequest,
  PlanRequest,
  ReportRequest,
  ReportResponse,
  RunRequest,
  SyncResponse,
  WaitRequest,
  WaitResponse,
  WakeUp,
} from './protocol.ts'
import { runnerLeaseMs } from './protocol.ts'

/** The time in which a runner holds one lease of its hub. What began in it can't write after it. */
export interface Session {
  /**
   * Takes or renews the lease, and gets the copy and a WakeUp, as wanted and if the hub has them. Fails if the hub does not respond, or another
   * runner has the lease.
   */
  sync(wants?: PollWants): Promise<WakeUp | undefined>
  /** Waits in a request that the hub holds; resolves to whether there may be news. */
  wait(held: Omit<WaitRequest, 'lease'>, signal: AbortSignal): Promise<boolean>
  /** Whether the lease is held for certain: only then may anything be done. */
  isHeld(): boolean
  /** Milliseconds since the last response of the hub; undefined before the first copy, once the session is over, and if the hub refuses the runner. */
  silentMs(): number | undefined
  /** Whether the lease has gone to someone else: then another session may begin. */
  isOver(): boolean
  /** Has the hub store the status of an own object or that it goes back by itself, or let it go; fails unless that is certain. */
  report(object: KubernetesObject, change: Pick<ReportRequest, 'status' | 'finalized' | 'goesBack'>): Promise<void>
  event(object: KubernetesObject, event: Pick<EventRequest, 'occurrence' | 'component'>): Promise<void>
  /** Has the hub store a Run. */
  run(run: Omit<RunRequest, 'lease'>): Promise<void>
  /** Has the hub apply or delete the HelmChart of a HelmRelease, and takes the copy with it. */
  chart(chart: Omit<ChartRequest, 'lease'>): Promise<ChartResponse>
  /** Has the hub store, change or remove a Plan, and takes the copy with it. */
  plan(plan: Omit<PlanRequest, 'lease'>): Promise<void>
  /** Hands over the result of an order. */
  complete(done: Omit<CompleteRequest, 'lease'>): Promise<void>
  /** The content of an artifact; undefined if no unit uses it, or it is not stored. */
  artifact(name: string): Promise<Uint8Array | undefined>
  /** Replaces the runner's key. */
  renewKey(): Promise<void>
  /** Ends the session, and gives the lease back if that is possible. */
  close(): Promise<void>
}

interface SessionPorts {
  readonly link: HubLink
  readonly clock: Pick<Clock, 'monotonic'>
  /** Version of the runner. */
  readonly version: string
  /** Which orders it takes. */
  readonly takes: readonly OrderType[]
  /** The lease of an earlier process with the same data folder. */
  readonly resumes?: number | undefined
  /** Called with each lease that is taken, before anything is done under it. */
  keep(lease: number): Promise<void>
  /** Makes a copy the current one. */
  take(copy: Copy, isStale: (ref: ObjectRef) => boolean): Promise<void>
  /** Called with all orders that have no result, after the copy. */
  takeOrders(orders: readonly Order[]): void
}

const reportAttempts = 5

/** Responses of a hub, not of a proxy in front of it: the runner is revoked, or its Cluster is gone. */
const refusals: ReadonlySet<string> = new Set(['Unauthorized', 'Forbidden', 'NotFound'])

/** A session that begins with its first request: it takes the lease, or resumes that of `resumes`, and each later copy renews it. */
export const createSession = (ports: SessionPorts): Session => {
  const { link, clock, version, takes, resumes, keep, take } = ports
  /** `sentAt`: when the last request began that the hub has responded to. */
  let lease: { readonly token: number; readonly sentAt: number; readonly until: number } | undefined
  let isOver = false
  let isRefused = false
  let hasCopy = false
  /** Digest of the current copy. */
  let known: string | undefined
  /** Version of the hub, which knows what this runner is. */
  let ofHub: string | undefined
  let isIntroduced = false
  /** By key of the object: the version that the hub has. */
  const versions = new Map<string, string>()
  /** Objects of which it is not known what the hub has stored; all of them until the first copy. */
  const stale = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()

  const request = async <T>(...[verb, content, held]: Parameters<HubLink['request']>): Promise<T> => {
    try {
      return await link.request<T>(verb, content, held)
    } catch (error) {
      if (error instanceof ApiError && (error.code === 410 || error.reason === 'Unauthorized')) isOver = true
      throw error
    }
  }

  const sync = (isWhole = false, wants?: PollWants): Promise<WakeUp | undefined> => {
    const next = last.then(
      () => syncNow(isWhole, wants),
      () => syncNow(isWhole, wants),
    )
    last = next.catch(() => {})
    return next
  }

  /** `isWhole`: the copy is wanted even if nothing in it has changed, for the versions. */
  const syncNow = async (isWhole: boolean, wants: Partial<PollWants> = {}): Promise<WakeUp | undefined> => {
    const sentAt = clock.monotonic()
    const claim = {
      ...(lease ? { lease: lease.token } : resumes !== undefined && { resumes }),
      ...(!isIntroduced && { version, takes }),
    }
    const isKnown = known !== undefined && !isWhole
    const { waits, renews } = wants
    const content = {
      ...claim,
      ...(isKnown && { known }),
      ...(waits && { waits, holds: true }),
      ...(renews && isKnown && { renews }),
    }
    const response = await request<SyncResponse>('sync', content).catch(error => {
      isRefused ||= error instanceof ApiError && refusals.has(error.reason)
      throw error
    })
    isRefused = false
    const { lease: token, copy, digest, orders = [], leaseMs = runnerLeaseMs } = response
    // A hub that was upgraded since may want to know more.
    isIntroduced = ofHub === undefined || ofHub === response.hub
    ofHub = response.hub
    if (token !== lease?.token) await keep(token)
    lease = { token, sentAt, until: sentAt + leaseMs }
    if (copy) {
      const refreshed = new Set(stale)
      await take(copy, ref => !hasCopy || refreshed.has(refKey(ref)))
      versions.clear()
      for (const object of copy.own) versions.set(refKey(refOf(object)), object.metadata.resourceVersion!)
      for (const key of refreshed) stale.delete(key)
      hasCopy = true
    }
    known = digest
    if (!('renews' in content)) ports.takeOrders(orders)
    return response.wakeUp
  }

  const isHeld = (): boolean => !isOver && hasCopy && lease !== undefined && clock.monotonic() < lease.until

  const leased = (): { readonly lease: number } => {
    if (!isHeld()) throw new ApiError(503, 'ServiceUnavailable', 'the runner has no lease of its hub')
    return { lease: lease!.token }
  }

  /** The version that a report replaces: read again if that is not certain. */
  const versionOf = async (key: string): Promise<string> => {
    if (stale.has(key) || !versions.has(key)) await sync(true)
    const version = versions.get(key)
    if (version === undefined) throw new ApiError(404, 'NotFound', 'the object is no unit of this runner any more')
    return version
  }

  const report: Session['report'] = async (object, change) => {
    const ref = refOf(object)
    const key = refKey(ref)
    for (let left = reportAttempts; ; left--) {
      const about = { ref, uid: object.metadata.uid!, resourceVersion: await versionOf(key), ...change }
      try {
        const { resourceVersion } = await request<ReportResponse>('report', { ...leased(), ...about })
        if (resourceVersion === undefined) versions.delete(key)
        else versions.set(key, resourceVersion)
        return
      } catch (error) {
        const isConflict = error instanceof ApiError && error.reason === 'Conflict'
        // Not known to be refused: the hub may have stored it.
        if (!(error instanceof ApiError) || error.code >= 500) stale.add(key)
        if (!isConflict || left === 0) throw error
        // Someone has changed the object on the hub: its labels, or its spec.
        versions.delete(key)
      }
    }
  }

  return {
    sync: wants => sync(false, wants),
    wait: async (held, signal) => {
      const { forMs } = held
      return (await request<WaitResponse>('wait', { ...leased(), ...held }, { forMs, signal })).news
    },
    isHeld,
    silentMs: () => (isOver || isRefused || !hasCopy || !lease ? undefined : clock.monotonic() - lease.sentAt),
    isOver: () => isOver,
    report,
    event: async (object, event) => {
      await request('event', { ...leased(), ref: refOf(object), uid: object.metadata.uid, ...event })
    },
    run: async run => {
      await request('run', { ...leased(), ...run })
    },
    chart: async chart => {
      const response = await request<ChartResponse>('chart', { ...leased(), ...chart })
      if (!chart.dryRun) await sync()
      return response
    },
    plan: async plan => {
      await request('plan', { ...leased(), ...plan })
      await sync()
    },
    complete: async done => {
      await request('complete', { ...leased(), ...done })
    },
    artifact: async name => {
      const found = await request<{ readonly content: string }>('artifact', { ...leased(), name }).catch(error => {
        if (error instanceof ApiError && error.code === 404) return undefined
        throw error
      })
      return found && Buffer.from(found.content, 'base64')
    },
    renewKey: () => link.renewKey(leased().lease),
    close: async () => {
      const { token } = lease ?? {}
      const mayRelease = token !== undefined && !isOver
      isOver = true
      if (mayRelease) await link.request('release', { lease: token }).catch(() => {})
    },
  }
}
