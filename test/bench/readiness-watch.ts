import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'

export interface Readiness {
  /** Resolves when all of so many Kustomizations are Ready at a revision that holds the commit, with when the first and the last came. */
  allReady(commit: string, count: number): Promise<Arrival>
  /** Resolves when none are left, with when that was. Times are of performance.now(). */
  allGone(): Promise<number>
  close(): void
}

/** When the first and the last of many came; times are of performance.now(). */
export interface Arrival {
  readonly firstAt: number
  readonly lastAt: number
}

export interface ObjectWatch<T> {
  /** Resolves when so many objects are as `holds` says. */
  all(what: string, holds: (object: T) => boolean, count: number): Promise<Arrival>
  allGone(): Promise<number>
  close(): void
}

export interface WatchedObject {
  readonly metadata: {
    readonly name: string
    readonly generation: number
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}

type WatchedKustomization = WatchedObject & { readonly status?: { readonly lastAppliedRevision?: string } }

/** Watches the Kustomizations of the namespace `bench` over one connection, as a user's dashboard would. */
export async function watchReadiness(kubeconfig: string, patienceMs: number): Promise<Readiness> {
  const path = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/bench/kustomizations'
  const watched = await watchObjects<WatchedKustomization>(kubeconfig, path, patienceMs)
  return {
    ...watched,
    allReady: (commit, count) =>
      watched.all(
        'Kustomizations ready',
        object => isReady(object) && (object.status?.lastAppliedRevision?.includes(commit) ?? false),
        count,
      ),
  }
}

/** Ready, as of the present spec. */
export const isReady = ({ metadata, status = {} }: WatchedObject): boolean =>
  status.observedGeneration === metadata.generation &&
  (status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false)

/** Watches the objects of a path over one connection. */
export async function watchObjects<T extends WatchedObject>(
  kubeconfig: string,
  path: string,
  patienceMs: number,
): Promise<ObjectWatch<T>> {
  const { server, token, ca } = accessOf(kubeconfig)
  const stop = new AbortController()
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const headers = { authorization: `Bearer ${token}` }
  const watching = request(`${server}${path}?${query}`, { ca, headers, signal: stop.signal })
  watching.end()
  const [response] = await once(watching, 'response')
  if (response.statusCode !== 200) throw new Error(`the watch was answered with ${response.statusCode}`)

  const objects = new Map<string, T>()
  let changed = Promise.withResolvers<void>()
  const lines = createInterface(response)
  lines.on('line', line => {
    const { type, object } = JSON.parse(line) as WatchEvent<T>
    if (type === 'BOOKMARK') return
    if (type === 'DELETED') objects.delete(object.metadata.name)
    else objects.set(object.metadata.name, object)
    changed.resolve()
    changed = Promise.withResolvers()
  })
  response.on('error', () => {})
  lines.on('error', () => {})
  lines.once('close', () => changed.reject(new Error('the watch ended')))
  changed.promise.catch(() => {})

  const until = async (holds: () => boolean, what: () => string): Promise<number> => {
    const late = AbortSignal.timeout(patienceMs)
    const tooLate = once(late, 'abort')
    while (!holds()) {
      await Promise.race([changed.promise, tooLate])
      if (late.aborted) throw new Error(`not in ${patienceMs / 1000} s: ${what()}`)
    }
    return performance.now()
  }

  return {
    all: async (what, holds, count) => {
      const so = () => [...objects.values()].filter(holds).length
      const told = () => `${so()} of ${count} ${what}`
      return { firstAt: await until(() => so() > 0, told), lastAt: await until(() => so() === count, told) }
    },
    allGone: () =>
      until(
        () => objects.size === 0,
        () => `${objects.size} objects left`,
      ),
    close: () => stop.abort(),
  }
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

function accessOf(kubeconfig: string) {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const { cluster } = clusters[0]
  return {
    server: cluster.server,
    token: users[0].user.token,
    ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
  }
}
