/** A tenant asks the API for more than its share: watches, answers that nobody reads, bodies and objects beyond measure. */
import assert from 'node:assert/strict'
import type { ApiResponse } from '../api-client.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { heldConnections } from './held-connections.ts'
import { quotaRaces } from './quota-races.ts'
import { mapOf, maps, underLoad } from './under-load.ts'

// ---- bodies ----

const megabyte = 1024 * 1024
const bodies: Readonly<Record<string, readonly [method: string, path: string, type: string]>> = {
  'POST of JSON': ['POST', maps, 'application/json'],
  'POST of YAML': ['POST', maps, 'application/yaml'],
  'POST of protobuf': ['POST', maps, 'application/vnd.kubernetes.protobuf'],
  'PUT of JSON': ['PUT', `${maps}/big`, 'application/json'],
  'merge patch': ['PATCH', `${maps}/big`, 'application/merge-patch+json'],
  'JSON patch': ['PATCH', `${maps}/big`, 'application/json-patch+json'],
  'strategic merge patch': ['PATCH', `${maps}/big`, 'application/strategic-merge-patch+json'],
  'server-side apply': ['PATCH', `${maps}/big?fieldManager=x`, 'application/apply-patch+yaml'],
  'DELETE with options': ['DELETE', `${maps}/big`, 'application/json'],
  'token request': ['POST', '/api/v1/namespaces/mallory/serviceaccounts/default/token', 'application/json'],
  'access review': ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'application/json'],
}

const bodyOf = (bytes: number): string => JSON.stringify(mapOf('big', { text: 'x'.repeat(bytes) }))

/** A refusal with a reason, or a connection that was closed while the rest of the body was on its way. */
const refusedAs = async (answer: Promise<ApiResponse>, codes: readonly number[]): Promise<void> => {
  const { status } = await answer.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'ECONNRESET') return { status: codes[0]! }
    throw error
  })
  assert.ok(codes.includes(status), `answered with ${status}`)
}

const largeBodies: readonly Attempt[] = Object.entries(bodies).flatMap(([what, [method, path, type]]) => [
  {
    title: `a ${what} of 8 MB is refused as too large`,
    run: world => refusedAs(world.mallory.request(method, path, bodyOf(8 * megabyte), { 'content-type': type }), [413]),
  },
  {
    isHeavy: true,
    title: `40 at a time of 2.9 MB as ${what} leave others their turn`,
    run: world =>
      underLoad(world, async () => {
        const body = bodyOf(2.9 * megabyte)
        const send = () => world.mallory.request(method, path, body, { 'content-type': type }).catch(() => undefined)
        await Promise.all(Array.from({ length: 40 }, send))
      }),
  },
])

// ---- objects beyond measure ----

const many = (count: number, value = 'v') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, value]))

const collections: Readonly<Record<string, readonly [path: string, object: object]>> = {
  ConfigMap: [maps, { apiVersion: 'v1', kind: 'ConfigMap' }],
  Secret: ['/api/v1/namespaces/mallory/secrets', { apiVersion: 'v1', kind: 'Secret' }],
  ServiceAccount: ['/api/v1/namespaces/mallory/serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount' }],
  GitRepository: [
    '/apis/source.toolkit.fluxcd.io/v1/namespaces/mallory/gitrepositories',
    {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      spec: { url: 'https://example.invalid/x', interval: '1h', suspend: true },
    },
  ],
  Kustomization: [
    '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/mallory/kustomizations',
    {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      spec: { interval: '1h', prune: true, suspend: true, sourceRef: { kind: 'GitRepository', name: 'x' } },
    },
  ],
}

