import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import type { EmbeddedPlatform } from '../../../../lib/adapters/embedded/embedded-platform.ts'
import { blobNameOf } from '../../../../lib/kinds/artifact.ts'
import type { Event } from '../../../../lib/kinds/event.ts'
import { intervalOf, requestedAtAnnotation } from '../../../../lib/kinds/flux.ts'
import type { GitRepository } from '../../../../lib/kinds/git-repository.ts'
import type { Kustomization } from '../../../../lib/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/kinds/object.ts'
import { describeRef, refOf } from '../../../../lib/kinds/object.ts'
import { RemoteStatusError, type Remotes } from '../../../../lib/kustomize/build.ts'
import type { ArtifactStore } from '../../../../lib/ports/artifacts.ts'
import { kustomizationReconciler } from '../../../../lib/reconcile/kustomization/kustomization.ts'
import { defaultKustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { archive, ignoresOf } from '../../../../lib/source/artifact/archive.ts'
import { corpusFile } from '../../../conformance/corpus.ts'
import { memoryTree } from '../../../conformance/memory-tree.ts'
import { hubAsCluster, openWorld, shown, type World } from '../world.ts'

/** A recorded scenario of Flux's kustomize-controller, as far as it can be replayed with the hub as its only cluster. */
export interface Scenario {
  readonly id: string
  readonly title: string
  readonly profile: string
  readonly target?: string
  readonly extraNamespaces?: readonly string[]
  readonly git: Readonly<Record<string, { readonly revisions: readonly { readonly files: Files }[] }>>
  readonly steps: readonly Step[]
}

type Json = Readonly<Record<string, unknown>>
type Files = Readonly<Record<string, string>>
type Operation = Readonly<Record<string, never>>

interface Step {
  readonly do: readonly Operation[]
  readonly until?: readonly Until[]
  readonly expect: Expectation
}

interface Until {
  readonly ref?: string
  readonly ready?: string
  readonly rev?: string
  readonly deleted?: boolean
  /** A path in the object, and what is to be there. */
  readonly live?: string
  readonly value?: unknown
}

interface RecordedEvent {
  readonly object: string
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly annotations?: Readonly<Record<string, string>>
}

interface Expectation {
  readonly objects?: Readonly<Record<string, unknown>>
  readonly transitions?: Readonly<Record<string, unknown>>
  readonly events?: readonly RecordedEvent[]
}

export const scenarioIds = (): readonly string[] => readdirSync(corpusFile('flux/kustomization')).sort()

const knownOperations = ['apply', 'patch', 'delete', 'push', 'reconcile', 'suspend', 'resume', 'sleep']
const knownKinds = ['GitRepository', 'Kustomization', 'ConfigMap', 'Secret', 'Namespace', 'ServiceAccount', 'List']

/** Whether all of a scenario can happen in a hub that is its own only cluster. */
export const isReplayable = (scenario: Scenario): boolean => {
  const { profile, target, git, steps } = scenario
  const files = Object.values(git ?? {}).flatMap(({ revisions }) =>
    revisions.flatMap(({ files }) => Object.values(files)),
  )
  const kinds = `${JSON.stringify(steps.map(step => step.do))}\n${files.join('\n')}`.matchAll(/"?kind"?: ?"?(\w+)/g)
  return (
    profile === 'default' &&
    !target &&
    !('oci' in scenario) &&
    files.every(text => typeof text === 'string') &&
    steps.every(step => step.do.every(operation => knownOperations.includes(Object.keys(operation)[0]!))) &&
    [...kinds].every(([, kind]) => knownKinds.includes(kind!))
  )
}

/** Where there are several repositories, revisions are named by theirs; the one that is applied is `app`. */
export const readScenario = (id: string): Scenario => {
  const text = readFileSync(corpusFile(`flux/kustomization/${id}/scenario.yaml`), 'utf8')
  return load(text.replace(/\$\{REV_APP_(\d+)\}/g, '${REV$1}')) as Scenario
}

/** Replays a scenario; resolves to what was seen and what the recording says, step by step, of Kustomizations only. */
export const replay = async (
  scenario: Scenario,
): Promise<readonly { readonly seen: object; readonly expected: object }[]> => {
  const heads = new Map([['main', 1]])
  const world = await openWorld(ports => [
    standInSource(
      scenario,
      heads,
      ports as unknown as { readonly artifacts: ArtifactStore },
    ) as Reconciler<KubernetesObject>,
    kustomizationReconciler(
      {
        ...(ports as unknown as EmbeddedPlatform),
        hub: ports.hub,
        clusters: { fromKubeconfig: unsupported, fromConfigMap: unsupported },
        hubCluster: () => hubAsCluster(ports),
        remotes: remotesOf(scenario),
      },
      { ...defaultKustomizationSettings, requeueDependencyMs: 5_000 },
    ) as Reconciler<KubernetesObject>,
  ])
  try {
    for (const name of [scenario.id, ...(scenario.extraNamespaces ?? [])]) {
      await world.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, author)
    }
    const results = []
    const progress = { requests: 0, changes: 0, events: [] as readonly string[], states: {} as Record<string, unknown> }
    for (const step of scenario.steps) {
      for (const operation of step.do) await perform(world, scenario, heads, operation, progress)
      await reach(world, scenario, step)
      results.push({ seen: await observe(world, scenario, progress), expected: expectationOf(step) })
    }
    return results
  } finally {
    await world.close()
  }
}

const author = { fieldManager: 'recorder', force: true }

const unsupported = (): never => {
  throw new Error('no remote clusters in this replay')
}

const commitOf = (revision: number): string => createHash('sha1').update(`${revision}`).digest('hex')

/** Where the recorded git server is said to be. */
const gitUrl = 'http://git.example'

const served = (text: string): Buffer => Buffer.from(text.replaceAll('${GIT_URL}', gitUrl))

/** Remote bases in a scenario's repositories, at their last revision. */
const remotesOf = ({ git }: Scenario): Remotes => ({
  file: async url => {
    throw new RemoteStatusError(url.startsWith(gitUrl) ? 404 : 502, 'Not Found')
  },
  repository: async ({ url }) => {
    const { files } = git[/([^/]+)\.git$/.exec(url)![1]!]!.revisions.at(-1)!
    return memoryTree(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, served(text)])))
  },
})

