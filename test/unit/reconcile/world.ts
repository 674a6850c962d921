import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import { clusterClient } from '../../../lib/clusters/client/cluster-client.ts'
import { connection } from '../../../lib/clusters/client/connection.ts'
import { handlerTransport } from '../../../lib/clusters/client/handler-transport.ts'
import { builtInKinds, kindRegistry } from '../../../lib/foundations/kinds/all.ts'
import type { Event } from '../../../lib/foundations/kinds/event.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../../lib/foundations/kinds/object.ts'
import { refKey } from '../../../lib/foundations/kinds/object.ts'
import { type Run, run as runKind } from '../../../lib/foundations/kinds/run.ts'
import { createApiServer } from '../../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { allowAll } from '../../../lib/hub/authorize/access.ts'
import { createReferences, type References } from '../../../lib/hub/references/references.ts'
import { receiptKeys } from '../../../lib/hub/runs/receipt-keys.ts'
import { runReader } from '../../../lib/hub/runs/run-reader.ts'
import { signRuns } from '../../../lib/hub/runs/sign-run.ts'
import { createHub } from '../../../lib/hub/store/create-hub.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { type EmbeddedPlatform, embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { Log, LogFields } from '../../../lib/platform/ports/log.ts'
import type { Delayed, Message, Queue } from '../../../lib/platform/ports/queue.ts'
import type { Hints } from '../../../lib/reconcile/runtime/hints.ts'
import { createHints, type HintPorts } from '../../../lib/reconcile/runtime/hints.ts'
import type { FinishedPass, LoopPorts } from '../../../lib/reconcile/runtime/loop.ts'
import { createLoop, defaultLoopSettings } from '../../../lib/reconcile/runtime/loop.ts'
import type { Reconciler } from '../../../lib/reconcile/runtime/reconciler.ts'
import { createRunRecorder } from '../../../lib/reconcile/runtime/run-recorder.ts'
import type { FinishedVisit } from '../../../lib/reconcile/runtime/visits.ts'
import { createEventRecorder } from '../../../lib/signals/notify/event-recorder.ts'
import { type ManualClock, manualClock } from '../../contracts/manual-clock.ts'

const kinds = kindRegistry(builtInKinds)

export type WorldPorts = LoopPorts & { readonly references: References } & Pick<
    EmbeddedPlatform,
    'artifacts' | 'objects' | 'keys'
  >

interface WorldOptions extends Pick<HintPorts, 'isWatched'> {
  readonly fraction?: number
  /** What another process has left, whose world was closed and kept. */
  readonly left?: { readonly directory: string; readonly clock: ManualClock }
  /** How long a pass takes, in milliseconds; by default each takes one longer than the last. */
  readonly passMs?: number
  /** How long progress must last to be stored, in milliseconds: 0 unless given, as every step is to be seen. */
  readonly momentMs?: number
  /** Keeps no history of what was stored, logged and visited, and of passes only their number: for worlds of many thousand objects. */
  readonly forgets?: boolean
  /** What the process gets for the platform. */
  readonly through?: (platform: EmbeddedPlatform) => EmbeddedPlatform
}

interface Waiting {
  message: Message
  at: number
  readonly key: string
}

const forgotten: KubernetesObject = { apiVersion: '', kind: '', metadata: { name: '' } }