const oversized: readonly Attempt[] = Object.entries(collections).flatMap(([kind, [path, object]]) => [
  {
    title: `a ${kind} with 300 KB of annotations is refused, as Kubernetes does`,
    run: async world => {
      const metadata = { name: world.freshName(), annotations: { big: 'x'.repeat(300_000) } }
      const { status } = await world.mallory.request('POST', path, { ...object, metadata })
      assert.equal(status, 422)
    },
  },
  {
    isHeavy: true,
    title: `a ${kind} with 60,000 labels stops nobody`,
    run: world =>
      underLoad(world, async () => {
        const name = world.freshName()
        await world.mallory.request('POST', path, { ...object, metadata: { name, labels: many(60_000) } })
        await world.mallory.request('DELETE', `${path}/${name}`)
      }),
  },
  {
    isHeavy: true,
    title: `a ${kind} with 20,000 finalizers stops nobody`,
    run: world =>
      underLoad(world, async () => {
        const name = world.freshName()
        const finalizers = Array.from({ length: 20_000 }, (_, at) => `x.example/f${at}`)
        await world.mallory.request('POST', path, { ...object, metadata: { name, finalizers } })
        await world.mallory.patch(`${path}/${name}`, { metadata: { finalizers: null } })
        await world.mallory.request('DELETE', `${path}/${name}`)
      }),
  },
])

const selectors: Readonly<Record<string, string>> = {
  'a label selector of 2,000 terms': `labelSelector=${Array.from({ length: 2000 }, (_, at) => `k${at}`).join(',')}`,
  'a set of 2,000 values': `labelSelector=k+in+(${Array.from({ length: 2000 }, (_, at) => `v${at}`).join(',')})`,
  'a field selector of 500 terms': `fieldSelector=${Array(500).fill('metadata.name%3Dx').join(',')}`,
  'a limit beyond 64 bits': 'limit=99999999999999999999',
  'a made-up continue': `continue=${Buffer.from(JSON.stringify([1e15, 'x'.repeat(5000), ''])).toString('base64url')}`,
  'a query of 15 KB': `labelSelector=${'x'.repeat(15_000)}`,
}

const queries: readonly Attempt[] = Object.entries(selectors).map(([what, query]) => ({
  title: `100 lists with ${what} stop nobody`,
  run: world =>
    underLoad(world, async () => {
      await Promise.all(
        Array.from({ length: 100 }, () => world.mallory.request('GET', `${maps}?${query}`).catch(() => undefined)),
      )
    }),
}))

const nested: Readonly<Record<string, string>> = {
  objects: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  lists: `{"data":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
}

const nesting: readonly Attempt[] = Object.entries(nested).map(([what, body]) => ({
  title: `a body of ${what} nested without end is refused`,
  run: async world => {
    const { status } = await world.mallory.request('POST', maps, body)
    // Too deep, or too many values: whichever is told first.
    assert.ok([400, 413].includes(status), String(status))
  },
}))

const fullNamespace: Attempt = {
  title: 'a namespace takes no more bytes than it may hold, by many writes at a time',
  isHeavy: true,
  run: world =>
    underLoad(world, async () => {
      const names = Array.from({ length: 330 }, () => world.freshName())
      const statuses: number[] = []
      const writing = async () => {
        for (let name = names.shift(); name; name = names.shift()) {
          const { status } = await world.mallory.request('POST', maps, mapOf(name, { filling: 'x'.repeat(900_000) }))
          statuses.push(status)
        }
      }
      try {
        await Promise.all(Array.from({ length: 8 }, writing))
        assert.ok(statuses.includes(403), 'all 330 objects of 900 kB came in')
      } finally {
        // Of administrators' deletions none is refused.
        const { body } = await world.admin.request('GET', maps, undefined, {
          accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
        })
        for (const { metadata } of (body as { items: readonly { metadata: { name: string } }[] }).items)
          await world.admin.request('DELETE', `${maps}/${metadata.name}`)
      }
    }),
}

export const apiLoad: AttackClass = {
  name: 'api-load',
  rule: 'Requests, watches and what a namespace holds have a share for each tenant; beyond it callers get 429 or 403, and slow readers are broken off',
  attempts: [
    ...heldConnections,
    ...largeBodies,
    ...oversized,
    ...queries,
    ...nesting,
    ...quotaRaces(collections),
    fullNamespace,
  ],
}
