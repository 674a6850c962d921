import { ApiFailure, type HubApi } from '../../hub-client/hub-api.ts'
import type { ApiHandler } from '../apiserver/api-server.ts'
import { type Credential, peerOf } from '../console/credential.ts'
import type { RecognizedUser } from '../console/user-of.ts'

export interface Caller {
  readonly user: RecognizedUser
  readonly credential: Credential
  /** The address that the request comes from. */
  readonly remote: string | undefined
}

/**
 * The API as a caller. Each request is authenticated, authorized and recorded like any other; `agent` is the user agent
 * in the audit log.
 */
export const apiAs = (api: ApiHandler, { user, credential, remote }: Caller, agent: string): HubApi => {
  const send = async <T>(method: string, path: string, init: RequestInput = {}): Promise<T> => {
    const { body, type, signal } = init
    const headers = {
      ...{ accept: 'application/json', 'user-agent': agent },
      ...(type && { 'content-type': type }),
      ...('token' in credential && { authorization: `Bearer ${credential.token}` }),
    }
    const request = new Request(new URL(path, 'https://hub.local'), {
      ...{ method, headers },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    const response = await api(request, peerOf(credential), undefined, remote)
    if (response.ok) return (await response.json()) as T
    throw new ApiFailure(response.status, await messageOf(response))
  }
  return {
    user,
    get: (path, signal) => send('GET', path, { signal }),
    post: (path, body) => send('POST', `${path}?fieldManager=keelson-mcp`, { body, type: 'application/json' }),
    mergePatch: (path, body) =>
      send('PATCH', `${path}?fieldManager=keelson-mcp`, { body, type: 'application/merge-patch+json' }),
  }
}

interface RequestInput {
  readonly body?: object | undefined
  readonly type?: string
  readonly signal?: AbortSignal | undefined
}

/** The message of a Status. */
const messageOf = async (response: Response): Promise<string> => {
  const { message } = (await response.json().catch(() => ({}))) as { readonly message?: string }
  return message ?? `status ${response.status}`
}