/** The hub over real embedded adapters, a clock that stands still, and a queue that delivers when told to. */
export const openWorld = async (
  reconcilersOf: (ports: WorldPorts) => readonly Reconciler<KubernetesObject>[],
  {
    isWatched,
    fraction = 0.5,
    left,
    passMs,
    momentMs = 0,
    forgets = false,
    through = platform => platform,
  }: WorldOptions = {},
) => {
  const directory = left?.directory ?? (await mkdtemp(join(tmpdir(), 'keelson-loop-')))
  const clock = left?.clock ?? manualClock()
  const opened = await embeddedPlatform(directory, { clock })
  const platform = through(opened)
  const waiting: Waiting[] = []
  const latest = new Map<string, Waiting>()
  const sent = { messages: 0 }
  const queue: Queue = {
    async send(messages: readonly Delayed<Message>[]) {
      sent.messages += messages.length
      for (const { delayMs = 0, ...message } of messages) {
        const at = clock.now() + delayMs
        const key = refKey(message.ref)
        const before = latest.get(key)
        // Tests take messages out of the list.
        if (!before || !waiting.includes(before)) {
          const added = { message, at, key }
          latest.set(key, added)
          waiting.push(added)
          continue
        }
        if (before.message.dueAt !== undefined) before.message = message
        before.at = Math.min(at, before.at)
      }
    },
  }
  const changes: { readonly ref: ObjectRef; readonly after: KubernetesObject | undefined }[] = []
  let hint: Hints = Object.assign(() => {}, { settled: async () => {} })
  const hub = createHub({
    ...platform,
    kinds: () => kinds,
    isReconciled: ({ group, kind }) =>
      group.endsWith('.fluxcd.io') ||
      group === 'fluxcd.controlplane.io' ||
      ['Cluster', 'Rollout', 'PullRequest'].includes(kind),
    onChange: (ref, before, after) => {
      if (!forgets) changes.push({ ref, after })
      hint(ref, before, after)
    },
  })
  await hub.prepare()
  const lines: (LogFields & { readonly msg: string })[] = []
  const log: Log = {
    info: (msg, fields = {}) => !forgets && lines.push({ msg, ...fields }),
    error: (msg, fields = {}) => !forgets && lines.push({ msg, ...fields }),
  }
  const passes: FinishedPass[] = []
  const visited: FinishedVisit[] = []
  const events = createEventRecorder({ hub, clock })
  const random = { ...platform.random, fraction: () => fraction }
  const slow: Hub = {
    ...hub,
    patch: async (ref, patch, options) => {
      if (options.subresource) await clock.advance(passMs ?? passes.length + 1) // passes take time, each its own
      return hub.patch(ref, patch, options)
    },
  }
  const receipts = receiptKeys(platform)
  const observe = (pass: FinishedPass) => passes.push(forgets ? { ...pass, object: forgotten } : pass)
  const observeVisit = (visit: FinishedVisit) => !forgets && visited.push(visit)
  const ports = {
    ...platform,
    random,
    queue,
    hub: slow,
    references: createReferences(slow),
    log,
    events,
    observe,
    observeVisit,
    recorder: createRunRecorder({ ...platform, signRun: signRuns(receipts, log) }, 90 * 24 * 60 * 60_000),
  }
  const reconcilers = reconcilersOf(ports)
  hint = createHints({ ...ports, isWatched }, reconcilers)
  const loop = createLoop(ports, reconcilers, { ...defaultLoopSettings, momentMs })

  /** Delivers what is due, until nothing is. Hints are on their way for a moment. */
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 10; idle++) {
      await hint.settled()
      await hub.settled()
      await new Promise(setImmediate)
      const at = waiting.findIndex(({ at }) => at <= clock.now())
      if (at < 0) continue
      const [{ message }] = waiting.splice(at, 1) as [(typeof waiting)[0]]
      await loop.handle(message)
      idle = 0
    }
  }

  /** Lets time pass, with a tick every minute. */
  const advance = async (ms: number): Promise<void> => {
    const end = clock.now() + ms
    while (clock.now() < end) {
      await loop.tick()
      const soonest = waiting.reduce((time, { at }) => Math.min(time, at), clock.now() + 60_000)
      const next = Math.min(end, Math.max(soonest, clock.now() + 1))
      await clock.advance(next - clock.now())
      await settle()
    }
  }

  return {
    directory,
    hub,
    loop,
    clock,
    platform,
    ports,
    receipts,
    waiting,
    /** How many messages were sent, also those that joined one that waited for the same object. */
    sent,
    lines,
    passes,
    visited,
    /** Everything that was stored, in order. */
    changes,
    settle,
    advance,
    /** The Runs of the namespace default, the first one first. */
    async runs(): Promise<readonly Run[]> {
      const { items } = await runReader({ ...platform, hub }).list<Run>({ ...runKind, namespace: 'default' })
      return items.toReversed()
    },
    async eventsOf({ kind, name }: ObjectRef): Promise<readonly string[]> {
      const { items } = await hub.list<Event>({ group: '', kind: 'Event' })
      return items
        .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name)
        .map(({ type, reason, message, count }) => `${type} ${reason} ${count}x: ${message}`)
    },
    async close({ keeps = false } = {}) {
      await opened.close()
      if (!keeps) await rm(directory, { recursive: true })
    },
  }
}

/** The hub as a cluster that Kustomizations apply to, through its own API. */
export const hubAsCluster = ({ hub, clock }: Pick<LoopPorts, 'hub' | 'clock'>): ClusterClient => {
  const handle = createApiServer({
    hub,
    kinds: () => kinds,
    clock,
    authenticate: async () => admin,
    authorizer: allowAll,
    onError: error => {
      throw error
    },
  })
  return clusterClient(connection('hub', handlerTransport(handle), { clock }))
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Conditions in one line each, as in Flux's recordings. */
export const shown = (object: KubernetesObject | undefined): readonly string[] =>
  ((object?.status as { conditions?: readonly Condition[] } | undefined)?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  )
