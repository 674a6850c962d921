import { type ClusterClient, ClusterError } from '../../../lib/clusters/client/client.ts'
import { requestedAtAnnotation } from '../../../lib/foundations/kinds/flux.ts'
import { groupOf, type KubernetesObject, refOf } from '../../../lib/foundations/kinds/object.ts'
import { ApiError } from '../../../lib/hub/store/hub.ts'
import { kubectl } from '../../bed/kubectl.ts'
import { editRelease, runHelm } from './helm-operations.ts'
import { isClusterScoped, type Named, objectNamed } from './refs.ts'
import { isOfHub } from './routed-cluster.ts'
import type { Operation, Rejection } from './scenario.ts'
import { withoutRunner } from './scenario-runner.ts'
import { filled } from './texts.ts'
import type { World } from './world.ts'

const manager = 'recorder'

/** An API server takes a moment to take up an admission policy, in real time. */
const policyDelayMs = 2_500
const policiesTakenUp = () => new Promise(resolve => setTimeout(resolve, policyDelayMs))

/** Does one operation of a step; resolves to what was refused where that is allowed. */
export const perform = async (world: World, operation: Operation): Promise<readonly Rejection[]> => {
  const [[verb, argument]] = Object.entries(filled(operation, world.placeholders) as Operation) as [[string, never]]
  const act = verbs[verb]
  if (act) return ((await act(world, argument)) as readonly Rejection[] | undefined) ?? []
  const serve = world.operations[verb]
  if (!serve) throw new Error(`no server of this scenario knows the operation ${verb}`)
  await serve(argument)
  world.refreshPlaceholders()
  return []
}

type Act = (world: World, argument: never) => Promise<unknown>

interface Apply {
  readonly objects: readonly KubernetesObject[]
  readonly cluster?: 'hub' | 'target'
  readonly fieldManager?: string
  readonly mayFail?: boolean
  readonly args?: readonly string[]
}

interface Patch {
  readonly ref: string
  readonly patch: unknown
  readonly fieldManager?: string
  readonly subresource?: 'status'
  readonly cluster?: 'hub' | 'target'
}

const verbs: Readonly<Record<string, Act>> = {
  helm: runHelm,
  editRelease,
  async apply(world, { objects, cluster = 'hub', fieldManager = manager, mayFail }: Apply) {
    const rejected: Rejection[] = []
    for (const object of objects.map(given => inNamespace(given, world))) {
      const applied = applyTo(world, object, cluster, fieldManager)
      await (mayFail ? applied.catch(error => void rejected.push(rejectionOf(object, error))) : applied)
    }
    return rejected
  },
  async kubectlApply(world, { objects, args = [] }: Apply) {
    for (const object of objects.map(given => inNamespace(given, world))) {
      await kubectl(world.hubBed.cluster.kubeconfig, ['apply', ...args, '-f', '-'], { input: JSON.stringify(object) })
    }
  },
  async patch(world, { ref, patch, fieldManager = manager, subresource, cluster }: Patch) {
    const found = objectNamed(ref, world.scenario.id)
    const named = { ...found, cluster: cluster ?? found.cluster }
    const { hub } = world
    if (isOfHub(named.ref.group)) {
      const replacing = withoutRunner(patch)
      await hub.patch(
        named.ref,
        { type: 'merge', patch: replacing },
        { fieldManager, ...(subresource && { subresource }) },
      )
      return
    }
    if (subresource) {
      const { namespace, name } = named.ref
      const args = ['-n', namespace, '--type=merge', '--subresource', subresource, '-p', JSON.stringify(patch)]
      await world.hubBed.cluster.kubectl('patch', kindArgument(named), name, ...args)
      return
    }
    await world.real(named.cluster).patch(named.apiVersion, named.ref, { type: 'merge', patch }, { fieldManager })
    if (isMirrored(named)) await unlessMissing(hub.patch(named.ref, { type: 'merge', patch }, { fieldManager }))
  },
  async delete(world, { ref }: { ref: string }) {
    const named = objectNamed(ref, world.scenario.id)
    if (isOfHub(named.ref.group)) return void (await world.hub.delete(named.ref, {}))
    await world.real(named.cluster).delete(named.apiVersion, named.ref, { propagation: 'Background' })
    if (named.ref.kind === 'ValidatingAdmissionPolicyBinding') await policiesTakenUp()
    if (isMirrored(named)) await unlessMissing(world.hub.delete(named.ref, {}))
  },
  async reconcile(world, refs: readonly string[]) {
    for (const ref of refs) {
      const number = [...world.placeholders.keys()].filter(name => name.startsWith('REQUEST_')).length + 1
      const token = `request-${number}-of-${world.scenario.id}`
      world.placeholders.set(`REQUEST_${number}`, token)
      await mergeInHub(world, ref, { metadata: { annotations: { [requestedAtAnnotation]: token } } })
    }
  },
  suspend: (world, ref: string) => mergeInHub(world, ref, { spec: { suspend: true } }),
  resume: (world, ref: string) => mergeInHub(world, ref, { spec: { suspend: false } }),
  sleep: (world, seconds: number) => world.clock.sleep(Number(seconds) * 1000),
  async copyArtifact(world, { from, to, metadata }: { from: string; to: string; metadata?: Record<string, string> }) {
    const { hub } = world
    const source = await hub.get<KubernetesObject>(objectNamed(from, world.scenario.id).ref)
    const { artifact } = source!.status as { artifact: Record<string, unknown> }
    const { generation } = (await hub.get<KubernetesObject>(objectNamed(to, world.scenario.id).ref))!.metadata
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Succeeded',
      message: 'copied',
      lastTransitionTime: '2024-01-01T00:00:00Z',
      observedGeneration: generation,
    }
    const status = {
      artifact: { ...artifact, ...(metadata && { metadata }) },
      conditions: [ready],
      observedGeneration: generation,
    }
    await hub.patch(
      objectNamed(to, world.scenario.id).ref,
      { type: 'merge', patch: { status } },
      { fieldManager: manager, subresource: 'status' },
    )
  },
}

