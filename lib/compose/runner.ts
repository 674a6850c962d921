import type { KeyObject } from 'node:crypto'
import { http1Transport } from '../clusters/client/http1-transport.ts'
import { httpsTransport } from '../clusters/client/https-transport.ts'
import { cluster as clusterKind } from '../foundations/kinds/cluster.ts'
import type { ObjectRef } from '../foundations/kinds/object.ts'
import { type HubLink, hubLink, publicKeyText } from '../hub/runners/hub-link.ts'
import { createNews } from '../hub/runners/news.ts'
import { pauseMs } from '../hub/runners/pause.ts'
import type { Copy, EnrolRequest, HeldWakeUp, WaitRequest, WakeUp } from '../hub/runners/protocol.ts'
import { createSession } from '../hub/runners/session.ts'
import { ApiError } from '../hub/store/hub.ts'
import { DataDirectoryError } from '../platform/adapters/embedded/data-directory.ts'
import { type EmbeddedPlatform, embeddedPlatform } from '../platform/adapters/embedded/embedded-platform.ts'
import { connections } from '../platform/http/connections.ts'
import { environmentProxies } from '../platform/http/environment-proxies.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { haveSameSettings } from '../reconcile/runner/mirror.ts'
import { defaultLoopSettings } from '../reconcile/runtime/loop.ts'
import { type RunnerFolder, runnerFolder } from './runner-folder.ts'
import { orderTypesTaken } from './runner-orders.ts'
import { composeParts, lateKindsIn, type PartsSettings, type RunnerParts } from './runner-parts.ts'
import { version } from './version.ts'
import { type WaitAt, waitingAt } from './waiting-at.ts'

export interface RunnerSettings extends Omit<PartsSettings, 'of'> {
  /** Address of the hub's API. */
  readonly hub: string
  /** PEM of the authority of the hub's certificate; that of the system if absent. */
  readonly certificateAuthority?: string | undefined
  /** The Cluster, as `NAMESPACE/NAME`. */
  readonly cluster: string
  /** For the first start. */
  readonly joinToken?: string | undefined
  /** Holds the runner's key and its copy of the hub's objects. */
  readonly dataDirectory: string
  /** Milliseconds between two requests for changes. */
  readonly pollMs: number
  /** Called each time the runner has the lease of the cluster, after it had none. */
  readonly onReady: () => void
}

/** The runner can't start; the message explains why in one line. */
export class RunnerFailed extends Error {}

/** Reconciles the units of one cluster until the signal aborts. Fails with RunnerFailed. */
export const runRunner = async (settings: RunnerSettings, stopping: AbortSignal): Promise<void> => {
  const platform = await embeddedPlatform(settings.dataDirectory).catch(error => {
    throw error instanceof DataDirectoryError ? new RunnerFailed(error.message, { cause: error }) : error
  })
  const proxyUrl = environmentProxies(process.env)(new URL(settings.hub))?.href
  const access = {
    server: settings.hub,
    ...(settings.certificateAuthority !== undefined && { certificateAuthority: settings.certificateAuthority }),
  }
  const transport =
    proxyUrl === undefined
      ? http1Transport(access)
      : httpsTransport(
          { ...access, proxyUrl, insecureSkipTlsVerify: false, warnings: [] },
          { forbids: () => undefined },
        )
  const pool = connections({ proxyFor: environmentProxies(process.env) })
  try {
    const folder = await runnerFolder(settings.dataDirectory)
    const { keys } = folder
    const link = hubLink({ send: transport.send, clock: platform.clock, keys, cluster: settings.cluster })
    const { joinToken } = settings
    if (joinToken !== undefined) await enrol(link, keys.current, { ...settings, joinToken }, platform, stopping)
    const waitAt = waitingAt(settings.hub, guardedFetch(pool))
    for (let failures = 0, isFirst = true; !stopping.aborted; isFirst = false) {
      const own = isFirst ? folder : { ...folder, lease: undefined }
      const { hadLease } = await runSession(settings, platform, { link, waitAt }, own, stopping)
      failures = hadLease ? 1 : failures + 1
      const pause = pauseMs(settings.pollMs, failures, platform.random.fraction())
      await platform.clock.sleep(pause, stopping).catch(() => {})
    }
  } finally {
    await transport.close()
    await pool.close()
    await platform.close()
  }
}

/** A token that is spent already is no failure: the runner may have enrolled with it at its last start. */
const enrol = async (
  link: HubLink,
  key: KeyObject,
  { cluster, joinToken: token, pollMs, log }: RunnerSettings & { readonly joinToken: string },
  { clock, random }: Pick<EmbeddedPlatform, 'clock' | 'random'>,
  stopping: AbortSignal,
): Promise<void> => {
  const request: EnrolRequest = { cluster, token, publicKey: publicKeyText(key) }
  for (let failures = 1; !stopping.aborted; failures++) {
    try {
      await link.request('enrol', request)
      return
    } catch (error) {
      log.error('the hub does not accept the join token: it is spent if this runner has enrolled before', { error })
      if (error instanceof ApiError && error.code < 500) return
    }
    await clock.sleep(pauseMs(pollMs, failures, random.fraction()), stopping).catch(() => {})
  }
}

const tickMs = defaultLoopSettings.tickMs

/** The ways of a runner to its hub. */
interface Ways {
  readonly link: HubLink
  readonly waitAt: WaitAt
}

