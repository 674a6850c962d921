import assert from 'node:assert/strict'
import type { ClusterClient } from '../../lib/clusters/client/client.ts'
import type { Settings } from '../../lib/compose/settings/settings.ts'
import type { Event } from '../../lib/foundations/kinds/event.ts'
import type { Kustomization, KustomizationSpec } from '../../lib/foundations/kinds/kustomization.ts'
import { groupOf, type KubernetesObject, type ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { eventually } from '../bed/eventually.ts'
import type { Beds } from '../conformance/flux/beds.ts'
import { perform } from '../conformance/flux/perform.ts'
import type { Files } from '../conformance/flux/scenario.ts'
import { openWorld, type World } from '../conformance/flux/world.ts'

/** A hub with a git repository whose Kustomizations apply to a real cluster, in a namespace of this stage's own. */
export interface Stage {
  readonly world: World
  readonly namespace: string
  /** The real cluster. */
  readonly cluster: ClusterClient
  /** Creates or changes a Kustomization; in another namespace where one is given. */
  kustomize(name: string, spec?: Partial<KustomizationSpec>, metadata?: object): Promise<void>
  /** Moves the branch to a revision, counted from 1, and has the source look. */
  push(revision: number): Promise<void>
  /** Asks for another pass. */
  request(name: string): Promise<void>
  read(name: string): Promise<Kustomization | undefined>
  /** Waits until Ready says so for the present generation; resolves to its message. */
  becomes(name: string, status: 'True' | 'False', message?: RegExp, withinMs?: number): Promise<string>
  /** An object of the real cluster; in the stage's namespace unless it names another. */
  live(apiVersion: string, kind: string, name: string, namespace?: string): Promise<KubernetesObject | undefined>
  /** Does something to the real cluster and, where reconcilers read it, to the hub. */
  apply(...objects: readonly object[]): Promise<void>
  events(name: string): Promise<readonly string[]>
}

interface Staging {
  /** The repository, revision by revision. */
  readonly revisions: readonly Files[]
  readonly settings?: Partial<Settings>
  /** Whether there is a second cluster. */
  readonly target?: boolean
}

let stages = 0

export const onStage = async (
  beds: Beds,
  { revisions, settings, target }: Staging,
  story: (stage: Stage) => Promise<void>,
) => {
  const namespace = `stage-${process.pid}-${++stages}`
  const scenario = {
    id: namespace,
    area: 'kustomization',
    title: '',
    profile: 'default',
    git: { app: { revisions: revisions.map(files => ({ files })) } },
    steps: [],
    ...(target && { target: 'kubeconfig' }),
  }
  await using world = await openWorld(scenario, beds, settings)
  const { hub } = world
  const ref = (name: string): ObjectRef => ({
    group: 'kustomize.toolkit.fluxcd.io',
    kind: 'Kustomization',
    namespace,
    name,
  })
  const apply = async (...objects: readonly object[]): Promise<void> => {
    await perform(world, { apply: { objects: JSON.parse(JSON.stringify(objects)) } })
  }
  const reconcile = (target: string) => perform(world, { reconcile: [target] })
  await apply({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'app' },
    spec: { interval: '10m', url: '${GIT_URL}/app.git', ref: { branch: 'main' } },
  })
  const read = (name: string) => hub.get<Kustomization>(ref(name))
  await story({
    world,
    namespace,
    cluster: world.real('hub'),
    kustomize: (name, spec, metadata) =>
      apply({
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name, ...metadata },
        spec: {
          interval: '10m',
          retryInterval: '5s',
          prune: true,
          targetNamespace: namespace,
          sourceRef: { kind: 'GitRepository', name: 'app' },
          ...spec,
        },
      }),
    async push(rev) {
      await perform(world, { push: { rev, branch: 'main' } })
      await reconcile('git/app')
    },
    request: async name => void (await reconcile(`ks/${name}`)),
    read,
    async becomes(name, status, message = /./, withinMs = 30_000) {
      const look = async (): Promise<string> => {
        const found = await read(name)
        const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready')
        assert.equal(ready?.status, status, JSON.stringify(found?.status?.conditions, null, 1))
        assert.equal(ready?.observedGeneration, found?.metadata.generation)
        assert.match(ready!.message, message)
        return ready!.message
      }
      return eventually(look, { within: withinMs })
    },
    live: (apiVersion, kind, name, inNamespace = namespace) =>
      world.real('hub').get(apiVersion, { group: groupOf(apiVersion), kind, namespace: inNamespace, name }),
    apply,
    async events(name) {
      const { items } = await hub.list<Event>({ group: '', kind: 'Event', namespace })
      return items
        .filter(({ involvedObject }) => involvedObject.name === name && involvedObject.kind === 'Kustomization')
        .map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
    },
  })
}

export const configMap = (name: string, value = '1', metadata = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${metadata}data:\n  value: "${value}"\n`

export const dataOf = (object: unknown): string | undefined =>
  (object as { data?: { value?: string } } | undefined)?.data?.value
