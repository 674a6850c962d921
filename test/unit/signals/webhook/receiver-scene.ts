import { createHmac } from 'node:crypto'
import { type Delivery, delivery as deliveryKind } from '../../../../lib/foundations/kinds/delivery.ts'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { Receiver } from '../../../../lib/foundations/kinds/receiver.ts'
import { deliveryReader } from '../../../../lib/hub/deliveries/delivery-reader.ts'
import { createReferences } from '../../../../lib/hub/references/references.ts'
import type { EmbeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { GuardedFetch } from '../../../../lib/platform/http/guarded-fetch.ts'
import { receiverReconciler } from '../../../../lib/reconcile/receiver/receiver.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { createDeliveryLog } from '../../../../lib/signals/webhook/delivery-log.ts'
import { createIdTokens } from '../../../../lib/signals/webhook/id-token.ts'
import { pathSalts } from '../../../../lib/signals/webhook/path-salts.ts'
import { createProcessedRequests } from '../../../../lib/signals/webhook/processed-requests.ts'
import { receiverSecrets } from '../../../../lib/signals/webhook/receiver-secrets.ts'
import { redelivery } from '../../../../lib/signals/webhook/redeliver.ts'
import { webhookHandler } from '../../../../lib/signals/webhook/webhook.ts'
import type { World } from '../../reconcile/world.ts'
import { openWorld } from '../../reconcile/world.ts'

export const author = { fieldManager: 'someone' }
export const token = 'a shared secret'
export const receiverRef: ObjectRef = {
  group: 'notification.toolkit.fluxcd.io',
  kind: 'Receiver',
  namespace: 'default',
  name: 'hook',
}

export const appRef: ObjectRef = {
  group: 'source.toolkit.fluxcd.io',
  kind: 'GitRepository',
  namespace: 'default',
  name: 'app',
}

export const repository = (
  name: string,
  { labels = {}, namespace = 'default', ...spec }: RepositoryOptions = {},
): KubernetesObject => ({
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { name, namespace, labels },
  spec: { url: 'https://git.example.com/app', interval: '10m', suspend: true, ...spec },
})

interface RepositoryOptions {
  readonly labels?: Record<string, string>
  readonly namespace?: string
  readonly url?: string
  readonly ref?: object
}

export const secret = (value: string, more: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'token', namespace: 'default' },
  data: Object.fromEntries(
    Object.entries({ token: value, ...more }).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  ),
})

const receiver = (spec: object): KubernetesObject => ({
  apiVersion: 'notification.toolkit.fluxcd.io/v1',
  kind: 'Receiver',
  metadata: { name: 'hook', namespace: 'default' },
  spec: { type: 'github', secretRef: { name: 'token' }, resources: [{ kind: 'GitRepository', name: 'app' }], ...spec },
})

export interface Scene extends World {
  readonly path: string
  /** What the handler has read of the hub: `get GitRepository app`, `list GitRepository`. */
  reads(): readonly string[]
  /** Another one each time that the repository `app` is asked to reconcile. */
  versionOfApp(): Promise<string | undefined>
  /** Sends a request; resolves to the status and to the names of the repositories that were asked to reconcile. */
  send(request: {
    readonly headers?: Record<string, string>
    readonly body?: string
    readonly path?: string
    readonly remote?: string
  }): Promise<string>
  /** What the calls of the Receiver have left, the newest first. */
  deliveries(): Promise<readonly Delivery[]>
  /** Repeats a delivery as this user; resolves to the new one. */
  redeliver(name: string, user: string): Promise<Delivery>
}

export interface Options {
  readonly noCrossNamespaceRefs?: boolean
  /** Beside the token. */
  readonly secretData?: Record<string, string>
  readonly repositories?: readonly KubernetesObject[]
  readonly fetchIssuer?: GuardedFetch
  /** Of the Receiver. */
  readonly metadata?: KubernetesObject['metadata']
}

const threeRepositories = [
  repository('app'),
  repository('labelled', { labels: { team: 'a' } }),
  repository('far', { namespace: 'other' }),
]

/** Tells a story with a hub, a Receiver, three repositories (unless others are given) and the webhook's handler. */
export const within = async <T>(
  spec: object,
  story: (scene: Scene) => Promise<T>,
  {
    noCrossNamespaceRefs = false,
    secretData = {},
    repositories = threeRepositories,
    fetchIssuer = fetch,
    metadata,
  }: Options = {},
) => {
  const world = await openWorld(ports => {
    const { objects, random, keys } = ports as unknown as EmbeddedPlatform
    const kept = { pathSalts: pathSalts(objects, random), receiverSecrets: receiverSecrets({ objects, keys }) }
    return [receiverReconciler({ ...ports, ...kept }) as Reconciler<KubernetesObject>]
  })
  try {
    const { hub } = world
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } }, author)
    for (const object of [
      ...repositories,
      secret(token, secretData),
      { ...receiver(spec), ...(metadata && { metadata }) },
    ])
      await hub.create(object, author)
    await world.settle()
    const path = (await hub.get<Receiver>(receiverRef))?.status?.webhookPath ?? ''
    const { deliveries, clock } = world.platform
    const idTokens = createIdTokens({ fetch: fetchIssuer, now: () => performance.now(), onStale: () => {} })
    const reads: string[] = []
    const watched = { ...hub, get: told(hub.get, 'get', reads), list: told(hub.list, 'list', reads) }
    const salts = pathSalts(world.ports.objects, world.ports.random)
    const handle = webhookHandler(
      {
        ...{ ...world.ports, hub: watched, references: createReferences(watched), idTokens },
        ...{ processed: createProcessedRequests(deliveries, clock), deliveryLog: createDeliveryLog(world.platform) },
        ...{ pathSalts: salts, receiverSecrets: receiverSecrets(world.ports) },
      },
      { noCrossNamespaceRefs },
    )
    const reader = deliveryReader({ ...world.platform, hub })
    const repeat = redelivery(
      { ...world.platform, hub, references: createReferences(hub), deliveryLog: createDeliveryLog(world.platform) },
      { noCrossNamespaceRefs },
    )
    return await story({
      ...world,
      path,
      reads: () => reads,
      versionOfApp: async () => (await hub.get<KubernetesObject>(appRef))?.metadata.resourceVersion,
      deliveries: async () => (await reader.list<Delivery>({ ...deliveryKind, namespace: 'default' })).items,
      async redeliver(name, user) {
        const made = await repeat((await reader.find('default', name))!, user)
        return (await reader.get<Delivery>({ ...deliveryKind, namespace: 'default', name: made }))!
      },
      async send({ headers = {}, body = '{}', path: to = path, remote }) {
        const { status } = await handle(new Request(`http://hub${to}`, { method: 'POST', headers, body }), remote)
        const { items } = await hub.list<KubernetesObject>({ group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' })
        const asked = items.filter(({ metadata }) => metadata.annotations?.[requestedAtAnnotation])
        return [status, ...asked.map(({ metadata }) => metadata.name)].join(' ')
      },
    })
  } finally {
    await world.close()
  }
}

const told =
  <Q extends { readonly kind: string; readonly name?: string }, T>(
    read: (query: Q) => Promise<T>,
    how: string,
    reads: string[],
  ) =>
  (query: Q) => {
    reads.push([how, query.kind, ...(query.name ? [query.name] : [])].join(' '))
    return read(query)
  }

export const signed = (body: string, algorithm = 'sha256', secret = token): string =>
  `${algorithm}=${createHmac(algorithm, secret).update(body).digest('hex')}`