/** Works until the lease is lost, or the hub has other settings: they hold for the runner, too. */
export const runSession = async (
  settings: RunnerSettings,
  platform: EmbeddedPlatform,
  { link, waitAt }: Ways,
  folder: RunnerFolder,
  stopping: AbortSignal,
): Promise<{ readonly hadLease: boolean }> => {
  const { log } = settings
  const { clock, queue } = platform
  const waitFor = (wakeUp: WakeUp, signal: AbortSignal): Promise<boolean> =>
    'url' in wakeUp ? waitAt(wakeUp.url, signal) : session.wait(requestToHold(wakeUp, settings.pollMs), signal)
  const news = createNews({ ...platform, log, waitFor }, settings.pollMs)
  const over = new AbortController()
  const signal = AbortSignal.any([stopping, over.signal])
  let first: Copy | undefined
  let parts: RunnerParts | undefined
  const session = createSession({
    ...{
      link,
      clock,
      version,
      takes: orderTypesTaken(settings.isLive ?? false),
      resumes: folder.lease,
      keep: folder.keepLease,
    },
    take: async (copy, isStale) => {
      first ??= copy
      if (!haveSameSettings(first, copy)) return over.abort('the settings of the hub have changed')
      const isLoaded = lateKindsIn(copy).isSubsetOf(lateKindsIn(first))
      if (!isLoaded) return over.abort('there is a unit of another kind now')
      parts ??= await composeParts({ ...settings, of: clusterRefOf(settings) }, platform, session, copy, folder)
      await parts.take(copy, isStale)
    },
    takeOrders: orders => parts?.takeOrders(orders),
  })
  const subscriptions = (['apply', 'helmrelease', 'resourceset'] as const).map(stage =>
    queue.consume(stage, { concurrency: 4 }, async message => {
      if (session.isHeld() || (await parts?.offline.mayHandle(message.ref))) await parts?.loop.handle(message, signal)
    }),
  )
  const step = async (state: { isHeld: boolean; isAlone: boolean; tickedAt: number }): Promise<void> => {
    if (news.isDue()) {
      news.polled(await session.sync(news.wants()))
      state.isAlone = false
    }
    if (session.isHeld() && clock.now() - folder.keys.madeAt > keyLifetimeMs) await session.renewKey()
    const wasHeld = state.isHeld
    state.isHeld = session.isHeld()
    const now = clock.monotonic()
    if (!state.isHeld || (wasHeld && now - state.tickedAt < tickMs)) return
    state.tickedAt = now
    if (!wasHeld) {
      settings.onReady()
      // The hub may have found it away: the first probe says that it is back.
      await platform.schedule.setDue(clusterRefOf(settings), clock.now())
    }
    await (wasHeld ? parts?.loop.tick() : parts?.loop.resume())
  }
  /** In place of a step while the hub is away. */
  const stepAlone = async (state: { isAlone: boolean; tickedAt: number }): Promise<void> => {
    const wasAlone = state.isAlone
    state.isAlone = parts?.offline.isOn() ?? false
    if (wasAlone !== state.isAlone) log.error(state.isAlone ? beginsAlone : endsAlone)
    const now = clock.monotonic()
    if (!state.isAlone || (wasAlone && now - state.tickedAt < tickMs)) return
    state.tickedAt = now
    await (wasAlone ? parts?.loop.tick() : parts?.loop.resume())
  }
  try {
    const state = { isHeld: false, isAlone: false, tickedAt: 0 }
    while (!signal.aborted) {
      try {
        await step(state)
        if (state.isHeld) await parts?.handOver()
        // A cluster that does not respond is what the probe reports.
        if (state.isHeld) void parts?.claim().catch(() => {})
        await parts?.tidy().catch(error => log.error('what is kept for an undo could not be tidied up', { error }))
      } catch (error) {
        const failures = news.failed()
        state.isHeld &&= session.isHeld()
        log.error("the hub can't be reached, or refuses", { error, failures })
        await stepAlone(state)
      }
      if (session.isOver()) over.abort('the lease is lost')
      await news.wait(signal)
    }
    return { hadLease: state.tickedAt > 0 }
  } finally {
    over.abort('stopped')
    // A pass that does not end in time is abandoned only together with this process: no other session may begin beside it.
    await Promise.race([
      Promise.all(subscriptions.map(({ close }) => close())),
      ...(stopping.aborted ? [clock.sleep(closingMs)] : []),
    ])
    await session.close()
    await parts?.close()
  }
}

const clusterRefOf = ({ cluster }: Pick<RunnerSettings, 'cluster'>): ObjectRef => {
  const [namespace = '', name = ''] = cluster.split('/')
  return { group: clusterKind.group, kind: clusterKind.kind, namespace, name }
}

/** A runner that polls more often has the copy compared more often, too: that finds what wakes nobody. */
const requestToHold = ({ seen, heldMs }: HeldWakeUp, pollMs: number): Omit<WaitRequest, 'lease'> => ({
  seen,
  forMs: Math.min(heldMs, 5 * pollMs),
})

const beginsAlone =
  'the hub is away: applied revisions are kept as they are, as spec.runner.offline of the Cluster says'
const endsAlone = 'the hub is away for longer than spec.runner.offline of the Cluster says: nothing is done any more'

/** How long a runner uses a key until it replaces it, in milliseconds. */
const keyLifetimeMs = 30 * 24 * 60 * 60_000

/** How long a stopped runner waits for its passes, in milliseconds. */
const closingMs = 2_000
