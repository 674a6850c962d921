import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import { publicKeysIn } from '../../../../lib/foundations/rules/verify-receipt.ts'
import { createOrders, type Orders } from '../../../../lib/hub/runners/orders.ts'
import { pollingPace } from '../../../../lib/hub/runners/pace.ts'
import type { SyncResponse } from '../../../../lib/hub/runners/protocol.ts'
import { runnerPath } from '../../../../lib/hub/runners/protocol.ts'
import { type RunnerApiOptions, withRunners } from '../../../../lib/hub/runners/runner-api.ts'
import { runnerSecretRef, secretWithToken } from '../../../../lib/hub/runners/runner-secret.ts'
import { signRequest } from '../../../../lib/hub/runners/signed-request.ts'
import { receiptKeys } from '../../../../lib/hub/runs/receipt-keys.ts'
import { signRuns } from '../../../../lib/hub/runs/sign-run.ts'
import type { ManagedHub } from '../../../../lib/hub/store/create-hub.ts'
import { by, type HubWorld, hubWorld } from '../store/world.ts'

/** The response to a request of a runner. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>> & { readonly message?: string }
}

/** A process with a key. */
export interface Caller {
  /** Sends a signed request for a Cluster, `NAMESPACE/NAME`; what is signed may differ from what is sent. */
  send(
    cluster: string,
    verb: string,
    content: object,
    signed?: { path?: string; body?: string; at?: number },
  ): Promise<Answer>
  enrol(cluster: string, token: string): Promise<Answer>
  readonly publicKey: string
}

export interface RunnerWorld extends HubWorld {
  caller(key?: KeyObject): Caller
  /** Enrols a runner, and takes the lease. */
  runner(cluster: string, key?: KeyObject): Promise<{ readonly caller: Caller; readonly sync: SyncResponse }>
  /** Sends a request as it was recorded. */
  replay(request: Request): Promise<Answer>
  /** All requests so far. */
  readonly sent: Request[]
  readonly events: string[]
  /** Those that verify receipts. */
  publicKeys(): Promise<readonly KeyObject[]>
  /** What was done with HelmCharts. */
  readonly charts: string[]
  readonly orders: Orders
}

export const digest = (text: string): string => `sha256:${text.repeat(64).slice(0, 64)}`

const inNamespace = (kind: string, apiVersion: string, namespace: string, name: string, rest: object = {}) =>
  ({ apiVersion, kind, metadata: { namespace, name }, ...rest }) as KubernetesObject

/** A fleet of two tenants, each with a Cluster that only a runner reaches, a unit, its Secret and its source. */
export const tenant = (namespace: string, name: string): readonly KubernetesObject[] => [
  inNamespace('ConfigMap', 'v1', namespace, name, { data: { provider: 'runner' } }),
  inNamespace('Cluster', 'fleet.keelson.dev/v1alpha1', namespace, name, {
    spec: { kubeConfig: { configMapRef: { name } } },
  }),
  inNamespace('Secret', 'v1', namespace, 'values', {
    data: { color: Buffer.from(`color-of-${name}`).toString('base64') },
  }),
  inNamespace('Secret', 'v1', namespace, 'unused', {
    data: { key: Buffer.from(`unused-of-${name}`).toString('base64') },
  }),
  inNamespace('GitRepository', 'source.toolkit.fluxcd.io/v1', namespace, 'app', {
    spec: { url: `https://git.example.org/${name}-hidden`, interval: '1h', secretRef: { name: 'unused' } },
  }),
  inNamespace('Kustomization', 'kustomize.toolkit.fluxcd.io/v1', namespace, 'app', {
    spec: {
      interval: '1h',
      prune: true,
      sourceRef: { kind: 'GitRepository', name: 'app' },
      kubeConfig: { configMapRef: { name } },
      postBuild: { substituteFrom: [{ kind: 'Secret', name: 'values' }] },
    },
  }),
]

export const unitOf = (namespace: string): ObjectRef => ({
  group: 'kustomize.toolkit.fluxcd.io',
  kind: 'Kustomization',
  namespace,
  name: 'app',
})

