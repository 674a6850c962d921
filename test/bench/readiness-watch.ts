import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { parse } from 'yaml'

export interface Readiness {
  /** Resolves when all of so many Kustomizations are Ready at a revision that holds the commit, with when the first and the last came. */
  allReady(commit: string, count: number): Promise<{ readonly firstAt: number; readonly lastAt: number }>
  /** Resolves when none are left, with when that was. Times are of performance.now(). */
  allGone(): Promise<number>
  close(): void
}

interface KustomizationState {
  readonly ready: boolean
  readonly revision: string
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: {
    readonly metadata: { readonly name: string; readonly generation: number }
    readonly status?: {
      readonly observedGeneration?: number
      readonly lastAppliedRevision?: string
      readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    }
  }
}

const path =
  '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/bench/kustomizations?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'

/** Watches the Kustomizations of the namespace `bench` over one connection, as a user's dashboard would. */
export async function watchReadiness(kubeconfig: string, patienceMs: number): Promise<Readiness> {
  const { server, token, ca } = accessOf(kubeconfig)
  const stop = new AbortController()
  const watching = request(server + path, { ca, headers: { authorization: `Bearer ${token}` }, signal: stop.signal })
  watching.end()
  const [response] = await once(watching, 'response')
  if (response.statusCode !== 200) throw new Error(`the watch was answered with ${response.statusCode}`)

  const states = new Map<string, KustomizationState>()
  let changed = Promise.withResolvers<void>()
  const lines = createInterface(response)
  lines.on('line', line => {
    const { type, object } = JSON.parse(line) as WatchEvent
    if (type === 'BOOKMARK') return
    const { metadata, status = {} } = object
    if (type === 'DELETED') states.delete(metadata.name)
    else {
      const isReady = status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
      states.set(metadata.name, {
        ready: isReady && status.observedGeneration === metadata.generation,
        revision: status.lastAppliedRevision ?? '',
      })
    }
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
  const readyAt = (commit: string) =>
    [...states.values()].filter(({ ready, revision }) => ready && revision.includes(commit)).length

  return {
    allReady: async (commit, count) => ({
      firstAt: await until(
        () => readyAt(commit) > 0,
        () => 'the first Kustomization ready',
      ),
      lastAt: await until(
        () => readyAt(commit) === count,
        () => `${readyAt(commit)} of ${count} Kustomizations ready`,
      ),
    }),
    allGone: () =>
      until(
        () => states.size === 0,
        () => `${states.size} Kustomizations left`,
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