/** Serves a scenario's git revisions as artifacts, as a GitRepository's reconciler would. */
const standInSource = (
  { git }: Scenario,
  heads: ReadonlyMap<string, number>,
  { artifacts }: { readonly artifacts: ArtifactStore },
): Reconciler<GitRepository> => ({
  kind: { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' },
  stage: 'source',
  manager: 'source-controller',
  intervalOf,
  passTimeoutOf: () => 60_000,
  async reconcile({ metadata, spec }) {
    const branch = spec.ref?.branch ?? 'main'
    const head = heads.get(branch)
    if (!head) return { type: 'failed', reason: 'GitOperationFailed', message: `no branch ${branch}`, event: null }
    const { files } = git[/([^/]+)\.git$/.exec(spec.url)![1]!]!.revisions[head - 1]!
    const tree = new Map(
      Object.entries(files).map(([path, text]) => [path, { content: served(text), executable: false }]),
    )
    const { content, digest } = await archive(tree, ignoresOf(tree))
    const path = `gitrepository/${metadata.namespace}/${metadata.name}/${commitOf(head)}.tar.gz`
    const revision = `${branch}@sha1:${commitOf(head)}`
    const artifact = { digest, path, revision, url: `http://hub/${path}`, lastUpdateTime: '2026-01-01T00:00:00Z' }
    await artifacts.put(blobNameOf(artifact), content)
    return { type: 'done', reason: 'Succeeded', message: 'stored', status: { artifact }, announce: 'artifact' }
  },
  finalize: async () => undefined,
})

const shortKinds: Readonly<Record<string, readonly [string, string]>> = {
  ks: ['kustomize.toolkit.fluxcd.io', 'Kustomization'],
  git: ['source.toolkit.fluxcd.io', 'GitRepository'],
  ConfigMap: ['', 'ConfigMap'],
  Secret: ['', 'Secret'],
}

/** `[apiVersion:]Kind/[namespace/]name`. */
const refNamed = (text: string, namespace: string): ObjectRef => {
  const parts = text.split('/')
  const known = shortKinds[parts[0]!]
  if (!known) throw new Error(`the replay knows no ${text}`)
  const [group, kind] = known
  return { group, kind, namespace: parts.length > 2 ? parts[1]! : namespace, name: parts.at(-1)! }
}

interface Progress {
  requests: number
  changes: number
  events: readonly string[]
  readonly states: Record<string, unknown>
}

const perform = async (
  world: World,
  scenario: Scenario,
  heads: Map<string, number>,
  // biome-ignore lint/suspicious/noExplicitAny: operations are data of many shapes
  operation: any,
  progress: Progress,
) => {
  const { hub } = world
  const [verb] = Object.keys(operation)
  const what = operation[verb!]
  const ref = (text: string) => refNamed(text, scenario.id)
  const merge = (target: ObjectRef, patch: unknown, fieldManager = 'recorder') =>
    hub.patch(target, { type: 'merge', patch }, { fieldManager })
  switch (verb) {
    case 'apply':
      for (const text of what.objects) {
        const object = filled(text) as KubernetesObject
        const metadata = { namespace: scenario.id, ...object.metadata }
        await hub.patch(refOf({ ...object, metadata }), { type: 'apply', object: { ...object, metadata } }, author)
      }
      break
    case 'patch':
      await merge(ref(what.ref), filled(what.patch), what.fieldManager)
      break
    case 'delete':
      await hub.delete(ref(what.ref), {})
      break
    case 'push':
      heads.set(what.branch, what.rev)
      break
    case 'suspend':
    case 'resume':
      await merge(ref(what), { spec: { suspend: verb === 'suspend' } })
      break
    case 'reconcile':
      for (const target of what) {
        const token = `\${REQUEST_${++progress.requests}}`
        await merge(ref(target), { metadata: { annotations: { [requestedAtAnnotation]: token } } })
      }
      break
    case 'sleep':
      await world.advance(what * 1000)
      break
    default:
      throw new Error(`the replay knows no operation ${verb}`)
  }
  await world.settle()
}

/** Placeholders of the inputs, in text anywhere in an object. */
const filled = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('${GIT_URL}', 'https://git.example.com'))

