/** Asks an API server, and tells what differs between two answers once what always differs is taken out. */

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Agent, request } from 'undici'
import { parseYaml } from '../../lib/engines/yaml/parse.ts'
import { patienceOf } from '../bed/patience.ts'
import type { Exchange } from './exchange.ts'

export interface Answer {
  readonly status: number
  readonly type: unknown
  readonly warning: unknown
  readonly body: unknown
}

export type Ask = (exchange: Omit<Exchange, 'title'>) => Promise<Answer>

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

/** What a kubeconfig (a path) says of its first cluster and user. */
export const accessOf = (
  kubeconfig: string,
): { readonly server: string; readonly ca: string; readonly token: string } => {
  const { clusters, users } = parseYaml(readFileSync(kubeconfig, 'utf8'))[0] as unknown as Kubeconfig
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster
  return { server, ca: Buffer.from(authority, 'base64').toString(), token: users[0].user.token }
}

export const asking = (kubeconfig: string): { readonly ask: Ask; close(): Promise<void> } => {
  const { server, ca, token } = accessOf(kubeconfig)
  const dispatcher = new Agent({ connect: { ca } })
  const authorization = `Bearer ${token}`
  return {
    close: () => dispatcher.close(),
    ask: async ({ until = () => true, ...exchange }) => {
      const patience = patienceOf(10_000)
      for (;;) {
        const answer = await once(exchange)
        if ((until(answer) && !isInitializing(answer)) || patience.isOver()) return answer
        await sleep(100)
      }
    },
  }

  async function once({ method, path, body, headers, begun }: Omit<Exchange, 'title' | 'until'>): Promise<Answer> {
    const answer = await request(server + path, {
      method: method as 'GET',
      dispatcher,
      headers: {
        authorization,
        accept: 'application/json',
        'user-agent': 'side-by-side/1.0',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    begun?.()
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return {
      status: answer.statusCode,
      type: answer.headers['content-type'],
      warning: answer.headers.warning,
      body: isJson ? jsonOrText(text) : text,
    }
  }
}

/** A kube-apiserver starts the storage of a definition that has changed again, and has clients retry until then. */
const isInitializing = ({ status, body }: Answer): boolean =>
  status === 429 && (body as { readonly message?: string }).message === 'storage is (re)initializing'

/** The events of a watch are a JSON text each. */
const jsonOrText = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const placeholders: ReadonlySet<string> = new Set([
  'uid',
  'token',
  'expirationTimestamp',
  'lastTransitionTime',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
])

/**
 * Without what differs from one server, or one run, to the next: ids, versions, times, and the order of findings and of field
 * managers (which is that of their times).
 */
export const normalised = (value: unknown, key = ''): unknown => {
  if (placeholders.has(key) && typeof value === 'string') return `<${key}>`
  // The test cluster's own name for what is kube-apiserver elsewhere.
  if (key === 'manager' && value === 'testcluster') return 'kube-apiserver'
  if (typeof value === 'string')
    return (
      value
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uid>')
        .replace(/current: \d+/g, 'current: <version>')
        .replace(/^\d+m?s$/, '<age>')
        // A cell of a table with the time when an object was made.
        .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, '<time>')
        // Of several bindings that give the same role, a real API server finds the one or the other.
        .replace(/(?<=^RBAC: allowed by \w+ )"[^"]+"( of \w+ "[^"]+") to .*/, '<binding>$1')
    )
  if (Array.isArray(value)) {
    const items = value.filter(item => !isFromController(item)).map(item => normalised(item))
    if (key === 'managedFields') return items.toSorted((a, b) => (whoIn(a) < whoIn(b) ? -1 : 1))
    return key === 'causes' ? sortedOnce(items) : items
  }
  if (typeof value !== 'object' || value === null) return value
  const object = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalised(item, name)]))
  // The causes say the same again, and their order is by chance.
  return object.reason === 'Invalid'
    ? { ...object, message: String(object.message).replace(/: \[.*$/s, ': <causes>') }
    : object
}

/** A cluster's controllers put these into each namespace: the hub has no such controllers. */
const isFromController = (item: unknown): boolean =>
  /"name":"(kube-root-ca\.crt|default)"/.test(JSON.stringify(item) ?? '')

const whoIn = (entry: unknown): string => {
  const { manager, operation, subresource, apiVersion } = entry as Readonly<Record<string, string>>
  return `${manager} ${operation} ${subresource} ${apiVersion}`
}

const sortedOnce = (items: readonly unknown[]): unknown[] =>
  [...new Set(items.map(item => JSON.stringify(item)))].sort().map(item => JSON.parse(item))

/** `path: theirs | ours` of each part that differs. */
export const differences = (theirs: unknown, ours: unknown, path = ''): string[] => {
  if (isDeepStrictEqual(theirs, ours)) return []
  if (isObject(theirs) && isObject(ours) && Array.isArray(theirs) === Array.isArray(ours))
    return [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].flatMap(key =>
      differences(theirs[key], ours[key], path ? `${path}.${key}` : key),
    )
  return [`${path}: ${shown(theirs)} | ${shown(ours)}`]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 400)