const tokens = (hub: ManagedHub, now: () => number) => async (cluster: string) => {
  const [namespace = '', name = ''] = cluster.split('/')
  const token = `token-of-${cluster}`
  const secret = secretWithToken(runnerSecretRef({ namespace, name }), token, now())
  await hub.patch(
    { ...runnerSecretRef({ namespace, name }) },
    { type: 'apply', object: secret },
    { ...by('test'), force: true },
  )
  return token
}

export const runnerWorld = async (
  settings: { noCrossNamespaceRefs: boolean } = { noCrossNamespaceRefs: false },
  extras: Partial<
    Pick<
      RunnerApiOptions,
      'dataOfSet' | 'fairness' | 'audit' | 'read' | 'pace' | 'wakeUp' | 'heldWakeUps' | 'putWatchOff'
    >
  > = {},
): Promise<RunnerWorld> => {
  const world = await hubWorld()
  const { hub, platform, clock } = world
  const sent: Request[] = []
  const events: string[] = []
  const charts: string[] = []
  for (const namespace of ['ships', 'shops'])
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, by('test'))
  for (const object of [...tenant('ships', 'aurora'), ...tenant('shops', 'berlin')])
    await hub.create(object, by('test'))
  const orders = createOrders({ ...platform, clock })
  const receipts = receiptKeys({ ...platform, clock })
  const api = withRunners({
    pace: pollingPace,
    enqueueDependents: async ({ name }) => void events.push(`dependents of ${name}`),
    charts: {
      apply: async (_, ref, dryRun) => {
        charts.push(`${dryRun ? 'dry run ' : ''}${ref.namespace}/${ref.name}`)
        return inNamespace('HelmChart', 'source.toolkit.fluxcd.io/v1', ref.namespace, ref.name)
      },
      remove: async ({ metadata }, { namespace, name }) =>
        void charts.push(`remove ${namespace}/${name} of ${metadata.name}`),
    },
    dataOfSet: async () => [],
    api: async () => new Response('the api', { status: 418 }),
    ...{
      hub,
      leases: platform.leases,
      clock,
      version: '1.2.3',
      settings,
      runs: { ...platform, clock, signRun: signRuns(receipts, console) },
      runsRetention: 90 * 24 * 3_600_000,
      orders,
    },
    read: async ({ path }) => Buffer.from(`content of ${path}`),
    recordEvent: async ({ metadata }, { reason }) =>
      void events.push(`${metadata.namespace}/${metadata.name} ${reason}`),
    onError: error => {
      throw error
    },
    ...extras,
  })
  const replay = async (request: Request): Promise<Answer> => {
    const { url, method, headers } = request
    const body = method === 'GET' ? null : await request.clone().arrayBuffer()
    const response = await api(new Request(url, { method, headers, body }))
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  const caller = (key = generateKeyPairSync('ed25519').privateKey): Caller => {
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')
    const send: Caller['send'] = (cluster, verb, content, signed = {}) => {
      const path = `${runnerPath}${verb}`
      const body = JSON.stringify(content)
      const authorization = signRequest(
        { cluster, path: signed.path ?? path, body: signed.body ?? body, now: signed.at ?? clock.now() },
        key,
      )
      const request = new Request(`https://hub.example.org${path}`, {
        method: 'POST',
        body,
        headers: { authorization },
      })
      sent.push(request)
      return replay(request)
    }
    return { send, publicKey, enrol: (cluster, token) => send(cluster, 'enrol', { cluster, token, publicKey }) }
  }
  const newToken = tokens(hub, clock.now)
  return {
    ...world,
    ...{ caller, replay, sent, events, charts, orders },
    publicKeys: async () => (await receipts.list()).flatMap(({ publicKey }) => publicKeysIn(publicKey)),
    runner: async (cluster, key) => {
      const one = caller(key)
      const enrolled = await one.enrol(cluster, await newToken(cluster))
      if (enrolled.status !== 200) throw new Error(JSON.stringify(enrolled.body))
      const { body } = await one.send(cluster, 'sync', {})
      return { caller: one, sync: body as unknown as SyncResponse }
    },
  }
}