/** Lets time pass until what the step waits for is there, or clearly won't be. */
const reach = async (world: World, scenario: Scenario, step: Step): Promise<void> => {
  await world.settle()
  for (let second = 0; second < 45; second++) {
    const states = await Promise.all((step.until ?? []).map(each => isReached(world, scenario, each)))
    if (states.every(Boolean)) return
    await world.advance(1_000)
  }
}

const isReached = async (world: World, { id }: Scenario, until: Until): Promise<boolean> => {
  if (!until.ref) return true
  if (until.deleted) return !(await world.hub.get(refNamed(until.ref, id)))
  if (until.live) {
    const object = await world.hub.get<KubernetesObject>(refNamed(until.ref, id))
    const found = until.live.split('.').reduce<unknown>((part, key) => (part as Json | undefined)?.[key], object)
    return found === until.value
  }
  if (!until.ready) return true
  const object = await world.hub.get<Kustomization>(refNamed(until.ref, id))
  const ready = object?.status?.conditions?.find(({ type }) => type === 'Ready')
  const isSettled = ready?.status === until.ready && ready.observedGeneration === object?.metadata.generation
  const revision = until.rev && commitOf(Number(until.rev.replace('REV', '')))
  return isSettled && (!revision || JSON.stringify(object?.status).includes(revision))
}

const isKustomization = (name: string): boolean => name.startsWith('Kustomization/')

const pick = (record: Readonly<Record<string, unknown>> = {}) =>
  Object.fromEntries(Object.entries(record).filter(([name]) => isKustomization(name)))

const expectationOf = ({ expect }: Step) =>
  withoutTemporaryFolder({
    objects: pick(expect.objects),
    transitions: pick(expect.transitions),
    events: (expect.events ?? [])
      .filter(({ object }) => isKustomization(object))
      .map(({ object, type, reason, message, annotations = {} }) => ({ object, type, reason, message, annotations })),
  })

/** Flux builds in a folder of its own; here the artifact's root is the root. */
const withoutTemporaryFolder = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('${TMPDIR}', ''))