const kindArgument = ({ ref, apiVersion }: Named): string =>
  ref.group ? `${ref.kind}.${apiVersion.split('/')[1]}.${ref.group}` : ref.kind

const mergeInHub = async ({ hub, scenario }: World, ref: string, patch: unknown): Promise<void> => {
  await hub.patch(objectNamed(ref, scenario.id).ref, { type: 'merge', patch }, { fieldManager: manager })
}

const inNamespace = (object: KubernetesObject, { scenario }: World): KubernetesObject =>
  isClusterScoped(object.kind) || object.metadata.namespace
    ? object
    : { ...object, metadata: { ...object.metadata, namespace: scenario.id } }

/** Flux's kinds live in the hub; what Flux reads of others is in the hub as well as in the real cluster. */
const applyTo = async (world: World, object: KubernetesObject, cluster: 'hub' | 'target', fieldManager: string) => {
  const { hub } = world
  const inHub = () =>
    hub.patch(refOf(object), { type: 'apply', object: world.forHub(object) }, { fieldManager, force: true })
  if (isOfHub(groupOf(object.apiVersion))) return void (await inHub())
  const client: ClusterClient = world.real(cluster)
  await client.apply(object, { fieldManager, force: true })
  if (object.kind === 'ValidatingAdmissionPolicyBinding') await policiesTakenUp()
  if (isMirrored({ cluster, ref: refOf(object) })) await inHub()
}

const isMirrored = ({ cluster, ref: { group, kind } }: Pick<Named, 'cluster' | 'ref'>): boolean =>
  cluster === 'hub' && group === '' && ['ConfigMap', 'Secret', 'ServiceAccount', 'Namespace'].includes(kind)

const unlessMissing = async (work: Promise<unknown>): Promise<void> => {
  try {
    await work
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error
  }
}

const rejectionOf = ({ kind, metadata }: KubernetesObject, error: unknown): Rejection => {
  if (!(error instanceof ApiError || error instanceof ClusterError)) throw error
  const { reason, message } = error
  const code = error instanceof ApiError ? error.code : (error.status ?? 0)
  return { object: `${kind}/${metadata.name}`, code, reason: reason || null, message }
}
