import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { forbidsLinkLocal } from '../../platform/http/guarded-lookup.ts'
import { ClusterError } from './client.ts'

import { impersonationHeaders } from './cluster-client.ts'
import { agentFor, authorizationOf } from './https-transport.ts'
import type { ClusterAccess, Impersonation } from './kubeconfig.ts'
import { statusError } from './status-error.ts'
import { unreachable } from './unreachable.ts'

/** A change that an API server reports; a BOOKMARK has only a resourceVersion. */
export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: KubernetesObject
}

export interface WatchClient {
  /**
   * The changes of a collection after a resourceVersion, until the server ends the watch. `path` is the collection's. Fails with a ClusterError,
   * whose status is 410 when the version is too old, or with the signal's reason.
   */
  watch(path: string, resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent, void>
  close(): Promise<void>
}

/** Each watch takes a connection of its own from servers without HTTP/2. */
const maxWatches = 64

/** Watches of one API server, as one user. */
export const watchClient = (access: ClusterAccess, impersonate?: Impersonation): WatchClient => {
  const agent = agentFor(access, { http2: false, maxConnections: maxWatches }, forbidsLinkLocal)
  const authorization = authorizationOf(access)
  const headers = {
    accept: 'application/json',
    ...impersonationHeaders(impersonate ?? access.impersonate),
    ...(authorization && { authorization }),
  }
  const { origin, pathname } = new URL(access.server)
  const base = pathname.replace(/\/+$/, '')
  return {
    async *watch(path, resourceVersion, signal) {
      const query = new URLSearchParams({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion })
      const request = { origin, path: `${base}${path}?${query}`, method: 'GET' as const, headers, signal }
      yield* eventsOf(agent, request)
    },
    close: () => agent.destroy(),
  }
}

type Request = Parameters<HttpAgent['request']>[0] & { readonly origin: string; readonly signal: AbortSignal }

async function* eventsOf(agent: HttpAgent, request: Request): AsyncGenerator<WatchEvent, void> {
  try {
    const { statusCode: status, body } = await agent.request({ ...request, bodyTimeout: 0 })
    if (status !== 200) throw statusError({ status, body: await body.text(), header: () => undefined })
    let rest = ''
    for await (const chunk of body.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line !== '') yield eventIn(line)
    }
  } catch (error) {
    request.signal.throwIfAborted()
    if (error instanceof ClusterError) throw error
    throw unreachable('GET', request.origin + request.path, error)
  }
}

const eventIn = (line: string): WatchEvent => {
  const event = JSON.parse(line) as { readonly type: WatchEvent['type'] | 'ERROR'; readonly object: KubernetesObject }
  if (event.type !== 'ERROR') return { type: event.type, object: event.object }
  const { code = 500 } = event.object as unknown as { readonly code?: number }
  throw statusError({ status: code, body: JSON.stringify(event.object), header: () => undefined })
}