const observe = async (world: World, scenario: Scenario, progress: Progress) => {
  const { items } = await world.hub.list<Kustomization>({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' })
  const objects: Record<string, unknown> = {}
  for (const item of items) {
    const name = describeRef(refOf(item))
    const state = stateOf(item)
    const isSame = JSON.stringify(progress.states[name]) === JSON.stringify(state)
    objects[name] = isSame ? 'unchanged' : state
    progress.states[name] = state
  }
  const transitions = transitionsOf(world, progress)
  const events = await eventsOf(world, progress)
  return masked({ objects, transitions, events }, scenario)
}

const stateOf = ({ metadata, status = {} }: Kustomization) => {
  const { conditions = [], observedGeneration, inventory, history, ...rest } = status
  const relative = (generation: number | undefined) =>
    generation === metadata.generation
      ? 'generation'
      : generation === metadata.generation! - 1 && generation! > 0
        ? 'generation-1'
        : generation
  return {
    ...(conditions.length > 0 && {
      conditions: conditions.map(({ type, status, reason, message, observedGeneration: seen }) => ({
        type,
        status,
        reason,
        message,
        ...(seen !== metadata.generation && { observedGeneration: relative(seen) ?? 'absent' }),
      })),
    }),
    ...(history && {
      history: history.map(({ digest, lastReconciledStatus, totalReconciliations, metadata: facts }) => ({
        digest,
        lastReconciledStatus,
        metadata: facts,
        totalReconciliations,
      })),
    }),
    ...(inventory && { inventory: inventory.entries.map(({ id, v }) => `${id}@${v}`).sort() }),
    ...rest,
    observedGeneration: relative(observedGeneration),
    ...(metadata.deletionTimestamp && { _deleting: true }),
    ...(metadata.finalizers?.length && { _finalizers: metadata.finalizers }),
  }
}

const watched = ['Ready', 'Reconciling', 'Stalled', 'Healthy']

const transitionsOf = ({ changes }: World, progress: Progress) => {
  const transitions: Record<string, unknown[]> = {}
  const fresh = changes.slice(progress.changes)
  progress.changes = changes.length
  for (const { ref, after } of fresh) {
    if (ref.kind !== 'Kustomization') continue
    const lines = shown(after).filter(line => watched.includes(line.split('=')[0]!))
    const state = !after ? 'deleted' : after.metadata.deletionTimestamp ? ['deleting'] : lines
    const name = describeRef(ref)
    const seen = transitions[name] ?? []
    transitions[name] = seen
    if (state.length > 0 && !seen.some(each => JSON.stringify(each) === JSON.stringify(state))) seen.push(state)
  }
  return Object.fromEntries(Object.entries(transitions).filter(([, states]) => states.length > 0))
}

const eventsOf = async (world: World, progress: Progress) => {
  const { items } = await world.hub.list<Event>({ group: '', kind: 'Event' })
  const told = world.changes.filter(({ ref }) => ref.kind === 'Event')
  const order = new Map(told.map(({ ref }, at) => [ref.name, at]))
  const keyOf = ({ metadata, count }: Event) => `${metadata.name} ${count}`
  const fresh = items
    .filter(event => event.involvedObject.kind === 'Kustomization' && !progress.events.includes(keyOf(event)))
    .sort((a, b) => order.get(a.metadata.name)! - order.get(b.metadata.name)!)
  progress.events = items.map(keyOf)
  return fresh.map(({ involvedObject, type, reason, message, metadata }) => ({
    object: `${involvedObject.kind}/${involvedObject.namespace}/${involvedObject.name}`,
    type,
    reason,
    message,
    annotations: metadata.annotations ?? {},
  }))
}

/** With the placeholders of the recording in place of what differs from run to run. */
const masked = <T>(value: T, { git }: Scenario): T => {
  let text = JSON.stringify(value).replace(/(finished in|passed in|failed after) [^ :",]+/g, '$1 ${DURATION}')
  for (let revision = 1; revision <= (git.app?.revisions.length ?? 0); revision++) {
    text = text.replaceAll(commitOf(revision), `\${REV${revision}}`)
  }
  return JSON.parse(text)
}
