import type { ApiHandler, ApiServerOptions } from '../../../../lib/hub/apiserver/api-server.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { allowAll } from '../../../../lib/hub/authorize/access.ts'
import type { HubWorld } from '../store/world.ts'
import { hubWorld, registry } from '../store/world.ts'

export interface ApiWorld extends HubWorld {
  readonly handle: ApiHandler
  /** Sends a request; a body that is not text goes as JSON. */
  send(method: string, path: string, options?: SendOptions): Promise<Answer>
}

export interface SendOptions {
  readonly body?: unknown
  readonly type?: string
  readonly accept?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, where it is. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into any answer
  readonly json: any
}

/** The API of a hub on real SQLite, called without a network, by an admin unless told otherwise. */
export const apiWorld = async (overrides: Partial<ApiServerOptions> = {}): Promise<ApiWorld> => {
  const world = await hubWorld()
  const handle = createApiServer({
    hub: world.hub,
    kinds: () => registry,
    clock: world.clock,
    authenticate: async () => admin,
    authorizer: allowAll,
    onError: error => {
      throw error
    },
    ...overrides,
  })
  return {
    ...world,
    handle,
    send: async (method, path, options = {}) => {
      const response = await handle(requestOf(method, path, options))
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text ? JSON.parse(text) : undefined,
      }
    },
  }
}

export const requestOf = (
  method: string,
  path: string,
  { body, type, accept, headers, signal }: SendOptions,
): Request =>
  new Request(`https://127.0.0.1:6443${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': type ?? 'application/json' }),
      ...(accept && { accept }),
      ...headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
    }),
    ...(signal && { signal }),
  })

export const configMaps = '/api/v1/namespaces/default/configmaps'
export const kustomizations = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations'
