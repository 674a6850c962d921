import fc from 'fast-check'
import { composeCore } from '../../lib/compose/core.ts'
import { defaultSettings } from '../../lib/compose/settings/settings.ts'
import type { ApiHandler } from '../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../lib/hub/apiserver/authentication/bearer-token.ts'
import { embeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import { connections } from '../../lib/platform/http/connections.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { type HubRequest, hubRequests } from './hub-requests.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  "requests to the hub's API that nobody means well: each gets an answer, soon, and does no harm"

/** Requests of one kind in a row, so that the shrinking of a finding stays within one run. */
const batch = 300
/** For one request, on a busy machine. */
const longestMs = 5_000

export const run = async ({ seed, until, trees }: FuzzSettings): Promise<void> => {
  let tried = 0
  for (let round = 0; performance.now() < until && tried < trees; round++) {
    const finding = await firstHarm(seed + round, batch)
    tried += batch
    const memory = Math.round(process.memoryUsage().rss / 2 ** 20)
    if (finding === undefined) {
      console.log(`${tried} requests answered, ${memory} MB`)
      continue
    }
    console.log(`\nseed ${seed + round}: ${finding}`)
    process.exitCode = 1
    return
  }
}

/** Sends so many requests to a hub of their own; tells of the first that did harm. */
export const firstHarm = async (seed: number, count: number): Promise<string | undefined> => {
  await using dir = disposableDir()
  const platform = await embeddedPlatform(dir.path)
  const troubles: string[] = []
  const log = {
    info: () => {},
    error: (message: string, fields?: { readonly error?: unknown }) =>
      troubles.push(`${message}: ${String((fields?.error as Error | undefined)?.stack ?? fields?.error)}`),
  }
  const wires = connections()
  const core = composeCore(
    { ...platform, log, connections: wires },
    { ...defaultSettings, artifactAddress: 'http://127.0.0.1:1', rolesMaxAgeMs: Number.POSITIVE_INFINITY },
  )
  await core.hub.prepare()
  const handle = core.api(async () => admin)
  await define(handle)
  const property = fc.asyncProperty(
    hubRequests,
    async request => (await harmOf(handle, request, troubles)) === undefined,
  )
  const { counterexample } = await fc.check(property, { seed, numRuns: count })
  const harm = counterexample && (await harmOf(handle, counterexample[0], troubles))
  await core.hub.settled()
  await core.close()
  await wires.close()
  await platform.close()
  if (counterexample) return `${harm ?? 'once, and not again'}\n${JSON.stringify(counterexample[0]).slice(0, 3000)}`
  return troubles[0]
}

/** A kind of the user's own, so that its objects are sent too. */
const define = async (handle: ApiHandler): Promise<void> => {
  const spec = {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { a: { type: 'array', items: { type: 'object' } }, replicas: { type: 'integer' } },
    'x-kubernetes-validations': [{ rule: '!has(self.a) || self.a.all(x, x.all(y, y.size() > 0))' }],
  }
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  }
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version],
    },
  }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const headers = { 'content-type': 'application/json' }
  await handle(new Request(`https://hub.local${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
}

/** What a request did that it must not; undefined when all is well. */
const harmOf = async (
  handle: ApiHandler,
  { method, path, headers, body }: HubRequest,
  troubles: readonly string[],
): Promise<string | undefined> => {
  const before = troubles.length
  const ending = new AbortController()
  const started = performance.now()
  const request = new Request(`https://hub.local${path}`, {
    method,
    headers,
    signal: ending.signal,
    ...(body !== undefined && { body }),
  })
  let status: number
  try {
    const response = await handle(request)
    status = response.status
    if (!path.includes('watch')) await response.text()
  } catch (error) {
    return `the handler failed: ${(error as Error).stack}`
  } finally {
    ending.abort()
  }
  const took = performance.now() - started
  if (troubles.length > before) return troubles.at(-1)
  if (took > longestMs) return `it took ${Math.round(took)} ms`
  if (({} as Record<string, unknown>).a !== undefined || Object.keys(Object.prototype).length > 0)
    return 'a prototype was polluted'
  // Kubernetes answers some mistakes of clients with 500 and without a reason; a failure of the hub's own was logged.
  return status >= 100 && status < 600 ? undefined : `an answer of status ${status}`
}
