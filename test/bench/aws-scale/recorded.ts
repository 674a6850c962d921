import { builtInKinds, kindRegistry } from '../../../lib/foundations/kinds/all.ts'
import { type KubernetesObject, type ObjectRef, refKey } from '../../../lib/foundations/kinds/object.ts'
import { createHub } from '../../../lib/hub/store/create-hub.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { referrerKey } from '../../../lib/platform/adapters/aws/item-keys.ts'
import { text } from '../../../lib/platform/adapters/aws/table.ts'
import type { Message } from '../../../lib/platform/ports/queue.ts'
import { visitRef } from '../../../lib/platform/ports/visits.ts'
import { kustomizationAddress } from '../../../lib/reconcile/kustomization/kustomization-address.ts'
import { createLoop, type Loop, type LoopPorts } from '../../../lib/reconcile/runtime/loop.ts'
import { enqueueDependents } from '../../../lib/reconcile/runtime/news.ts'
import type { Pass, Reconciler } from '../../../lib/reconcile/runtime/reconciler.ts'
import { createEventRecorder } from '../../../lib/signals/notify/event-recorder.ts'
import { type RequestUnits, simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

/** The requests that are on their way at the same time: the next round begins when all are answered. */
export type Round = readonly RequestUnits[]

/** What a piece of work asks of the table, and how many messages it sends. */
export interface Recorded {
  readonly rounds: readonly Round[]
  readonly messages: number
}

/** The pieces that a fleet's life is made of, each by the project's own code over a table in memory. */
export interface Recordings {
  /** A tick's page of due visits. */
  readonly tickPage: Recorded
  /** A visit of a cluster whose units are unchanged. */
  readonly visit: Recorded
  /** A source's pass reads a page of dependents, and hands it on. */
  readonly handOn: Recorded
  /** Some dependents are enqueued: their visits woken, a message sent to each. */
  readonly part: Recorded
  /** A unit's build ahead of its pass. */
  readonly build: Recorded
  /** A unit's pass over a new revision. */
  readonly pass: Recorded
}

export const sizes = { tickPage: 500, handOn: 500, part: 100 }

const sourceRef: ObjectRef = {
  ...{ group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' },
  ...{ namespace: 'fleet', name: 'apps' },
}
const kustomizations = 'Kustomization.kustomize.toolkit.fluxcd.io'
const author = { fieldManager: 'bench' }
const kinds = kindRegistry(builtInKinds)
const noLog = { info: () => {}, error: () => {} }

/** Records each piece once. Fails when one did not do its work. */
export const recordPieces = async (unitsPerCluster: number): Promise<Recordings> => {
  const recorder = roundRecorder()
  const { ports, hub, sent, loop, units, state } = await openFleet(recorder, unitsPerCluster)
  const { clock, visits } = ports
  const record = async (work: () => Promise<unknown>): Promise<Recorded> => {
    sent.splice(0)
    const rounds = await recorder.record(work)
    return { rounds, messages: sent.length }
  }
  const isMember = (refs: readonly ObjectRef[]) =>
    refs.map(ref => ({ ref, due: clock.now() + 300_000, every: 600_000 }))
  const clusters = Map.groupBy(units, ({ namespace }) => namespace)
  for (const [namespace, refs] of clusters)
    await visits.write(visitRef('apply', `${namespace}/target`), { members: isMember(refs), due: undefined }, undefined)

  state.revision = 'main@sha1:2'
  const handOn = await record(() => enqueueDependents({ ...ports, queue: ports.queue }, state.addressed, sourceRef))
  const handedOn = sent.find(({ refs }) => refs?.length === sizes.part)
  require(handedOn !== undefined, 'no dependents were handed on')
  const part = await record(() => loop.handle({ ...handedOn, refs: units.slice(0, sizes.part) }))
  require(part.messages === sizes.part, `a part of ${sizes.part} sent ${part.messages} messages`)
  const [unit] = sent
  const build = await record(() => loop.handle(unit!))
  require(sent[0]?.stage === 'apply', 'a build was not followed by the message for its pass')
  const [next] = sent
  const pass = await record(() => loop.handle(next!))
  const { status } = (await hub.get<KubernetesObject>(unit!.ref))! as { status?: { lastAppliedRevision?: string } }
  require(status?.lastAppliedRevision === state.revision, 'a pass did not apply the new revision')

  const visited = [...clusters.keys()].at(-1)!
  for (const ref of clusters.get(visited)!) await loop.handle({ stage: 'apply', ref })
  const ref = visitRef('apply', `${visited}/target`)
  const before = (await visits.read(ref))!
  await visits.write(
    ref,
    { members: before.members.map(member => ({ ...member, due: clock.now() })), due: 0 },
    before.version,
  )
  const visit = await record(() => loop.handle({ stage: 'apply', ref, group: ref.name }))
  const after = (await visits.read(ref))!
  require(after.members.length === unitsPerCluster, `a visit kept ${after.members.length} members`)
  require(after.due! > clock.now(), 'a visit was not put off')

  const tickPage = await recordTick()
  return { tickPage, visit, handOn: perPage(handOn), part, build, pass }
}

/** A whole push to a small fleet by the project's code: what it takes of the table, to compare with what is replayed. */
export const wholePush = async (unitsPerCluster: number) => {
  const { ports, sent, loop, units, state, dynamo } = await openFleet(roundRecorder(), unitsPerCluster)
  for (const [namespace, refs] of Map.groupBy(units, ref => ref.namespace)) {
    const members = refs.map(ref => ({ ref, due: ports.clock.now() + 300_000, every: 600_000 }))
    await ports.visits.write(visitRef('apply', `${namespace}/target`), { members, due: undefined }, undefined)
  }
  state.revision = 'main@sha1:2'
  dynamo.takeUnits()
  for (let at = 0; at < units.length; at += sizes.part)
    await loop.handle({ stage: 'source', ref: sourceRef, refs: units.slice(at, at + sizes.part) })
  while (sent.length > 0) await loop.handle(sent.shift()!)
  return { clusters: units.length / unitsPerCluster, ...dynamo.takeUnits() }
}

/** The last index page of dependents, without those that the source's pass enqueues itself. */
const perPage = ({ rounds }: Recorded): Recorded => ({
  rounds: [rounds.findLast(([first]) => first?.partition.startsWith('referrers'))!],
  messages: sizes.handOn / sizes.part,
})

/** A tick over a table in which as many visits are due as it reads at a time. */
const recordTick = async (): Promise<Recorded> => {
  const recorder = roundRecorder()
  const clock = manualClock()
  const store = simulatedStore(recorder.dynamo, clock)
  const sent: Message[] = []
  const queue = { send: async (messages: readonly Message[]) => void sent.push(...messages) }
  for (let at = 0; at < sizes.tickPage; at++)
    await store.visits.write(visitRef('apply', `${fleetNamespace(at)}/target`), { members: [], due: at }, undefined)
  const ports = { ...store, clock, queue, hub: {}, log: noLog } as unknown as LoopPorts
  const loop = createLoop(ports, [{ ...kustomizationAddress } as unknown as Reconciler<KubernetesObject>])
  const rounds = await recorder.record(() => loop.tick())
  require(sent.length === sizes.tickPage, `a tick sent ${sent.length} messages for ${sizes.tickPage} visits`)
  return { rounds, messages: sent.length }
}

export const fleetNamespace = (cluster: number): string => `fleet-${String(cluster).padStart(6, '0')}`

const indexed = (at: number) => {
  const { pk, sk } = referrerKey(refKey(sourceRef), kustomizations, `later-${String(at).padStart(6, '0')}#app`)
  return { pk: text(pk), sk: text(sk) }
}

/** Clusters enough for a part of the dependents, and one more, all with their first revision applied. */
const openFleet = async (recorder: ReturnType<typeof roundRecorder>, unitsPerCluster: number) => {
  const clock = manualClock()
  const store = simulatedStore(recorder.dynamo, clock)
  const sent: Message[] = []
  const queue = { isDurable: true as const, send: async (messages: readonly Message[]) => void sent.push(...messages) }
  const state = { revision: 'main@sha1:1', addressed: [] as Reconciler<KubernetesObject>[] }
  const hub = createHub({
    ...{ ...store, clock, kinds: () => kinds, keys: unsealed, random },
    isReconciled: ({ group }) => group.endsWith('.fluxcd.io'),
    groupOf: object => (object.kind === 'Kustomization' ? kustomizationAddress.groupOf!(object as never) : undefined),
  })
  const applier: Reconciler<KubernetesObject> = {
    ...(kustomizationAddress as unknown as Reconciler<KubernetesObject>),
    manager: 'kustomize-controller',
    intervalOf: () => 600_000,
    passTimeoutOf: () => 60_000,
    prepare: async () => void (await hub.get(sourceRef)),
    reconcile: (unit, pass) => apply(hub, unit, pass, state.revision),
    finalize: async () => undefined,
  }
  const source = { kind: sourceRef, stage: 'source' } as unknown as Reconciler<KubernetesObject>
  state.addressed = [applier, source]
  const ports = {
    ...{ ...store, hub, clock, queue, random, log: noLog },
    events: createEventRecorder({ hub, clock }),
  } as unknown as LoopPorts
  const loop: Loop = createLoop(ports, [applier], undefined, state.addressed)
  const units = await fillHub(hub, unitsPerCluster)
  // Dependents that are in the index only: enough for pages beyond those that the source's pass enqueues itself.
  for (let at = 0; at < 2 * sizes.handOn; at++) await store.table.put(indexed(at))
  for (const ref of units) await loop.handle({ stage: 'apply', ref })
  for (const ref of units) await ports.schedule.setDue(ref, undefined)
  await hub.settled()
  return { ports, hub, sent, loop, units, state, dynamo: recorder.dynamo }
}

/** What a Kustomization's pass asks of the hub; the cluster, and the build, are elsewhere. */
const apply = async (
  hub: Hub,
  { metadata }: KubernetesObject,
  { dryRun, event }: Pass<KubernetesObject>,
  revision: string,
) => {
  const target = { group: '', kind: 'Secret', namespace: metadata.namespace!, name: 'target' }
  // The dry runs of a visit share these reads.
  if (!dryRun) await Promise.all([hub.get(sourceRef), hub.get(target)])
  const message = `Applied revision: ${revision}`
  if (!dryRun) event({ severity: 'info', reason: 'ReconciliationSucceeded', message })
  return {
    ...{ type: 'done' as const, reason: 'ReconciliationSucceeded', message, routine: dryRun !== undefined },
    status: { lastAppliedRevision: revision, lastAttemptedRevision: revision } as object,
  }
}

const fillHub = async (hub: Hub, unitsPerCluster: number): Promise<readonly ObjectRef[]> => {
  const make = (apiVersion: string, kind: string, namespace: string, name: string, rest: object) =>
    hub.create({ apiVersion, kind, metadata: { name, namespace }, ...rest } as never, author)
  const refs: ObjectRef[] = []
  const namespace = (name: string) => hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, author)
  await namespace(sourceRef.namespace)
  await make('source.toolkit.fluxcd.io/v1', 'GitRepository', sourceRef.namespace, sourceRef.name, {
    spec: { interval: '10m', url: 'https://git.example.com/apps' },
  })
  for (let cluster = 0; cluster <= Math.ceil(sizes.part / unitsPerCluster); cluster++) {
    const own = fleetNamespace(cluster)
    await namespace(own)
    await make('v1', 'Secret', own, 'target', { data: { value: Buffer.alloc(3000, 'k').toString('base64') } })
    for (let unit = 0; unit < unitsPerCluster; unit++) {
      const name = `app-${String(unit).padStart(3, '0')}`
      await make('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', own, name, {
        spec: {
          ...{ interval: '10m', prune: true, path: `./apps/${name}`, targetNamespace: own },
          sourceRef: { kind: 'GitRepository', name: sourceRef.name, namespace: sourceRef.namespace },
          kubeConfig: { secretRef: { name: 'target' } },
        },
      })
      refs.push({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: own, name })
    }
  }
  return refs
}

const unsealed = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }

/** The same ids in each run. */
const random = (() => {
  let next = 0
  return {
    uuid: () => `00000000-0000-4000-8000-${String(next++).padStart(12, '0')}`,
    bytes: (count: number) => new Uint8Array(count),
    fraction: () => 0.5,
  }
})()

/** A table whose requests are answered in rounds: whatever is asked before nothing else is left to run goes together. */
const roundRecorder = () => {
  let waiting: (() => void)[] = []
  let rounds: RequestUnits[][] | undefined
  let isScheduled = false
  const flush = (): void => {
    isScheduled = false
    const together = waiting
    waiting = []
    rounds?.push([])
    for (const answer of together) answer()
  }
  const dynamo = simulatedDynamo({
    latency: () =>
      new Promise(resolve => {
        if (!rounds) return resolve()
        waiting.push(resolve)
        if (!isScheduled) setImmediate(() => setImmediate(flush))
        isScheduled = true
      }),
  })
  dynamo.onUnits = units => rounds?.at(-1)?.push(units)
  return {
    dynamo,
    record: async (work: () => Promise<unknown>): Promise<readonly Round[]> => {
      const mine: RequestUnits[][] = []
      rounds = mine
      await work()
      rounds = undefined
      return mine
    },
  }
}

function require(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(`the work did not happen: ${otherwise}`)
}
